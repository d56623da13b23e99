"""In which order a unit's tables are described."""

from __future__ import annotations

from tests.cases import each_case
from tests.fakes.catalogs import table
from tribal.documenting.units.neighbours import referenced_first
from tribal_contracts import CatalogSlice, TableSpec


def order_of(names: str, references: dict[str, str], work: str | None = None) -> str:
    """The order of tables with one-letter names, each with the letters of those that it references."""
    tables = [
        table(f"s.{name}", references=[(f"{other}_id", f"s.{other}") for other in references.get(name, "")])
        for name in names
    ]
    part = CatalogSlice(
        schema_version="1.0",
        database="shop",
        type="postgres",
        server_database="shop",
        tables=tables,
        incoming=[],
        neighbours={},
        inferred_keys=[],
    )
    specs = [
        TableSpec(
            schema_name="s",
            table_name=name,
            fully_qualified_name=f"shop.s.{name}",
            row_count_approx=-1,
            column_count=1,
            incoming_fk_count=0,
            outgoing_fk_count=0,
            domain="s",
            priority=2,
            metadata_hash="0" * 64,
        )
        for name in work or names
    ]
    return "".join(spec.table_name for spec in referenced_first(specs, part))


@each_case(
    ("names", "references", "order"),
    [
        ("abc", {}, "abc"),
        ("abc", {"a": "b", "b": "c"}, "cba"),
        ("abcd", {"a": "d", "c": "d"}, "dabc"),
        ("ab", {"a": "ab"}, "ba"),
        ("abc", {"a": "b", "b": "c", "c": "a"}, "cba"),
        ("ab", {"a": "z"}, "ab"),
    ],
)
def test_a_table_follows_those_that_it_references_and_others_keep_their_order(
    names: str, references: dict[str, str], order: str
) -> None:
    assert order_of(names, references) == order


def test_a_table_without_work_still_leads_from_one_to_another() -> None:
    assert order_of("abc", {"a": "b", "b": "c"}, work="ac") == "ca"
