"""The rules that every contract keeps."""

from __future__ import annotations

import json
import re

import jsonschema
import pytest
from pydantic import ValidationError

import tribal_contracts as contracts
from tests.cases import each_case
from tribal_contracts import knowledge, memory
from tribal_contracts.schemas import CAPABILITIES, DRAFT_2020, EXPORTED, json_schema, stale_files

NOW = "2026-01-02T03:04:05Z"
HASH = "a" * 64


def minimal_plan() -> dict[str, object]:
    return {
        "schema_version": "1.0",
        "generated_at": NOW,
        "config_hash": HASH,
        "complexity": "simple",
        "databases": [],
        "work_units": [
            {
                "id": "shop_sales",
                "database": "shop",
                "domain": "sales",
                "tables": [],
                "estimated_time_minutes": 0.1,
                "output_directory": "shop/sales",
                "priority_order": 1,
                "depends_on": [],
                "content_hash": HASH,
            }
        ],
        "summary": {
            "total_databases": 1,
            "reachable_databases": 1,
            "total_tables": 0,
            "total_work_units": 1,
            "domain_count": 1,
            "total_estimated_minutes": 0.1,
            "recommended_parallelism": 1,
        },
        "errors": [],
    }


def test_an_unset_optional_field_is_left_out_and_a_nullable_one_is_written_as_null() -> None:
    progress = contracts.WorkUnitProgress(
        work_unit_id="u",
        status="pending",
        tables_total=0,
        tables_completed=0,
        tables_failed=0,
        tables_skipped=0,
        errors=[],
        output_files=[],
    )
    assert "started_at" not in json.loads(progress.to_json())
    column = contracts.ColumnDetail(name="a", type="text", nullable=True, default_value=None, description="")
    assert json.loads(column.to_json())["default_value"] is None


def test_a_stored_file_with_fields_of_a_newer_version_is_read_and_a_tool_input_with_unknown_fields_is_refused() -> None:
    plan = contracts.DocumentationPlan.model_validate(minimal_plan() | {"written_by_the_future": 1})
    assert plan.complexity == "simple"
    with pytest.raises(ValidationError, match="Extra inputs"):
        contracts.SearchTablesInput.model_validate({"query": "orders", "fuzzy": True})


def test_contracts_are_frozen() -> None:
    plan = contracts.DocumentationPlan.model_validate(minimal_plan())
    with pytest.raises(ValidationError, match="frozen"):
        plan.complexity = "complex"  # type: ignore[misc]  # it is what must not be possible


def test_the_exported_schemas_are_those_of_the_models() -> None:
    assert stale_files() == []


@each_case("name", sorted(EXPORTED))
def test_every_exported_schema_is_valid_in_its_dialect_and_never_allows_null_for_an_optional_field(name: str) -> None:
    schema = json_schema(name)
    of_memory = name in {**memory.EXPORTED, **knowledge.EXPORTED}
    (jsonschema.Draft202012Validator if of_memory else jsonschema.Draft7Validator).check_schema(schema)
    assert schema["$id"] == f"{name}.schema.json"
    assert schema["$schema"] == (DRAFT_2020 if of_memory else "http://json-schema.org/draft-07/schema#")
    if name == "databases":
        return  # People write it, and may leave a key empty.
    either = [each["$ref"].rpartition("/")[2] for each in schema.get("anyOf", schema.get("oneOf", ()))]
    for shape in [(schema.get("$defs") or schema["definitions"])[each] for each in either] or [schema]:
        for field, definition in shape["properties"].items():
            kinds = [part.get("type") for part in definition.get("anyOf", [definition])]
            assert "null" not in kinds or field in shape.get("required", ())


def test_every_key_of_the_project_file_has_a_description() -> None:
    schema = json_schema("databases")
    keys = {
        f"{model}.{key}": each.get("description", "")
        for model, definition in {"": schema, **schema["definitions"]}.items()
        for key, each in definition["properties"].items()
    }
    assert len(keys) > 200
    assert [key for key, description in keys.items() if not description.endswith(".")] == []


def test_the_exported_output_of_a_tool_of_memory_or_knowledge_is_its_answer_or_a_failure_alone() -> None:
    for name in (*memory.EXPORTED, *knowledge.EXPORTED):
        if name.endswith("-output"):
            validator = jsonschema.Draft202012Validator(json_schema(name))
            failed = {"success": False, "errorCode": "NOT_FOUND", "message": "x", "retryable": False}
            assert validator.is_valid(failed)
            assert not validator.is_valid({**failed, "errorCode": "X"})


