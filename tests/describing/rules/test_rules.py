"""The rules: what they make of any catalog, of values, and what they warn of."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from tests.conformance.describer import column, context, orders
from tests.describing.rules.made import make, notes, say
from tribal.describing import RulesDescriber
from tribal.describing.rules.notes import looks_like_a_leftover
from tribal.masking import MaskedSamples
from tribal.ports import TableContext
from tribal_contracts import (
    CatalogCheck,
    CatalogColumn,
    CatalogExclusion,
    CatalogForeignKey,
    CatalogIndex,
    CompositeField,
    IncomingKey,
)


def test_odd_labels_are_shown_as_they_are() -> None:
    enum = CatalogColumn(name="status", type="s.status", nullable=False, default_value=None)
    blank = enum.model_copy(update={"enum_values": ["", " ", "a, b", "c\td", "plain"]})
    assert say(make("s.orders", blank), "status").text == r"One of '', ' ', 'a, b', 'c\td', plain."


def test_personal_data_in_a_list_of_values_is_not_repeated() -> None:
    table = make("s.t", column("owner"), checks=["owner IN ('bob.miller@example.com', 'x')"])
    assert "bob.miller" not in say(table, "owner").text


def test_labels_of_which_some_are_hidden_are_no_list_of_values() -> None:
    labelled = column("state", "s.state").model_copy(update={"enum_values": ["open", "[email]"]})
    assert say(make("s.t", labelled), "state").text == ""


@given(st.text(min_size=1, max_size=30), st.text(max_size=30), st.text(max_size=40))
def test_any_name_and_type_can_be_described(name: str, kind: str, comment: str) -> None:
    table = make(f"s.{name}", column(name, kind, comment=comment), key=[name])
    assert RulesDescriber().describe_table(context(table)).columns[name].text


def test_a_key_that_is_several_things_says_them_all() -> None:
    table = make("s.t", column("x"), key=["x"], references={"s.a": (["x"], ["id"]), "s.b": (["x"], ["nr"])})
    assert say(table, "x").text == "Refers to s.a.id. Refers to s.b.nr. The primary key."


def test_who_refers_to_a_table_is_reported() -> None:
    incoming = IncomingKey(
        table="shop.sales.orders",
        from_table="shop.sales.order_line",
        key=CatalogForeignKey(
            name="fk",
            columns=["order_id"],
            references_schema="sales",
            references_table="orders",
            references_columns=["order_id"],
        ),
        nullable=False,
    )
    whole = TableContext("shop", "postgres", "sales", orders(), 10, (incoming,), {}, {})
    assert (
        RulesDescriber().describe_table(whole).table.text == "Refers to crm.customer. Referred to by sales.order_line."
    )


def test_pitfalls_become_notes() -> None:
    table = make(
        "sales.orders",
        column("promo_cd", nullable=True),
        column("deleted_at", "timestamp with time zone", nullable=True),
        column("seen", "timestamp without time zone"),
        references={"sales.promotion": (["promo_cd"], ["promo_cd"])},
    )
    text = notes(table)
    assert (
        "By its name, deleted_at marks deleted rows that stay in the table: the others have deleted_at IS NULL." in text
    )
    assert "promo_cd (to sales.promotion)" in text
    assert "Times without a time zone; which zone they mean is not declared: seen." in text
    assert "There is no primary key: rows may repeat." in text


def unique_index(*columns: str, predicate: str | None = None) -> CatalogIndex:
    return CatalogIndex(name="ux", columns=list(columns), unique=True, predicate=predicate)


@each_case(
    ("others", "said"),
    [
        ({}, "There is no primary key: rows may repeat."),
        ({"indexes": [unique_index("a")]}, "There is no primary key. Unique: a."),
        ({"indexes": [unique_index("a", "b")]}, "There is no primary key. Unique: a and b, unless b is NULL."),
        (
            {"indexes": [unique_index("a", predicate="(b > 0)")]},
            "There is no primary key. Unique: a where (b > 0).",
        ),
        ({"unique": [["a"]]}, "There is no primary key. Unique: a."),
        (
            {"exclusions": [CatalogExclusion(name="x", definition="EXCLUDE USING gist (a WITH &&)")]},
            "There is no primary key: rows differ as x says.",
        ),
    ],
)
def test_what_forbids_rows_to_repeat_is_named(others: dict[str, Any], said: str) -> None:
    assert notes(make("sales.orders", column("a"), column("b", nullable=True), **others)) == said


@each_case(
    ("others", "said"),
    [
        ({"inherits": ["s.all"]}, "Inherits from s.all: a query of that table reads these rows too."),
        ({"inherited_by": ["s.a"]}, "Inherited by s.a: a query reads their rows too, unless it says ONLY."),
        ({"row_security": True}, "Row-level security is on: each user sees only the rows that policies allow"),
        ({"kind": "materialized_view", "populated": False}, "It was never refreshed: reading it fails"),
        ({"kind": "foreign_table", "foreign_source": "t on server s"}, "outside of this database, in t on server s."),
        (
            {"kind": "partitioned_table", "partition_count": 1, "partition_key": "LIST (region)"},
            "The table is split into 1 partition by LIST (region), documented here as one.",
        ),
    ],
)
def test_what_decides_which_rows_a_query_reads_is_a_note(others: dict[str, Any], said: str) -> None:
    assert said in notes(make("sales.orders", column("a"), key=["a"], **others))


def test_constraints_that_existing_rows_may_violate_are_no_facts() -> None:
    table = make("s.t", column("p"), column("state", "text"), key=["p"], references={"s.parent": (["p"], ["id"])})
    key = table.foreign_keys[0].model_copy(update={"name": "k", "validated": False, "comment": "agreed with finance"})
    check = CatalogCheck(name="c", expression="(state = ANY (ARRAY['open'::text, 'paid'::text]))", validated=False)
    table = table.model_copy(update={"foreign_keys": [key, key], "checks": [check]})
    assert "Not validated, so that existing rows may lack their parent: p (to s.parent)." in notes(table)
    assert "The comment on the foreign key k: agreed with finance." in notes(table)
    assert say(table, "state").text == ""
    assert say(table, "p").text.count("Refers to s.parent.id.") == 1


def test_what_is_known_of_a_type_is_said_once_and_not_of_each_column() -> None:
    stamp = {"type": "s.stamp", "type_comment": "When a row was made"}
    address = {"type": "s.addr", "fields": [CompositeField(name="zip", type="text")]}
    columns = [column(name).model_copy(update=stamp) for name in ("created", "deleted")]
    table = make("s.t", *columns, column("home").model_copy(update=address), key=["created"])
    assert "The type s.stamp, of created and deleted: When a row was made." in notes(table)
    assert "The type s.addr, of home: it has the fields zip (text)." in notes(table)
    assert "row was made" not in say(table, "deleted").text


@each_case(
    ("table", "name", "kind", "nullable"),
    [
        ("sales.orders", "deleted_at", "timestamp with time zone", False),
        ("sales.orders", "archived", "boolean", True),
        ("sales.orders", "deleted_by_author", "boolean", True),
        ("sales.orders", "deleted", "integer", True),
        ("sales.order_history", "deleted_at", "timestamp with time zone", True),
    ],
)
def test_what_may_be_something_else_is_no_mark_of_a_deleted_row(
    table: str, name: str, kind: str, nullable: bool
) -> None:
    assert "deleted rows" not in notes(make(table, column(name, kind, nullable=nullable)))


def test_a_view_is_not_blamed_for_having_no_primary_key() -> None:
    assert "primary key" not in notes(make("sales.v_orders", column("a"), kind="view"))


def test_partitions_foreign_tables_and_refreshes_are_noted() -> None:
    assert "3 partitions" in notes(make("a.t", column("a"), kind="partitioned_table", partition_count=3))
    assert "outside of this database" in notes(make("a.t", column("a"), kind="foreign_table"))
    assert "last refresh" in notes(make("a.t", column("a"), kind="materialized_view"))


@each_case("name", ["tmp_mig_2019_bak", "orders_old", "orders_bkp", "deprecated_rates"])
def test_leftovers_are_recognised(name: str) -> None:
    assert looks_like_a_leftover(name)
    assert "By its name, a temporary table or an old copy" in notes(make(f"a.{name}", column("a")))


@each_case(
    "name",
    ["template", "temp_sensor", "household", "backup_job_run", "host_backup", "hard_copy", "old", "events_20240101"],
)
def test_tables_that_may_be_in_use_are_not_called_leftovers(name: str) -> None:
    assert not looks_like_a_leftover(name)


@each_case(
    ("name", "kind", "values", "said"),
    [
        ("valid_until_ms", "bigint", ("1764200000000",), "A time in milliseconds since 1970."),
        ("created_at", "bigint", ("1764200000", "0"), "A time in seconds since 1970."),
        ("valid_until_ms", "bigint", (), ""),
        ("created_ts", "bigint", ("17",), ""),
        ("duration_ms", "bigint", ("1764200000000",), "In milliseconds."),
        ("hasexpired", "boolean", (), ""),
        ("remindcompleted", "boolean", (), ""),
        ("loggingenabled", "boolean", (), ""),
        ("autogenerated", "boolean", (), "Whether it is autogenerated."),
        ("unassigned", "boolean", (), "Whether it is unassigned."),
        ("lastaccessed", "timestamp with time zone", (), ""),
        ("lastexecuted", "timestamp with time zone", (), ""),
        ("occured_at", "timestamp with time zone", (), ""),
        ("told", "timestamp with time zone", (), ""),
        ("expired", "boolean", (), "Whether it has expired."),
        ("onboarded_at", "timestamp with time zone", (), "When it was onboarded."),
    ],
)
def test_times_and_flags_are_read_only_where_their_names_and_values_say_so(
    name: str, kind: str, values: tuple[str, ...], said: str
) -> None:
    samples = {name: MaskedSamples(values=values)} if values else None
    assert say(make("s.t", column(name, kind), key=["id"]), name, samples).text == said


@each_case(
    ("samples", "said"),
    [
        (MaskedSamples(values=("open", "won")), "Values seen: open, won; there may be others."),
        (
            MaskedSamples(values=("open",), patterns=("Aaaa",), masked=True),
            "Values seen: open; others were seen and are not shown.",
        ),
        (MaskedSamples(patterns=("Aaaa",), masked=True), ""),
    ],
)
def test_values_that_were_seen_and_are_not_shown_are_mentioned(samples: MaskedSamples, said: str) -> None:
    assert say(make("s.t", column("x", "text"), key=["id"]), "x", {"x": samples}).text == said
