"""The sample company, on real servers of both versions, started once."""

from collections.abc import Callable, Iterator, Sequence
from urllib.parse import urlsplit

import pytest
from pg8000.native import Connection

from tests.cases import each_case
from tests.plugins.postgres import administer, connected, new_database, unique_name
from tribal_demo import COMPANY_SQL
from tribal_demo.server.installation import PostgresVersion
from tribal_demo.server.postgres import EmbeddedServer

TABLES = """
    SELECT c.oid, nspname, c.oid::regclass::text AS name, relkind, relispartition, reltuples
    FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = relnamespace
    WHERE relkind IN ('r', 'p') AND nspname !~ '^pg_' AND nspname <> 'information_schema'
"""

UNDECLARED_KEYS = [
    ("crm.customer", "acct_mgr_emp_no", "people.employee", "emp_no"),
    ("sales.orders", "curr_cd", "billing.currency", "curr_cd"),
    ("stock.purchase_order", "buyer_emp_no", "people.employee", "emp_no"),
    ("stock.movement", "emp_no", "people.employee", "emp_no"),
    ("billing.credit_note", "rma_no", "sales.return_request", "rma_no"),
    ("support.ticket", "order_no", "sales.orders", "order_no"),
    ("audit.login_evt", "emp_no", "people.employee", "emp_no"),
]


def contents(connection: Connection) -> dict[str, list[str]]:
    """Returns the rows of every table, in the order in which they are stored."""
    names = [name for (name,) in connection.run(f"SELECT name FROM ({TABLES}) AS t WHERE relkind = 'r' ORDER BY name")]
    return {name: [text for (text,) in connection.run(f"SELECT t::text FROM {name} AS t")] for name in names}


def foreign_keys(connection: Connection) -> set[str]:
    """Returns the declared keys as `child FOREIGN KEY (columns) REFERENCES parent(columns)`."""
    definitions = connection.run(
        "SELECT conrelid::regclass || ' ' || pg_get_constraintdef(oid) FROM pg_constraint WHERE contype = 'f'"
    )
    return {definition.partition(" ON ")[0] for (definition,) in definitions}


@pytest.fixture(scope="module", params=[16, 18], ids="PostgreSQL {}".format)
def server(
    request: pytest.FixtureRequest, postgres_servers: Callable[[PostgresVersion], EmbeddedServer]
) -> EmbeddedServer:
    server = postgres_servers(request.param)
    server.ensure_database("company", COMPANY_SQL)
    return server


@pytest.fixture(scope="module")
def company(server: EmbeddedServer) -> Iterator[Connection]:
    with connected(server.dsn("company")) as connection:
        yield connection


def test_the_sample_has_some_forty_tables_in_eight_schemas(company: Connection) -> None:
    tables = company.run(f"SELECT nspname, name FROM ({TABLES}) AS t WHERE NOT relispartition")
    assert 38 <= len(tables) <= 50
    assert {schema for schema, _ in tables} == set("audit billing crm people public sales stock support".split())


def test_every_table_has_rows_but_the_two_that_are_empty_on_purpose(company: Connection) -> None:
    rows = contents(company)
    assert {name for name in rows if not rows[name]} == {"sales.quote", "audit.change_log_dflt"}
    assert 3000 <= sum(map(len, rows.values())) <= 5000


def test_row_estimates_are_exact(company: Connection) -> None:
    estimates = dict(company.run(f"SELECT name, reltuples FROM ({TABLES}) AS t WHERE relkind = 'r'"))
    assert estimates == {name: len(rows) for name, rows in contents(company).items()}


def test_a_third_of_the_tables_and_a_sixth_of_the_columns_carry_a_comment(company: Connection) -> None:
    [[tables, columns]] = company.run(
        f"WITH t AS ({TABLES}) SELECT "
        "(SELECT avg((obj_description(oid, 'pg_class') IS NOT NULL)::int) FROM t WHERE NOT relispartition), "
        "(SELECT avg((col_description(attrelid, attnum) IS NOT NULL)::int) "
        "FROM t JOIN pg_attribute ON attrelid = oid WHERE attnum > 0 AND NOT relispartition)"
    )
    assert 0.3 < tables < 0.4
    assert 0.15 < columns < 0.19


@each_case(("child", "column", "parent", "parent_column"), UNDECLARED_KEYS)
def test_an_undeclared_key_finds_its_rows_nearly_always(
    company: Connection, child: str, column: str, parent: str, parent_column: str
) -> None:
    assert not [key for key in foreign_keys(company) if key.startswith(f"{child} FOREIGN KEY ({column})")]
    [[share]] = company.run(
        f"SELECT avg((p.{parent_column} IS NOT NULL)::int) "
        f"FROM {child} AS c LEFT JOIN {parent} AS p ON p.{parent_column} = c.{column} WHERE c.{column} IS NOT NULL"
    )
    assert 0.9 < share <= 1


