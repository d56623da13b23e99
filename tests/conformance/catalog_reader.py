"""What every `CatalogReader` does. A test module imports `*` from here and supplies these fixtures:

`expected`  how the server spells names and types;
`reader`    a reader, as a user with few rights, of a database seeded as `SEED` says, which no test changes;
`lent`      the same on a database of its own, with what is needed to change it behind the reader's back.

The user may read everything of `sales` and `depot` except the table `closed`, and may not use the schema `vault`.
Besides `SEED` the tables have these rows: `customer` has 30, numbered from 1, whose names are 1,000 characters long;
`orders` has 30, half of region `east` and half of `west`; `no_key` has 30; `closed` and `secret` one each; the others
none.

Not every server can keep every claim. Some tell the same of what was dropped and of what is hidden, and some have no
read-only transactions: `Expected` says which, and then the claim is what the reader may say without knowing more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest

from tribal.errors import AccessDenied, TableGone
from tribal.ports import CatalogContents, CatalogReader, SchemaAndTable
from tribal_contracts import CatalogTable, TableKind

VALUE_LENGTH = 200
WRONG_PASSWORD = "correct-horse-battery"


@dataclass(frozen=True)
class SeedColumn:
    """A column; `type` is one of the keys of `Expected.types`."""

    name: str
    type: str
    nullable: bool = False
    comment: str | None = None


@dataclass(frozen=True)
class SeedKey:
    """A foreign key; the table is of the same schema."""

    columns: tuple[str, ...]
    table: str
    references: tuple[str, ...]


@dataclass(frozen=True)
class SeedTable:
    """A table or view of the seed; `quoted` names are stored as they stand on every server."""

    schema: str
    name: str
    columns: tuple[SeedColumn, ...]
    kind: TableKind = "table"
    primary_key: tuple[str, ...] = ()
    foreign_keys: tuple[SeedKey, ...] = ()
    comment: str | None = None
    quoted: bool = False
    selectable: bool = True


_ID = SeedColumn("id", "integer")
SEED = (
    SeedTable(
        "depot", "Order Items", (_ID, SeedColumn("qty", "integer", nullable=True)), primary_key=("id",), quoted=True
    ),
    SeedTable("depot", "closed", (_ID,), primary_key=("id",), selectable=False),
    SeedTable(
        "depot", "no_key", (SeedColumn("n", "integer", nullable=True), SeedColumn("note", "text", nullable=True))
    ),
    SeedTable("depot", 'quote"inside', (_ID,), primary_key=("id",), quoted=True),
    SeedTable("depot", "with.dot", (_ID,), primary_key=("id",), quoted=True),
    SeedTable(
        "sales",
        "customer",
        (
            SeedColumn("customer_id", "integer"),
            SeedColumn("full_name", "text", comment="First and last name; don't shorten."),
            SeedColumn("referred_by", "integer", nullable=True),
        ),
        primary_key=("customer_id",),
        foreign_keys=(SeedKey(("referred_by",), "customer", ("customer_id",)),),
        comment='Who buys, "on account" or not.',
    ),
    SeedTable(
        "sales",
        "open_orders",
        (SeedColumn("region", "text", nullable=True), SeedColumn("order_no", "integer", nullable=True)),
        kind="view",
        comment="Orders of every region.",
    ),
    SeedTable(
        "sales",
        "order_line",
        (
            SeedColumn("line_no", "integer"),
            SeedColumn("order_no", "integer"),
            SeedColumn("region", "text"),
            SeedColumn("sku", "text", nullable=True),
        ),
        primary_key=("region", "order_no", "line_no"),
        foreign_keys=(SeedKey(("region", "order_no"), "orders", ("region", "order_no")),),
    ),
    SeedTable(
        "sales",
        "orders",
        (
            SeedColumn("order_no", "integer"),
            SeedColumn("region", "text"),
            SeedColumn("customer_id", "integer"),
            SeedColumn("billed_to", "integer", nullable=True),
        ),
        primary_key=("region", "order_no"),
        foreign_keys=(
            SeedKey(("billed_to",), "customer", ("customer_id",)),
            SeedKey(("customer_id",), "customer", ("customer_id",)),
        ),
    ),
)
SALES_COMMENT = "What is sold, and to whom."


@dataclass(frozen=True)
class Expected:
    """How a server spells what `SEED` says."""

    server_database: str
    user: str
    fold: Callable[[str], str]
    """The stored form of a name written without quotes."""
    types: Mapping[str, str]
    """The server's spelling of `integer` and `text`."""
    grantee: str
    """Who a privilege is granted to, in SQL."""
    tells_gone_from_hidden: bool = True
    """Whether the server tells of any name whether there is such a table, and counts those that are hidden."""
    remembers_drops: bool = True
    """Whether it can be learnt that a table was dropped."""
    lists_hidden_schemas: bool = True
    has_read_only_transactions: bool = True

    def name(self, schema: str, table: str, *, quoted: bool = False) -> SchemaAndTable:
        """A table's name as it is stored."""
        return self.fold(schema), table if quoted else self.fold(table)


