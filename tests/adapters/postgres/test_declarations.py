"""What `PostgresCatalog` reads of types, constraints and properties of tables beyond names and keys."""

from __future__ import annotations

from tests.plugins.postgres import FreshDatabase, OpenCatalog
from tribal.masking import redact_table
from tribal_demo.server.postgres import EmbeddedServer


def test_what_a_domain_or_composite_type_declares_is_reported_through_domains_in_between(
    server: EmbeddedServer, fresh_database: FreshDatabase, open_catalog: OpenCatalog
) -> None:
    dsn = fresh_database(
        "CREATE TYPE mood AS ENUM ('sad', 'ok'); CREATE DOMAIN d1 AS mood; CREATE DOMAIN d2 AS d1;"
        "CREATE DOMAIN dn AS int NOT NULL DEFAULT 7; CREATE DOMAIN dn2 AS dn;"
        "CREATE TYPE addr AS (street text, zip varchar(5));"
        "CREATE TABLE t (m d2, n dn, n2 dn2, own dn DEFAULT 8, a addr)",
        server=server,
    )
    (table,) = open_catalog(dsn).read().tables
    columns = {column.name: column for column in table.columns}
    assert columns["m"].enum_values == ["sad", "ok"]
    assert [(columns[name].nullable, columns[name].default_value) for name in ("n", "n2", "own", "m")] == [
        (False, "7"),
        (False, "7"),
        (False, "8"),
        (True, None),
    ]
    assert [(each.name, each.type) for each in columns["a"].fields or ()] == [
        ("street", "text"),
        ("zip", "character varying(5)"),
    ]


def test_constraints_that_existing_rows_were_not_compared_with_are_read_as_such(
    server: EmbeddedServer, fresh_database: FreshDatabase, open_catalog: OpenCatalog
) -> None:
    dsn = fresh_database(
        "CREATE TABLE p (id int PRIMARY KEY); CREATE DOMAIN positive AS int;"
        "ALTER DOMAIN positive ADD CONSTRAINT is_positive CHECK (VALUE > 0) NOT VALID;"
        "CREATE TABLE t (p int, qty positive, CONSTRAINT sure CHECK (p < 9));"
        "ALTER TABLE t ADD CONSTRAINT unsure CHECK (p > 0) NOT VALID;"
        "ALTER TABLE t ADD CONSTRAINT to_p FOREIGN KEY (p) REFERENCES p NOT VALID;"
        "COMMENT ON CONSTRAINT to_p ON t IS 'agreed'; COMMENT ON CONSTRAINT sure ON t IS 'surely'",
        server=server,
    )
    table = next(table for table in open_catalog(dsn).read().tables if table.table_name == "t")
    assert {check.name: (check.validated, check.comment) for check in table.checks} == {
        "sure": (None, "surely"),
        "unsure": (False, None),
        "qty: is_positive": (False, None),
    }
    assert [(key.validated, key.comment) for key in table.foreign_keys] == [(False, "agreed")]


def test_properties_that_decide_which_rows_a_query_sees_are_read(
    server: EmbeddedServer, fresh_database: FreshDatabase, open_catalog: OpenCatalog
) -> None:
    dsn = fresh_database(
        "CREATE TABLE booking (during tsrange, CONSTRAINT apart EXCLUDE USING gist (during WITH &&));"
        "CREATE TABLE doc (id int); ALTER TABLE doc ENABLE ROW LEVEL SECURITY;"
        "CREATE MATERIALIZED VIEW mv AS SELECT 1 AS x WITH NO DATA;"
        "CREATE FOREIGN DATA WRAPPER w; CREATE SERVER s FOREIGN DATA WRAPPER w;"
        "CREATE FOREIGN TABLE ft (id int) SERVER s OPTIONS (table_name 'remote', secret 'x');"
        "CREATE TABLE event (at date) PARTITION BY RANGE (at);"
        "CREATE TABLE old (id int); CREATE TABLE old_2023 (CHECK (id < 9)) INHERITS (old);"
        "INSERT INTO old SELECT 1 FROM generate_series(1, 10);"
        "INSERT INTO old_2023 SELECT 2 FROM generate_series(1, 5);"
        "ANALYZE",
        server=server,
    )
    contents = open_catalog(dsn).read()
    tables = {table.table_name: table for table in contents.tables}
    exclusions = [(each.name, each.definition) for each in tables["booking"].exclusions or []]
    assert exclusions == [("apart", "EXCLUDE USING gist (during WITH &&)")]
    assert tables["booking"].indexes == []
    assert (tables["doc"].row_security, tables["event"].row_security) == (True, None)
    assert (tables["mv"].populated, tables["ft"].foreign_source) == (False, "remote on server s")
    assert tables["event"].partition_key == "RANGE (at)"
    assert (tables["old"].inherited_by, tables["old_2023"].inherits) == (["public.old_2023"], ["public.old"])
    counts = {name: contents.statistics["public", name].row_count for name in ("old", "old_2023")}
    assert counts == {"old": 15, "old_2023": 5}


def test_literals_of_ddl_are_shown_as_the_server_writes_them_but_for_secrets_and_personal_values(
    server: EmbeddedServer, fresh_database: FreshDatabase, open_catalog: OpenCatalog
) -> None:
    dsn = fresh_database(
        "CREATE TABLE log (message text DEFAULT 'Success', note text DEFAULT 'Not assigned yet',"
        " last_name text CHECK (last_name <> 'Unknown'), password text DEFAULT 'Not assigned yet',"
        " sender text DEFAULT 'robot@example.com', dsn text DEFAULT 'postgresql://etl:Xk9mm2pL@db1/dwh',"
        " comment text GENERATED ALWAYS AS (coalesce(note, 'none at all')) STORED,"
        " EXCLUDE USING btree (note WITH =) WHERE (note <> 'Not assigned yet'));"
        "CREATE INDEX ON log (message) WHERE note = 'Not assigned yet';"
        "CREATE VIEW host AS SELECT 'ipv4 address'::text AS ip_address_family, '10.20.30.40'::text AS gateway",
        server=server,
    )
    read = {table.table_name: table for table in open_catalog(dsn).read().tables}
    log, host = (redact_table(read[name], "postgres") for name in ("log", "host"))
    assert {column.name: column.default_value or column.generated for column in log.columns} == {
        "message": "'Success'::text",
        "note": "'Not assigned yet'::text",
        "last_name": None,
        "password": "'[password]'::text",
        "sender": "'[email]'::text",
        "dsn": "'postgresql://[credentials]@db1/dwh'::text",
        "comment": "COALESCE(note, 'none at all'::text)",
    }
    assert (log.checks, log.exclusions, log.indexes) == (
        read["log"].checks,
        read["log"].exclusions,
        read["log"].indexes,
    )
    assert "'ipv4 address'::text AS ip_address_family" in (host.view_definition or "")
    assert "'[ip_address]'::text AS gateway" in (host.view_definition or "")