def test_declared_keys_come_in_every_shape(company: Connection) -> None:
    assert foreign_keys(company) >= {
        "people.employee FOREIGN KEY (mgr_emp_no) REFERENCES people.employee(emp_no)",
        "people.employee FOREIGN KEY (dept_cd) REFERENCES people.department(dept_cd)",
        "people.department FOREIGN KEY (mgr_emp_no) REFERENCES people.employee(emp_no)",
        "sales.orders FOREIGN KEY (bill_to_addr_id) REFERENCES crm.address(addr_id)",
        "sales.orders FOREIGN KEY (ship_to_addr_id) REFERENCES crm.address(addr_id)",
        "sales.return_request FOREIGN KEY (order_id, line_no) REFERENCES sales.order_line(order_id, line_no)",
        "billing.invoice_line FOREIGN KEY (order_id, order_line_no) REFERENCES sales.order_line(order_id, line_no)",
        "stock.movement FOREIGN KEY (from_whse_cd, from_bin_cd) REFERENCES stock.bin(whse_cd, bin_cd)",
        "stock.movement FOREIGN KEY (to_whse_cd, to_bin_cd) REFERENCES stock.bin(whse_cd, bin_cd)",
    }


@each_case(
    "oddity",
    [
        "pg_type WHERE typtype = 'e' AND oid = 'sales.order_status'::regtype",
        "pg_type WHERE typtype = 'd' AND oid = 'public.iban'::regtype",
        "pg_inherits WHERE inhparent = 'audit.change_log'::regclass OFFSET 2",
        "pg_class WHERE oid = 'billing.mv_revenue_month'::regclass AND relkind = 'm' AND relispopulated",
        "pg_class WHERE relkind = 'v' AND relname LIKE 'v\\_%' OFFSET 2",
        "pg_index WHERE indisunique AND indpred IS NOT NULL AND indrelid = 'crm.customer'::regclass",
        "pg_attribute WHERE attgenerated = 's' AND attrelid = 'stock.stock_level'::regclass",
        "pg_attribute WHERE attidentity = 'a' AND attrelid = 'sales.orders'::regclass",
        "pg_attribute WHERE atttypid = 'jsonb'::regtype AND attrelid = 'stock.product'::regclass",
        "pg_attribute WHERE atttypid = 'text[]'::regtype AND attrelid = 'crm.customer'::regclass",
        "pg_constraint WHERE contype = 'c' AND pg_get_constraintdef(oid) LIKE '%writeoff%'",
        "crm.customer WHERE deleted_at IS NOT NULL",
        "crm.contact WHERE email LIKE '%@example.org' AND birth_dt IS NOT NULL",
    ],
)
def test_the_sample_has(company: Connection, oddity: str) -> None:
    assert company.run(f"SELECT 1 FROM {oddity}")


def test_the_forgotten_table_has_neither_key_nor_comment(company: Connection) -> None:
    table = "'public.tmp_mig_2019_bak'::regclass"
    assert not company.run(f"SELECT 1 FROM pg_constraint WHERE conrelid = {table}")
    assert not company.run(f"SELECT 1 FROM pg_description WHERE objoid = {table}")


def test_both_versions_hold_the_same_rows_in_the_same_order(
    postgres_servers: Callable[[PostgresVersion], EmbeddedServer],
) -> None:
    rows = []
    versions: Sequence[PostgresVersion] = (16, 18)
    for version in versions:
        server = postgres_servers(version)
        server.ensure_database("company", COMPANY_SQL)
        with connected(server.dsn("company")) as connection:
            rows.append(contents(connection))
    old, new = rows
    assert old == new


def test_the_owner_of_a_database_loads_the_sample_a_second_time_with_the_same_rows(
    server: EmbeddedServer, company: Connection
) -> None:
    with new_database(server) as dsn:
        clerk = unique_name("clerk")
        name = urlsplit(dsn).path.removeprefix("/")
        administer(dsn, f"CREATE ROLE {clerk} LOGIN PASSWORD 'p:@/ß'; ALTER DATABASE {name} OWNER TO {clerk}")
        server.load(name, COMPANY_SQL, user=clerk)
        with connected(server.dsn(name, clerk, "p:@/ß")) as second:
            assert contents(second) == contents(company)
