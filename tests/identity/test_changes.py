"""What changed between two states of a database."""

from __future__ import annotations

from typing import Any

from tests.cases import each_case
from tests.fakes.catalogs import column, table
from tribal.identity.changes import Change, TableChange, compare_tables
from tribal_contracts import (
    CatalogCheck,
    CatalogExclusion,
    CatalogForeignKey,
    CatalogIndex,
    CatalogKey,
    CatalogPolicy,
    CatalogRoutine,
    CatalogTable,
    CatalogTrigger,
    KeyElsewhere,
)

ORDERS = table("sales.orders", column("qty"), references=[("customer_id", "sales.customer")])


def changes(before: CatalogTable, after: CatalogTable) -> tuple[Change, ...]:
    (found,) = compare_tables([before], [after])
    assert found.fate == "changed"
    return found.changes


def with_fields(**fields: Any) -> CatalogTable:
    return ORDERS.model_copy(update=fields)


def with_column(**fields: Any) -> CatalogTable:
    columns = [c.model_copy(update=fields) if c.name == "qty" else c for c in ORDERS.columns]
    return with_fields(columns=columns)


def test_the_same_tables_have_no_changes() -> None:
    assert list(compare_tables([ORDERS], [ORDERS.model_copy(deep=True)])) == []
    assert list(compare_tables([], [])) == []


def test_tables_that_are_new_or_gone_are_reported_in_order_without_their_insides() -> None:
    before = [table("a.gone"), table("a.kept"), table("b.last")]
    after = [table("a.kept"), table("a.new"), table("c.new")]
    assert list(compare_tables(before, after)) == [
        TableChange("a", "gone", "dropped"),
        TableChange("a", "new", "added"),
        TableChange("b", "last", "dropped"),
        TableChange("c", "new", "added"),
    ]


def test_a_column_is_added_with_what_it_is_declared_as() -> None:
    added = column("state", "text", nullable=False).model_copy(update={"default_value": "'new'::text"})
    after = with_fields(columns=[*ORDERS.columns, added])
    assert changes(ORDERS, after) == (Change("column", "state", after="text not null default 'new'::text"),)
    assert changes(after, ORDERS) == (Change("column", "state", before="text not null default 'new'::text"),)


@each_case(
    ("field", "value", "expected"),
    [
        ("type", "bigint", Change("column", "qty", "type", "integer", "bigint")),
        ("nullable", False, Change("column", "qty", "nullable", "yes", "no")),
        ("default_value", "0", Change("column", "qty", "default", None, "0")),
        ("comment", "How many.", Change("column", "qty", "comment", None, "How many.")),
        ("identity", "always", Change("column", "qty", "identity", None, "always")),
        ("generated", "a + b", Change("column", "qty", "generated", None, "a + b")),
        ("enum_values", ["a", "b"], Change("column", "qty", "values", None, "a, b")),
    ],
)
def test_a_changed_column_says_what_of_it_changed(field: str, value: object, expected: Change) -> None:
    assert changes(ORDERS, with_column(**{field: value})) == (expected,)


KEY = ORDERS.foreign_keys[0]


