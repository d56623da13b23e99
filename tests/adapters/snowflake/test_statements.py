"""`statements()` lists every statement that is sent, and every listed one is sent."""

from __future__ import annotations

import re

from tests.adapters.snowflake.readers import DATABASE, new_account, reading, see_all
from tests.cases import each_case
from tests.fakes.snowflake import Column, FakeSnowflake, Key
from tests.fakes.snowflake.connecting import ROLE, WAREHOUSE
from tribal.adapters.snowflake import statements
from tribal.adapters.snowflake.sampler import LARGE_TABLE_BYTES
from tribal.ports import CatalogReader
from tribal_contracts import CatalogTable

_NAME = r'"(?:[^"]|"")+"'
_TEXT = r"'(?:[^'\\]|''|\\.)*'"
_PLACEHOLDERS = {
    "scope": "(?:DATABASE|SCHEMA|TABLE|VIEW)",
    "place": rf"{_NAME}(?:\.{_NAME})*",
    "role": rf"{_NAME}(?:\.{_NAME})*",
    "rows": r"\d+",
    "hours": r"\d+",
    "columns": r"[^;]+?",
    "order": rf"(?:{_NAME}|\d+)(?:, (?:{_NAME}|\d+))*",
    "percent": r"[\d.]+",
    "schemas": rf"{_TEXT}(?:, {_TEXT})*",
    "tables": rf"{_TEXT}(?:, {_TEXT})*",
}


def _as_pattern(template: str) -> re.Pattern[str]:
    parts = re.split(r"\{(\w+)\}", template)
    # Where the same name is an identifier in one statement and a text in another, both fit.
    either = rf"(?:{_NAME}|{_TEXT})"
    filled = [
        re.escape(part) if place % 2 == 0 else _PLACEHOLDERS.get(part, either) for place, part in enumerate(parts)
    ]
    return re.compile("".join(filled), re.DOTALL)


_PATTERNS = {statement.sql: _as_pattern(statement.sql) for statement in statements.STATEMENTS}


def _told(sql: str) -> str | None:
    return next((template for template, pattern in _PATTERNS.items() if pattern.fullmatch(sql)), None)


def _seed(fake: FakeSnowflake) -> None:
    schema = new_account(fake)
    for name in ("ONE", 'it\'s "TWO"'):
        made = schema(name)
        for number in range(25):
            made.table(f"T'{number:02}", [Column("A"), Column("B"), Column("C")], primary_key=Key(("A", "B"), "PK"))
            made.view(f"V{number:02}", "create view V as select 1 as X", ["X NUMBER"])
    schema("FAST").table("FAST", ["ID NUMBER"], kind="hybrid")
    schema("FAST").table("LARGE", ["ID NUMBER"], rows=[(1,)], bytes=LARGE_TABLE_BYTES + 1)
    fake.account.database(DATABASE).schema("HIDDEN")
    fake.account.role(ROLE).database_roles |= {
        ("SNOWFLAKE", "OBJECT_VIEWER"),
        ("SNOWFLAKE", "GOVERNANCE_VIEWER"),
        (DATABASE, "OWN_VIEWER"),
    }
    see_all(fake, privilege="SELECT")


def _use_everything(fake: FakeSnowflake) -> None:
    with reading(fake) as reader:
        reader.access()
    fake.limits.show_rows, fake.limits.information_schema_rows = 20, 50
    with reading(fake, may_sample=True, warehouse=WAREHOUSE) as reader:
        contents = reader.read()
        _sample(reader, contents.tables, ("FAST", "LARGE"))
        fake.limits.information_schema_rows = 20
        _sample(reader, contents.tables, ("ONE", "T'00"))
        reader.presence([("ONE", "GONE"), ("NO'NE", "GONE")])
        reader.access()
        reader.databases()
    with reading(fake) as reader:
        reader.read()


def _sample(reader: CatalogReader, tables: tuple[CatalogTable, ...], name: tuple[str, str]) -> None:
    reader.sample(next(each for each in tables if (each.schema_name, each.table_name) == name), 5)


def test_every_statement_sent_is_listed_and_every_listed_one_is_sent(snowflake: FakeSnowflake) -> None:
    _seed(snowflake)
    _use_everything(snowflake)
    sent = {each.sql: _told(each.sql) for each in snowflake.statements}
    assert [sql for sql, template in sent.items() if template is None] == []
    assert set(_PATTERNS) - set(sent.values()) == set()


def test_what_needs_a_warehouse_runs_there_and_nothing_else_does(snowflake: FakeSnowflake) -> None:
    _seed(snowflake)
    _use_everything(snowflake)
    for each in snowflake.statements:
        assert bool(each.warehouse) == (_told(each.sql) in statements.NEEDS_WAREHOUSE), each.sql


@each_case("word", "INSERT UPDATE DELETE MERGE CREATE ALTER DROP TRUNCATE GRANT CALL PUT".split())
def test_no_statement_writes(word: str) -> None:
    assert not any(re.search(rf"^\s*{word}\b", statement.sql) for statement in statements.STATEMENTS)
    assert all(statement.sql.split()[0] in ("SHOW", "SELECT", "USE") for statement in statements.STATEMENTS)
