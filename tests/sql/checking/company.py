"""Tables of a small company, as a check knows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tribal.sql.checking.keys import KeyIndex
from tribal.sql.checking.known import KnownColumn, KnownTable, KnownTables
from tribal_contracts import DatabaseType, KeyEdge

INVOICE_STATUS = ("open", "paid", "void")


def known(dialect: DatabaseType = "postgres", search_path: Sequence[str] = ()) -> KnownTables:
    """Customers, their orders with lines, returns of lines, and invoices."""
    tables = [
        _table("public.customer", "id integer, name text, country text", "id"),
        _table("public.orders", "id integer, customer_id integer, total numeric(10,2), ordered_at date", "id"),
        _table("public.order_line", "order_id integer, line_no smallint, amount numeric", "order_id line_no"),
        _table("public.return_request", "id integer, order_id integer, line_no smallint", "id"),
        _table("public.invoice", "id integer, order_id integer, status text, amount numeric", "id", INVOICE_STATUS),
        _table("public.MonthlyStat", "Month date, Revenue numeric", "Month"),
        _table("crm.contact", "id integer, customer_id integer, email text", "id"),
    ]
    if dialect == "snowflake":
        tables = [_upper(each) for each in tables]
    keys = [
        _key("orders", "customer_id", "customer", "id"),
        _key("order_line", "order_id", "orders", "id"),
        _key("return_request", "order_id line_no", "order_line", "order_id line_no"),
        _key("invoice", "order_id", "orders", "id"),
    ]
    index = KeyIndex(keys)
    known = KnownTables.of(tables, dialect)
    return replace(known, keys=lambda: index, search_path=search_path, database=frozenset(["shop"]))


def _table(name: str, columns: str, key: str, values: tuple[str, ...] = ()) -> KnownTable:
    schema, _, table = name.partition(".")
    listed = [
        KnownColumn(column, type_name, values if column == "status" else ())
        for column, _, type_name in (each.strip().partition(" ") for each in columns.replace("(10,2)", "").split(","))
    ]
    return KnownTable(f"shop.{name}", schema, table, listed, [frozenset(key.split())])


def _upper(table: KnownTable) -> KnownTable:
    columns = [KnownColumn(each.name.upper(), each.type, each.allowed_values) for each in table.columns]
    keys = [frozenset(name.upper() for name in key) for key in table.keys]
    return KnownTable(table.name.upper(), table.schema.upper(), table.table.upper(), columns, keys)


def _key(table: str, columns: str, to_table: str, to_columns: str) -> KeyEdge:
    return KeyEdge(
        name=f"{table}_{to_table}",
        from_table=f"shop.public.{table}",
        from_columns=columns.split(),
        to_table=f"shop.public.{to_table}",
        to_columns=to_columns.split(),
        nullable=False,
        source="declared",
    )