@dataclass(frozen=True)
class LentDatabase:
    """A seeded database that a test may change."""

    reader: CatalogReader
    administer: Callable[[str], object]
    """Run a statement as someone who may."""
    write_through: Callable[[CatalogReader, str], object]
    """Send a statement on a connection as the reader opens it for its own work."""
    open: Callable[[], CatalogReader]
    open_with_password: Callable[[str], CatalogReader]
    open_at_host: Callable[[str], CatalogReader]


def find_table(contents: CatalogContents, name: SchemaAndTable) -> CatalogTable:
    return next(table for table in contents.tables if (table.schema_name, table.table_name) == name)


def _outline(seed: SeedTable, expected: Expected) -> dict[str, object]:
    fold = expected.fold
    schema, name = expected.name(seed.schema, seed.name, quoted=seed.quoted)
    return {
        "name": (schema, name),
        "kind": seed.kind,
        "comment": seed.comment,
        "columns": [(fold(c.name), expected.types[c.type], c.nullable, c.comment) for c in seed.columns],
        "primary_key": [fold(column) for column in seed.primary_key],
        "foreign_keys": sorted(
            ([fold(c) for c in key.columns], schema, fold(key.table), [fold(c) for c in key.references])
            for key in seed.foreign_keys
        ),
        "selectable": seed.selectable,
    }


def _outline_of(table: CatalogTable) -> dict[str, object]:
    return {
        "name": (table.schema_name, table.table_name),
        "kind": table.kind,
        "comment": table.comment,
        "columns": [(c.name, c.type, c.nullable, c.comment) for c in table.columns],
        "primary_key": table.primary_key.columns if table.primary_key else [],
        "foreign_keys": sorted(
            (key.columns, key.references_schema, key.references_table, key.references_columns)
            for key in table.foreign_keys
        ),
        "selectable": table.selectable,
    }


def test_the_structure_is_read_as_it_was_declared_in_order_of_schema_and_name(
    reader: CatalogReader, expected: Expected
) -> None:
    contents = reader.read()
    outlines = sorted((_outline(seed, expected) for seed in SEED), key=lambda outline: str(outline["name"]))
    assert sorted(map(_outline_of, contents.tables), key=lambda outline: str(outline["name"])) == outlines
    names = [(table.schema_name, table.table_name) for table in contents.tables]
    assert names == sorted(names)
    assert (contents.server_database, bool(contents.server_version)) == (expected.server_database, True)


def test_schemas_are_listed_with_comments_and_the_one_without_access_as_unreadable(
    reader: CatalogReader, expected: Expected
) -> None:
    contents = reader.read()
    schemas = {schema.name: schema.comment for schema in contents.schemas}
    assert schemas[expected.fold("sales")] == SALES_COMMENT
    assert schemas[expected.fold("depot")] is None
    assert contents.unreadable_schemas == ((expected.fold("vault"),) if expected.lists_hidden_schemas else ())
    assert expected.fold("vault") not in schemas
    assert list(schemas) == sorted(schemas)


def test_a_view_has_its_definition_and_a_table_none(reader: CatalogReader, expected: Expected) -> None:
    contents = reader.read()
    definition = find_table(contents, expected.name("sales", "open_orders")).view_definition
    assert definition is not None
    assert "orders" in definition.lower()
    assert find_table(contents, expected.name("sales", "orders")).view_definition is None


def test_every_table_has_statistics_and_unknown_is_minus_one_never_a_guess(reader: CatalogReader) -> None:
    contents = reader.read()
    assert set(contents.statistics) == {(table.schema_name, table.table_name) for table in contents.tables}
    assert all(each.row_count >= -1 and each.size_bytes >= -1 for each in contents.statistics.values())


def test_two_reads_of_the_same_database_are_equal(lent: LentDatabase) -> None:
    first = lent.reader.read()
    other = lent.open()
    try:
        assert other.read() == first
        assert lent.reader.read() == first
    finally:
        other.close()


def test_a_sample_holds_at_most_the_rows_asked_for_in_order_of_the_key(
    reader: CatalogReader, expected: Expected
) -> None:
    contents = reader.read()
    customers = reader.sample(find_table(contents, expected.name("sales", "customer")), 7)
    assert [row[0] for row in customers.rows] == [str(number) for number in range(1, 8)]
    assert customers.columns == tuple(map(expected.fold, ("customer_id", "full_name", "referred_by")))
    assert len(reader.sample(find_table(contents, expected.name("sales", "customer")), 50).rows) == 30
    assert reader.sample(find_table(contents, expected.name("sales", "customer")), 0).rows == ()
    orders = reader.sample(find_table(contents, expected.name("sales", "orders")), 20)
    assert [row[1] for row in orders.rows] == ["east"] * 15 + ["west"] * 5