@each_case(
    ("fields", "expected"),
    [
        ({"comment": "What is sold."}, Change("comment", after="What is sold.")),
        ({"kind": "partitioned_table"}, Change("kind", before="table", after="partitioned_table")),
        ({"view_definition": "SELECT 1"}, Change("view definition", after="SELECT 1")),
        ({"selectable": False}, Change("may be selected", before="yes", after="no")),
        ({"primary_key": None}, Change("primary key", "orders_pkey", before="id")),
        (
            {"unique_keys": [CatalogKey(name="u", columns=["id", "qty"])]},
            Change("unique key", "u", after="id, qty"),
        ),
        (
            {"foreign_keys": []},
            Change("foreign key", "orders_customer_id_fkey", before="(customer_id) to sales.customer (id)"),
        ),
        (
            {"foreign_keys": [KEY.model_copy(update={"on_delete": "CASCADE"})]},
            Change(
                "foreign key",
                "orders_customer_id_fkey",
                before="(customer_id) to sales.customer (id)",
                after="(customer_id) to sales.customer (id) on delete CASCADE",
            ),
        ),
        (
            {"indexes": [CatalogIndex(name="i", columns=["qty"], unique=True, predicate="qty > 1")]},
            Change("index", "i", after="unique (qty) where qty > 1"),
        ),
        ({"checks": [CatalogCheck(name="c", expression="qty > 0")]}, Change("check", "c", after="qty > 0")),
        (
            {"checks": [CatalogCheck(name="c", expression="qty > 0", validated=False)]},
            Change("check", "c", after="qty > 0 not validated"),
        ),
        (
            {"foreign_keys": [KEY.model_copy(update={"validated": False})]},
            Change(
                "foreign key",
                "orders_customer_id_fkey",
                before="(customer_id) to sales.customer (id)",
                after="(customer_id) to sales.customer (id) not validated",
            ),
        ),
    ],
)
def test_whatever_changes_in_a_table_is_one_change(fields: dict[str, Any], expected: Change) -> None:
    assert changes(ORDERS, with_fields(**fields)) == (expected,)


def test_columns_in_another_order_are_a_change_but_a_new_one_in_between_is_only_itself() -> None:
    moved = with_fields(columns=[ORDERS.columns[1], ORDERS.columns[0], ORDERS.columns[2]])
    assert changes(ORDERS, moved) == (
        Change("order of columns", before="id, qty, customer_id", after="qty, id, customer_id"),
    )
    inserted = with_fields(columns=[ORDERS.columns[0], column("between"), *ORDERS.columns[1:]])
    assert changes(ORDERS, inserted) == (Change("column", "between", after="integer"),)


def test_every_field_of_a_table_that_can_differ_is_compared() -> None:
    key = CatalogForeignKey(
        name="k", columns=["qty"], references_schema="s", references_table="t", references_columns=["id"]
    )
    different: dict[str, Any] = {
        "kind": "view",
        "comment": "x",
        "columns": [],
        "primary_key": None,
        "unique_keys": [CatalogKey(name="u", columns=["id"])],
        "foreign_keys": [key],
        "indexes": [CatalogIndex(name="i", columns=["id"], unique=False)],
        "checks": [CatalogCheck(name="c", expression="true")],
        "view_definition": "SELECT",
        "exclusions": [CatalogExclusion(name="x", definition="EXCLUDE USING gist (during WITH &&)")],
        "partition_count": 2,
        "partition_key": "RANGE (at)",
        "inherits": ["s.parent"],
        "inherited_by": ["s.child"],
        "partition_of": "s.whole",
        "row_security": True,
        "triggers": [CatalogTrigger(name="t", fires="after INSERT", routine="s.log")],
        "policies": [CatalogPolicy(name="p")],
        "written_by": [CatalogRoutine(name="s.fill")],
        "populated": False,
        "foreign_source": "server s",
        "clustering_key": "LINEAR(id)",
        "transient": True,
        "secure": True,
        "keys_elsewhere": [
            KeyElsewhere(
                name="e",
                columns=["id"],
                references_database="d",
                references_schema="s",
                references_table="t",
                references_columns=["id"],
            )
        ],
        "selectable": False,
    }
    # The query of a view, and what it reads, follow from its definition; partitions have a test of their own.
    derived = {"view_query", "depends_on", "partitions"}
    assert different.keys() == CatalogTable.model_fields.keys() - {"schema_name", "table_name"} - derived
    for field, value in different.items():
        assert changes(ORDERS, with_fields(**{field: value})), field


def test_partitions_are_counted_and_named_where_as_many_come_as_go() -> None:
    old = with_fields(partition_count=2, partitions=["s.p1", "s.p2"])
    assert changes(old, with_fields(partition_count=2, partitions=["s.p2", "s.p3"])) == (
        Change("partitions", before="s.p1", after="s.p3"),
    )
    more = with_fields(partition_count=3, partitions=["s.p1", "s.p2", "s.p3"])
    assert changes(old, more) == (Change("partitions", before="2", after="3"),)
    assert changes(with_fields(partition_count=2), more) == (Change("partitions", before="2", after="3"),)