# The condensed schemas of section 7 of the specification: what is required of the two hand-over files.
SECTION_7 = {
    "documentation-plan": {
        "type": "object",
        "required": ["schema_version", "generated_at", "config_hash", "work_units", "summary"],
        "properties": {
            "schema_version": {"const": "1.0"},
            "generated_at": {"type": "string"},
            "config_hash": {"type": "string", "minLength": 64},
            "complexity": {"enum": ["simple", "moderate", "complex"]},
            "work_units": {"type": "array", "minItems": 1},
            "summary": {"type": "object"},
        },
    },
    "documentation-manifest": {
        "type": "object",
        "required": ["schema_version", "completed_at", "status", "indexable_files"],
        "properties": {
            "schema_version": {"const": "1.0"},
            "completed_at": {"type": "string"},
            "status": {"enum": ["complete", "partial"]},
            "total_files": {"type": "integer"},
            "indexable_files": {"type": "array"},
        },
    },
}


@each_case(
    "change",
    [
        {"schema_version": "2.0"},
        {"config_hash": "short"},
        {"work_units": []},
        {"complexity": "huge"},
        {"summary": None},
        {"generated_at": 12},
        {"generated_at": None},
        {},
    ],
)
def test_a_plan_that_section_7_refuses_is_refused_by_schema_and_model_alike(change: dict[str, object]) -> None:
    plan = minimal_plan() | change
    by_specification = jsonschema.Draft7Validator(SECTION_7["documentation-plan"]).is_valid(plan)
    by_schema = jsonschema.Draft7Validator(json_schema("documentation-plan")).is_valid(plan)
    assert by_schema == by_specification
    try:
        contracts.DocumentationPlan.model_validate(plan)
        accepted = True
    except ValidationError:
        accepted = False
    assert accepted == by_specification


@each_case("missing", SECTION_7["documentation-plan"]["required"])
def test_a_plan_without_a_field_that_section_7_requires_is_refused(missing: str) -> None:
    plan = minimal_plan()
    del plan[missing]
    assert not jsonschema.Draft7Validator(json_schema("documentation-plan")).is_valid(plan)


def test_a_manifest_must_say_that_it_is_complete_or_partial() -> None:
    validator = jsonschema.Draft7Validator(json_schema("documentation-manifest"))
    manifest = {
        "schema_version": "1.0",
        "completed_at": NOW,
        "plan_hash": HASH,
        "status": "complete",
        "databases": [],
        "work_units": [],
        "total_files": 0,
        "indexable_files": [],
    }
    assert validator.is_valid(manifest)
    assert not validator.is_valid(manifest | {"status": "failed"})


def test_every_type_that_section_9_lists_is_exported_from_the_package() -> None:
    listed = """
    ISOTimestamp ContentHash AgentStatus DatabaseType TablePriority FullyQualifiedTableName DomainName ErrorSeverity
    AgentError DocumentationPlan DatabaseAnalysis WorkUnit TableSpec PlanSummary DocumenterProgress WorkUnitProgress
    DocumenterStats DocumentationManifest DatabaseManifest WorkUnitManifest IndexableFile IndexerProgress IndexMetadata
    DocumentRecord SearchTablesInput SearchTablesOutput TableSearchResult GetTableSchemaInput GetTableSchemaOutput
    TableSchema GetJoinPathInput GetJoinPathOutput JoinStep GetDomainOverviewInput GetDomainOverviewOutput
    ListDomainsInput ListDomainsOutput DomainInfo ColumnSummary ColumnDetail ForeignKeyDetail IndexDetail
    QueryInterpretation RelatedTable
    """.split()
    assert [name for name in listed if not hasattr(contracts, name)] == []


def test_every_error_code_has_defaults_and_an_unregistered_one_cannot_be_used() -> None:
    assert all(re.fullmatch(r"[A-Z][A-Z_]+[A-Z]", code) for code in contracts.ERROR_CODES)
    error = contracts.agent_error("PLAN_EMPTY", "nothing", timestamp=NOW)
    assert (error.severity, error.recoverable) == ("fatal", False)
    with pytest.raises(KeyError):
        contracts.agent_error("NO_SUCH_CODE", "x", timestamp=NOW)


def test_no_two_capabilities_export_a_schema_of_the_same_name() -> None:
    names = [name for capability in CAPABILITIES for name in capability.EXPORTED]
    assert sorted(names) == sorted(set(names))
    assert set(names) < EXPORTED.keys()
