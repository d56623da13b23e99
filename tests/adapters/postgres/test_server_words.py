"""What is shown of an error of the server: its SQLSTATE always, its words only where they cannot quote a row."""

from __future__ import annotations

import traceback

import pytest
from pg8000.exceptions import DatabaseError as ServerError

from tests.cases import each_case
from tests.plugins.postgres import FreshDatabase, OpenCatalog, administer, login, unique_name
from tribal.adapters.postgres.connections.errors import statement_error
from tribal.errors import DatabaseError
from tribal.settings.dsn import parse_dsn

ROW = "Oskarsdottir of Vik"
TARGET = parse_dsn("postgresql://reader@db.example.com/shop", environment={})
RAISED = {
    "22P02": {"M": f"ung\u00fcltige Eingabesyntax f\u00fcr Typ integer: \u00bb{ROW}\u00ab"},
    "22001": {"M": f"la valeur \u00ab {ROW} \u00bb est trop longue"},
    "23505": {"M": "duplicate key", "D": f"Key (name)=({ROW}) already exists."},
    "23514": {"M": f"la fila {ROW} viola una restricci\u00f3n"},
    "P0001": {"M": f"\u5024{ROW}\u306f\u4e0d\u6b63\u3067\u3059", "F": "pl_exec.c"},
    "XX000": {"M": f"parse error - {ROW}"},
    "38000": {"M": ROW},
    "42501": {"M": f"{ROW} may not be read", "W": "PL/pgSQL function refuse(text) line 1 at RAISE"},
    "57014": {"M": f"stopped at {ROW}", "F": "plpy_elog.c"},
}


@each_case(("code", "fields"), RAISED.items(), ids=RAISED)
def test_words_that_may_quote_a_row_are_left_out_and_the_code_stays(code: str, fields: dict[str, str]) -> None:
    error = statement_error(ServerError({"C": code, **fields}), "sampling 'sales.orders'", TARGET)

    assert "Oskarsdottir" not in error.message
    assert error.context is not None
    assert error.context["sqlstate"] == code


def test_words_about_structure_are_reported() -> None:
    fields = {"C": "42804", "M": "argument of WHERE must be type boolean", "F": "parse_coerce.c"}

    error = statement_error(ServerError(fields), "sampling 'sales.orders'", TARGET)

    assert "the server says: argument of WHERE must be type boolean" in error.message


def test_not_even_a_traceback_has_the_row(fresh_database: FreshDatabase, open_catalog: OpenCatalog) -> None:
    dsn = fresh_database(
        "CREATE TABLE t (id int PRIMARY KEY, v text); ALTER TABLE t ENABLE ROW LEVEL SECURITY;"
        f"CREATE POLICY p ON t USING (v::int > 0); INSERT INTO t VALUES (1, '{ROW}')"
    )
    role = unique_name("reader")
    administer(dsn, f"CREATE ROLE {role} LOGIN PASSWORD 'pw'; GRANT SELECT ON t TO {role}")
    try:
        catalog = open_catalog(login(dsn, role, "pw"))
        table = next(table for table in catalog.read().tables if table.table_name == "t")
        with pytest.raises(DatabaseError, match="SQLSTATE 22P02") as raised:
            catalog.sample(table, 10)
        catalog.close()
    finally:
        administer(dsn, f"DROP OWNED BY {role}; DROP ROLE {role}")

    assert "Oskarsdottir" not in "".join(traceback.format_exception(raised.value))
