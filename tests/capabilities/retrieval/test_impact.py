"""What a change affects is bounded by the scope of the caller."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.fakes import MemoryStore
from tests.sample_shop.indexed import table_document, with_relations
from tests.sample_shop.retrieval import toolbox_over
from tribal.capabilities.retrieval.definitions.visible import visible_definitions
from tribal.capabilities.retrieval.impact.impact import Impact, impact_of
from tribal.capabilities.retrieval.toolbox import Toolbox
from tribal.identity.changes import Change, TableChange
from tribal.identity.locations import DEFINITIONS_FILE
from tribal.identity.scope import Scope
from tribal.ports import DerivedValues
from tribal.ports.remembering.guidance import Guidance
from tribal.runs.comparing import Comparison, DatabaseChanges
from tribal_contracts import DefinedTerm, Definitions, VerifiedQuery

INVOICE, SALARY, OPEN_VIEW, HIDDEN_VIEW = (
    "shop.public.invoice", "shop.vault.zorvik", "shop.public.open_invoice", "shop.vault.v_zorvik"
)  # fmt: skip
PUBLIC = Scope(schemas=frozenset({("shop", "public")}))
COLUMN_CHANGE = Change("column", "status", "type", "text", "integer")
CHANGES = Comparison(
    (
        DatabaseChanges(
            "shop",
            (
                TableChange(
                    "public",
                    "invoice",
                    "changed",
                    (COLUMN_CHANGE, Change("foreign key", "to_zorvik", before="(id) to vault.grades (id)")),
                ),
                TableChange("public", "gone", "dropped"),
                TableChange("vault", "zorvik", "dropped"),
            ),
        ),
        DatabaseChanges("hr", (TableChange("public", "invoice", "dropped"),)),
    )
)


def query(file: str, *tables: str) -> VerifiedQuery:
    joined = " JOIN ".join(f"{name.partition('.')[2]} USING (id)" for name in tables[1:])
    sql = f"SELECT status FROM {tables[0].partition('.')[2]}{f' JOIN {joined}' if joined else ''}"
    return VerifiedQuery(
        file=file,
        line=1,
        is_safe=True,
        database="shop",
        tables=list(tables),
        questions=["?"],
        sql=sql,
        status="current",
    )


def guidance(number: int, text: str) -> Guidance:
    return Guidance(f"mem_{number}", "memory", "project", text, "ada", "2026-11-01T00:00:00Z")


def shop(folder: Path) -> Toolbox:
    tables = {
        each.name: each
        for each in with_relations(
            [
                table_document(INVOICE, "id status total", domain="d"),
                table_document(SALARY, "id grade", domain="d"),
                table_document(OPEN_VIEW, "id", domain="d"),
                table_document(HIDDEN_VIEW, "id", domain="d"),
            ]
        )
    }
    views: dict[str, dict[str, Any]] = {name: {"kind": "view", "reads": [INVOICE]} for name in (OPEN_VIEW, HIDDEN_VIEW)}
    changed: dict[str, dict[str, Any]] = {**views, INVOICE: {"read_by": [OPEN_VIEW, HIDDEN_VIEW]}}
    toolbox = toolbox_over(
        folder, None, [each.model_copy(update=changed.get(name, {})) for name, each in tables.items()]
    )
    store = MemoryStore()
    term = DefinedTerm(
        file="a.yaml", line=1, database="shop", tables=["shop.public.gone"], name="left", definition="?", status="stale"
    )
    defined = Definitions(
        schema_version="1.0",
        terms=[term],
        queries=[query("mine.sql", INVOICE), query("both.sql", INVOICE, SALARY)],
    )
    store.put(DEFINITIONS_FILE, defined.to_json())
    said = [
        guidance(1, "public.invoice is big"),
        guidance(2, "public.invoice is joined to vault.zorvik"),
        guidance(3, "public.gone is not filled"),
    ]
    return replace(
        toolbox,
        guidance=lambda _: said,
        definitions=lambda bounds: visible_definitions(bounds, store, DerivedValues()),
    )


def names(found: Sequence[Impact]) -> dict[tuple[str, str], list[str]]:
    return {(each.table, each.what): [one.name for one in each.affected] for each in found}


def test_who_sees_a_part_learns_of_no_hidden_table_view_query_or_memory(tmp_path: Path) -> None:
    toolbox = shop(tmp_path)
    with toolbox.index.reading():
        whole, part = (names(impact_of(CHANGES, replace(toolbox, scope=each))) for each in (Scope(), PUBLIC))
    toolbox.index.close()
    of_table = ["mine.sql", "both.sql", "mem_1", "mem_2"]
    assert whole == {
        (INVOICE, "column"): of_table,
        (INVOICE, "foreign key"): [OPEN_VIEW, HIDDEN_VIEW, *of_table],
        ("shop.public.gone", "table"): ["left", "mem_3"],
        (SALARY, "table"): ["both.sql", "mem_2"],
    }
    assert part == {(INVOICE, "column"): ["mine.sql", "mem_1"], ("shop.public.gone", "table"): ["left", "mem_3"]}
