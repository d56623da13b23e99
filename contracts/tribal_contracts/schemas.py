"""Exports the contracts as JSON Schema: draft-07, and 2020-12 where the memory specification has that.

`python -m tribal_contracts.schemas` writes the files; with `--check` it only checks that they are up to date.

Source: specification section 7; memory specification, section 6.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Union, cast

from pydantic import BaseModel, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode

from tribal_contracts import answering, chat, contribution, core, interrogation, knowledge, memory, proposals, retrieval
from tribal_contracts.core.shape import ClosedContract
from tribal_contracts.documentation import exports as documentation
from tribal_contracts.project_file import ProjectFile
from tribal_contracts.written_schema import written_schema

SCHEMA_DIRECTORY = Path(__file__).parent / "schemas"

CAPABILITIES = (
    core,
    documentation,
    retrieval,
    memory,
    knowledge,
    answering,
    interrogation,
    chat,
    contribution,
    proposals,
)
"""Packages of contracts, each of which lists its exports in `EXPORTED`."""

EXPORTED: dict[str, type[BaseModel]] = {
    "databases": ProjectFile,
    **{name: model for capability in CAPABILITIES for name, model in capability.EXPORTED.items()},
}


_OF_MEMORY_SPECIFICATION = {**memory.EXPORTED, **knowledge.EXPORTED}
_FAILURES: dict[str, type[BaseModel]] = {
    **dict.fromkeys(_OF_MEMORY_SPECIFICATION, memory.ToolError),
    **dict.fromkeys({**answering.EXPORTED, **interrogation.EXPORTED, **proposals.EXPORTED}, answering.FailedAnswer),
}
"""How the tools fail whose outputs have no place for an error."""
DRAFT_2020 = "https://json-schema.org/draft/2020-12/schema"


class _Draft07(GenerateJsonSchema):
    schema_dialect = "http://json-schema.org/draft-07/schema#"


def json_schema(name: str) -> dict[str, Any]:
    """The schema of one exported contract in the dialect of its specification, `$id` included.

    Raises:
        KeyError: when no contract with that name is exported.
    """
    model = EXPORTED[name]
    # Inputs are described as callers may send them, everything else as it is written.
    mode: JsonSchemaMode = "validation" if issubclass(model, ClosedContract) else "serialization"
    failure = _FAILURES.get(name)
    if failure is not None and name.endswith("-output"):
        # Strict clients validate the answers of calls that failed, too.
        body = {"type": "object", **model_schema(model, failure, mode=mode)}
        for each in body.get("definitions", {}).values():
            _require_success(each)
    elif model is ProjectFile:
        # Editors check it while people write it.
        body = model_schema(model, mode=mode, adapt=written_schema)
    else:
        body = model_schema(model, mode=mode)
    if name in _OF_MEMORY_SPECIFICATION:
        # The parts that contracts use mean the same in both dialects, except the place of definitions.
        body = json.loads(json.dumps(body).replace('"#/definitions/', '"#/$defs/'))
        if "definitions" in body:
            body["$defs"] = body.pop("definitions")
        return {"$schema": DRAFT_2020, "$id": f"{name}.schema.json", **body}
    return {"$schema": _Draft07.schema_dialect, "$id": f"{name}.schema.json", **body}


def model_schema(
    *models: type[BaseModel],
    mode: JsonSchemaMode,
    adapt: Callable[[dict[str, Any]], dict[str, Any]] = lambda schema: schema,
) -> dict[str, Any]:
    """The draft-07 schema of one model, or of any of several, without `$id`; definitions come last.

    Args:
        models: the alternatives.
        mode: whether it describes what is read or what is written.
        adapt: changes the schema while unset fields still have null as their default.
    """
    of = TypeAdapter[Any](cast("Any", Union[models]))  # noqa: UP007 - of as many as there are
    body = of.json_schema(mode=mode, by_alias=True, ref_template="#/definitions/{model}", schema_generator=_Draft07)
    definitions = body.pop("$defs", None)
    schema = dict(body)
    if definitions:
        schema["definitions"] = definitions
    schema = adapt(schema)
    _drop_null_defaults(schema)
    return schema


def _require_success(schema: dict[str, Any]) -> None:
    """Every answer says whether it succeeded, although its model has a default."""
    if "success" in schema.get("properties", {}) and "success" not in schema.get("required", ()):
        schema["required"] = ["success", *schema.get("required", ())]


def _drop_null_defaults(node: Any) -> None:
    """Remove null defaults: an unset field is absent and null is not accepted, so they would be wrong."""
    if isinstance(node, dict):
        if node.get("default", ...) is None:
            del node["default"]
        for value in node.values():
            _drop_null_defaults(value)
    elif isinstance(node, list):
        for value in node:
            _drop_null_defaults(value)


def _rendered() -> dict[Path, str]:
    return {
        SCHEMA_DIRECTORY / f"{name}.schema.json": json.dumps(json_schema(name), indent=2, ensure_ascii=False) + "\n"
        for name in sorted(EXPORTED)
    }


def stale_files() -> list[Path]:
    """Schema files that are missing, differ from the models, or belong to no model; empty if all are up to date."""
    rendered = _rendered()
    stale = [path for path, text in rendered.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    return sorted(stale + [path for path in SCHEMA_DIRECTORY.glob("*.json") if path not in rendered])


def main(arguments: list[str]) -> int:
    """Write the schema files, or check them with `--check`; returns the exit code."""
    if arguments == ["--check"]:
        stale = stale_files()
        for path in stale:
            print(f"out of date: {path.name}; run `make schemas`", file=sys.stderr)
        print(f"schemas: {len(EXPORTED)} contracts, {len(stale)} out of date")
        return 1 if stale else 0
    SCHEMA_DIRECTORY.mkdir(exist_ok=True)
    rendered = _rendered()
    for path in SCHEMA_DIRECTORY.glob("*.json"):
        if path not in rendered:
            path.unlink()
    for path, text in rendered.items():
        path.write_text(text, encoding="utf-8")
    print(f"schemas: {len(EXPORTED)} contracts written to {SCHEMA_DIRECTORY}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
