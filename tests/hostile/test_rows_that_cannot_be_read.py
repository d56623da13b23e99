"""Where rows cannot be read, only the samples are missing: everything else is documented from the catalog."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.edges.cli.tribal_command import tribal
from tests.hostile.test_obstacles import a_new_role
from tests.plugins.postgres import FreshDatabase, administer, login, start_server
from tribal_demo.server.postgres import EmbeddedServer

STATES = ("08006", "57P01", "57P03", "53300", "42P01", "3F000", "42703", "42501", "XX000")
RAISING = "".join(
    f"""
    CREATE FUNCTION fail_{state}() RETURNS boolean LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '{state}'; END $$;
    CREATE TABLE t_{state} (id int PRIMARY KEY, v text); COMMENT ON TABLE t_{state} IS 'Fails with {state}.';
    INSERT INTO t_{state} VALUES (1, 'x'); ALTER TABLE t_{state} ENABLE ROW LEVEL SECURITY;
    CREATE POLICY p ON t_{state} USING (fail_{state}());
    CREATE VIEW v_{state} AS SELECT fail_{state}() AS failed;
    """
    for state in STATES
)
SHOP = f"""{RAISING}
CREATE TABLE fine (id int PRIMARY KEY, t_id int); INSERT INTO fine VALUES (1, 1);
CREATE TABLE closed (id int PRIMARY KEY); CREATE VIEW of_closed WITH (security_invoker) AS SELECT id FROM closed;
"""
FOREIGN = """
CREATE EXTENSION postgres_fdw;
CREATE SERVER down FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '127.0.0.1', port '1', dbname 'x');
CREATE USER MAPPING FOR PUBLIC SERVER down OPTIONS (user 'u', password 'p');
CREATE TABLE till (id int PRIMARY KEY); INSERT INTO till VALUES (1);
CREATE TABLE branch (id int PRIMARY KEY, sale_id int, till_id int); INSERT INTO branch VALUES (1, 1, 1);
CREATE TABLE sale (id int, sold date) PARTITION BY RANGE (sold); COMMENT ON TABLE sale IS 'Sales by year.';
CREATE TABLE sale_new PARTITION OF sale FOR VALUES FROM ('2025-01-01') TO ('2026-01-01');
CREATE FOREIGN TABLE sale_old PARTITION OF sale FOR VALUES FROM ('2024-01-01') TO ('2025-01-01') SERVER down;
CREATE TABLE event (id int, place text); COMMENT ON TABLE event IS 'Events of every server.';
CREATE FOREIGN TABLE event_there () INHERITS (event) SERVER down;
CREATE VIEW v_sale AS SELECT s.*, b.id AS branch FROM sale s JOIN branch b ON b.sale_id = s.id;
"""


@pytest.fixture
def debian_server() -> Iterator[EmbeddedServer]:
    """Debian's server, which has `postgres_fdw`."""
    # Its initdb needs every folder above the data to be open to the server's account, which pytest's are not.
    with TemporaryDirectory() as folder, start_server(Path(folder), 15) as server:
        yield server


def configure(folder: Path, dsn: str) -> None:
    (folder / "databases.yaml").write_text(f"databases: [{{name: shop, dsn: '{dsn}', sample_views: true}}]\n")


def warnings_by_table(output: str) -> dict[str, str]:
    record = json.loads(output)
    assert record["tables_failed"] == 0, record
    assert all(error["severity"] == "warning" for error in record["errors"])
    return {error["context"]["table"].rpartition(".")[2]: error["message"] for error in record["errors"]}


def test_a_relation_that_raises_whatever_state_is_documented_and_named_in_a_warning(
    tmp_path: Path, fresh_database: FreshDatabase
) -> None:
    dsn = fresh_database(SHOP)
    with a_new_role(dsn) as role:
        administer(dsn, f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role}; REVOKE ALL ON closed FROM {role}")
        configure(tmp_path, login(dsn, role, "pw"))
        ran = tribal("run", "--json", cwd=tmp_path)
        assert ran.returncode == 0, ran.stderr
        said = warnings_by_table(ran.stdout)
        assert set(said) == {f"{kind}_{state.lower()}" for kind in "tv" for state in STATES} | {"closed", "of_closed"}
        assert not any(
            "connection" in message or "GRANT SELECT ON TABLE public.t_" in message for message in said.values()
        )
        assert said["of_closed"].endswith(f"GRANT SELECT ON TABLE public.closed TO {role};")
        again = tribal("run", cwd=tmp_path)
    assert again.returncode == 0
    last = again.stderr.strip().splitlines()[-1]
    total = 2 * len(STATES) + 2
    assert last.startswith(f"no samples for {total} of {total + 1} tables: the server reports an error (")
    assert last.endswith("; see `tribal check`")
    page = next(tmp_path.glob("docs/shop/*/public.t_08006.md")).read_text()
    assert "Fails with 08006." in page


def test_a_foreign_server_that_is_down_costs_only_the_samples_and_comparisons_of_what_it_holds(
    tmp_path: Path, debian_server: EmbeddedServer, fresh_database: FreshDatabase
) -> None:
    dsn = fresh_database(FOREIGN, server=debian_server)
    configure(tmp_path, dsn)
    ran = tribal("run", "--json", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    said = warnings_by_table(ran.stdout)
    assert set(said) == {"sale", "event", "v_sale"}
    assert all('could not connect to server "down"' in message for message in said.values())
    assert "Sales by year." in next(tmp_path.glob("docs/shop/*/public.sale.md")).read_text()

    (file,) = (tmp_path / "catalog").glob("*/inferred-keys.json")
    compared = {
        (pair["from_table"].rpartition(".")[2], pair["to_table"].rpartition(".")[2]): pair.get("compared")
        for pair in json.loads(file.read_bytes())["comparisons"]
    }
    assert compared == {("branch", "sale"): None, ("branch", "till"): 1}