def test_sample_values_are_text_or_null_and_cut_to_a_bounded_length(reader: CatalogReader, expected: Expected) -> None:
    sample = reader.sample(find_table(reader.read(), expected.name("sales", "customer")), 30)
    assert {len(row[1] or "") for row in sample.rows} == {VALUE_LENGTH}
    assert sample.rows[0][2] is None
    assert all(value is None or isinstance(value, str) for row in sample.rows for value in row)


def test_a_sample_is_the_same_every_time_with_a_key_and_without(lent: LentDatabase, expected: Expected) -> None:
    contents = lent.reader.read()
    other = lent.open()
    try:
        for name in ("no_key", "closed"):
            lent.administer(f"GRANT SELECT ON TABLE depot.{name} TO {expected.grantee}")
            table = find_table(contents, expected.name("depot", name))
            first = lent.reader.sample(table, 5)
            assert first == lent.reader.sample(table, 5) == other.sample(table, 5)
            assert len(first.rows) == (5 if name == "no_key" else 1)
    finally:
        other.close()


def test_tables_with_odd_names_and_empty_tables_give_empty_samples(reader: CatalogReader, expected: Expected) -> None:
    contents = reader.read()
    for name in ("Order Items", "with.dot", 'quote"inside'):
        table = find_table(contents, expected.name("depot", name, quoted=True))
        sample = reader.sample(table, 5)
        assert sample.rows == ()
        assert sample.columns == tuple(column.name for column in table.columns)


def test_many_threads_may_sample_at_once(reader: CatalogReader, expected: Expected) -> None:
    contents = reader.read()
    tables = [find_table(contents, expected.name("sales", name)) for name in ("customer", "orders")] * 10
    alone = [reader.sample(table, 5) for table in tables]
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(lambda table: reader.sample(table, 5), tables)) == alone


def test_a_table_that_may_not_be_selected_from_is_denied_with_the_grant_that_mends_it(
    lent: LentDatabase, expected: Expected
) -> None:
    table = find_table(lent.reader.read(), expected.name("depot", "closed"))
    with pytest.raises(AccessDenied, match=r"GRANT SELECT ON .*;") as denied:
        lent.reader.sample(table, 5)
    lent.administer(denied.value.message[denied.value.message.index("GRANT") :])
    assert len(lent.reader.sample(table, 5).rows) == 1


def test_a_table_is_present_or_gone_or_hidden(reader: CatalogReader, expected: Expected) -> None:
    never = "gone" if expected.tells_gone_from_hidden else "unreadable"
    asked = {
        expected.name("sales", "customer"): "present",
        expected.name("sales", "open_orders"): "present",
        expected.name("depot", "with.dot", quoted=True): "present",
        expected.name("depot", 'quote"inside', quoted=True): "present",
        expected.name("depot", "closed"): "present",
        expected.name("sales", "customers"): never,
        expected.name("sales", "with.dot", quoted=True): never,
        ("no such schema", "customer"): never,
        (expected.fold("sales"), "x" * 5_000): "gone",
        (expected.fold("sales"), "NUL\x00inside"): "gone",
        (expected.fold("sales"), "'; DROP TABLE \"x"): never,
        expected.name("vault", "secret"): "unreadable",
    }
    assert reader.presence(list(asked)) == asked
    assert reader.presence([]) == {}


def test_every_table_that_is_read_is_present(reader: CatalogReader) -> None:
    names = [(table.schema_name, table.table_name) for table in reader.read().tables]
    assert set(reader.presence(names).values()) == {"present"}


def test_a_table_dropped_after_reading_is_gone_where_that_can_be_known_and_the_others_are_not(
    lent: LentDatabase, expected: Expected
) -> None:
    contents = lent.reader.read()
    lent.administer("DROP TABLE sales.order_line")
    dropped, kept = expected.name("sales", "order_line"), expected.name("sales", "orders")
    certain = expected.remembers_drops
    with pytest.raises(TableGone if certain else AccessDenied, match=expected.fold("order_line")):
        lent.reader.sample(find_table(contents, dropped), 5)
    assert lent.reader.presence([dropped, kept]) == {dropped: "gone" if certain else "unreadable", kept: "present"}
    assert len(lent.reader.sample(find_table(contents, kept), 5).rows) == 5
    assert dropped not in {(table.schema_name, table.table_name) for table in lent.reader.read().tables}
