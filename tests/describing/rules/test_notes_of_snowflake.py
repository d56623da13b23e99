"""What a reader learns of a table before using it, where only Snowflake declares it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.cases import each_case
from tests.describing.rules.made import make
from tests.fakes.catalogs import column
from tribal.describing import RulesDescriber
from tribal.ports import TableContext
from tribal_contracts import CatalogTable, DatabaseType, KeyElsewhere

PLAIN = make("S.T", column("ID", "NUMBER(38,0)"), key=["ID"])
ELSEWHERE = KeyElsewhere(
    name="k",
    columns=["ID"],
    references_database="OTHER",
    references_schema="S",
    references_table="Odd Name",
    references_columns=["ID"],
)


def notes(table: CatalogTable, database_type: DatabaseType = "snowflake") -> str:
    context = TableContext("shop", database_type, "sales", table, 10, (), {}, {})
    return "\n".join(RulesDescriber().describe_table(replace(context)).notes)


def test_declared_keys_are_said_not_to_be_enforced_but_for_hybrid_tables() -> None:
    assert "does not enforce" in notes(PLAIN)
    assert "does not enforce" not in notes(make("S.T", column("ID", "NUMBER(38,0)")))
    assert "does not enforce" not in notes(PLAIN.model_copy(update={"kind": "hybrid_table"}))
    assert "does not enforce" not in notes(PLAIN, "postgres")


@each_case(
    ("changed", "told"),
    [
        ({"kind": "dynamic_table"}, "Snowflake refreshes it from a query"),
        ({"kind": "external_table"}, "read from files outside"),
        ({"kind": "iceberg_table"}, "in Parquet files"),
        ({"kind": "hybrid_table"}, "keys and indexes are enforced"),
        ({"transient": True}, "no fail-safe copy"),
        ({"secure": True}, "only its owner sees its definition"),
        ({"clustering_key": "LINEAR(ID)"}, "Clustered by LINEAR(ID)"),
        ({"keys_elsewhere": [ELSEWHERE]}, 'ID references OTHER.S."Odd Name", in another database.'),
    ],
)
def test_what_is_declared_is_said(changed: dict[str, Any], told: str) -> None:
    assert told not in notes(PLAIN)
    assert told in notes(PLAIN.model_copy(update=changed))
