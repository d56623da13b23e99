"""Literals in a real catalog that belong to secrets or are personal values: none may be written or printed."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tests.attack import made_people
from tests.attack.outcome import Attack, Outcome
from tests.edges.cli.tribal_command import tribal
from tribal.adapters.postgres.catalog import PostgresCatalog
from tribal.documenting.lint import find
from tribal.masking.personal_names import GIVEN_NAMES, SURNAMES
from tribal.settings.dsn import parse_dsn
from tribal_contracts import CatalogTable, DatabaseLimits, DocumentedCheck, DocumentedIndex, TableDocument
from tribal_demo.server.postgres import EmbeddedServer

_SECRETS = (
    *("password", "user_password", '"PassWord"', '"old pass phrase"', "security_answer", "api_key", "client_secret"),
    "auth_token",
)
_PERSONAL: dict[str, Callable[[Random], str]] = {
    "e_mail": made_people.email,
    "cust_phone": made_people.phone,
    '"LastName"': lambda random: f"{random.choice(sorted(SURNAMES))}-{made_word(random)}",
    "mother_maiden_name": lambda random: f"{random.choice(sorted(GIVEN_NAMES))} {made_word(random)}",
    "iban": made_people.iban,
    "passport_no": made_people.driving_licence,
    "bank_account": lambda random: str(random.randrange(10_000_000, 10_000_000_000)),
}
_NUMBERS = ("pin", "login_pin", "bank_account", '"CustPhone"')
_LETTERS = "bcdfghjklmnpqrstvwxz"
_VOWELS = "aeiou"
_ATTEMPTS = 12
"""Values of each place in a whole attack."""


@dataclass(frozen=True, slots=True)
class _Plant:
    """One value to hide: the column next to it, how SQL writes it, and what of it no file may hold."""

    number: int
    column: str
    literal: str
    core: str
    other: str
    """A second literal, with the same core."""

    @property
    def table(self) -> str:
        return f"t{self.number}"

    @property
    def view(self) -> str:
        return f"v{self.number}"


_Place = Callable[[_Plant], str]


def _table(plant: _Plant, inside: str = "", type_name: str = "text") -> str:
    more = f", {inside}" if inside else ""
    return f"CREATE TABLE {plant.table} (id int, status text, n int, doc jsonb, {plant.column} {type_name}{more})"


def _check(condition: str) -> _Place:
    return lambda plant: _table(plant, f"CHECK ({_filled(condition, plant)})")


def _where(condition: str) -> _Place:
    return lambda plant: (
        f"{_table(plant)}; CREATE VIEW {plant.view} AS SELECT t.id, t.status FROM {plant.table} t "
        f"WHERE {_filled(condition, plant).replace(plant.column, 't.' + plant.column)}"
    )


def _item(expression: str) -> _Place:
    return lambda plant: (
        f"{_table(plant)}; CREATE VIEW {plant.view} AS SELECT id, {_filled(expression, plant)} FROM {plant.table}"
    )


def _sql(text: str) -> _Place:
    return lambda plant: f"{_table(plant)}; {_filled(text, plant)}"


def _filled(text: str, plant: _Plant) -> str:
    marks = {"COL": plant.column, "LIT": plant.literal, "ALT": plant.other, "TAB": plant.table, "VIEW": plant.view}
    for mark, written in marks.items():
        text = text.replace(f"<{mark}>", written)
    return text


_CONDITIONS = {
    "compared": "<COL> = <LIT>",
    "compared the other way round": "<LIT> <> <COL>",
    "in a list": "<COL> IN (<LIT>, <ALT>)",
    "not in a list, or empty": "<COL> NOT IN (<LIT>, <ALT>) OR <COL> IS NULL",
    "in an array": "<COL> = ANY (ARRAY[<LIT>, <ALT>]) AND status = 'a'",
    "like a pattern": "<COL> LIKE <LIT> || '%'",
    "matched": "<COL> !~* <LIT>",
    "between": "<COL> BETWEEN <LIT> AND <ALT>",
    "cast": "<COL>::varchar(80) = <LIT>::varchar(80)",
    "cast to bytes": "convert_to(<COL>, 'UTF8') <> convert_to(<LIT>, 'UTF8')",
    "in a row": "(status, <COL>) = ('a', <LIT>)",
    "in a call": "coalesce(<COL>, <LIT>) <> lower(<ALT>)",
    "put together": "status || <COL> <> 'a' || <LIT>",
    "distinct from": "<COL> IS DISTINCT FROM <LIT>",
    "in a case": "CASE WHEN status = 'a' THEN <LIT> ELSE <COL> END IS NOT NULL",
    "of a case": "CASE <COL> WHEN <LIT> THEN 1 WHEN <ALT> THEN 2 END > 0",
    "in brackets": "((NOT ((<COL> = (((<LIT>)))))) OR (n > 1))",
    "behind a pepper": "md5(<COL> || <LIT>) <> 'x'",
    "as the key of a cipher": "n > 0 AND encode(sha256(convert_to(<COL> || <LIT>, 'UTF8')), 'hex') <> ''",
}
_PLACES: dict[str, _Place] = {
    "default": lambda plant: _table(plant, type_name=f"text DEFAULT {plant.literal}"),
    "default, calculated": lambda plant: _table(plant, type_name=f"text DEFAULT lower({plant.literal} || now()::text)"),
    "generated column": lambda plant: (
        f"CREATE TABLE {plant.table} (id int, status text, {plant.column} text "
        f"GENERATED ALWAYS AS (CASE WHEN status = {plant.other} THEN status ELSE {plant.literal} END) STORED)"
    ),
    "generated from the column": lambda plant: _table(
        plant, f"made text GENERATED ALWAYS AS (coalesce({plant.column}, {plant.literal})) STORED"
    ),
    "check of a domain": lambda plant: (
        f"CREATE DOMAIN d{plant.number} AS text CHECK (VALUE IN ({plant.literal}, {plant.other})); "
        + _table(plant, type_name=f"d{plant.number}")
    ),
    "labels of an enum": lambda plant: (
        f"CREATE TYPE e{plant.number} AS ENUM ({plant.literal}, {plant.other}, 'none'); "
        + _table(plant, type_name=f"e{plant.number}")
    ),
    "predicate of an index": _sql("CREATE INDEX ON <TAB> (id) WHERE <COL> = <LIT> AND status = 'a'"),
    "expression of an index": _sql("CREATE INDEX ON <TAB> ((replace(<COL>, <LIT>, '')), (n + 1))"),
    "exclusion": _sql("ALTER TABLE <TAB> ADD EXCLUDE USING btree (id WITH =) WHERE (<COL> <> <LIT>)"),
    "alias": _item("<LIT> AS <COL>"),
    "alias of a cast": _item("<LIT>::varchar(99) AS <COL>"),
    "alias of a case": _item("CASE n WHEN 1 THEN <LIT> WHEN 2 THEN <ALT> END AS <COL>"),
    "alias of a call": _item("upper(concat(<LIT>, status)) AS <COL>"),
    "alias of a subquery": _item("(SELECT <LIT>::text WHERE status = 'a') AS <COL>"),
    "key in a document": _item("doc ->> 'x' AS x, doc ->> 'password' = <LIT> AS y"),
    "document": _item("jsonb_build_object('id', id, 'api_key', <LIT>) AS doc"),
    "document of the column": _item("json_build_object('id', id, 'x', coalesce(<COL>, <LIT>)) AS doc"),
    "aggregate": _sql(
        "CREATE VIEW <VIEW> AS SELECT count(*) FILTER (WHERE <COL> = <LIT>) AS x, "
        "string_agg(coalesce(<COL>, <ALT>), ',' ORDER BY id) AS y FROM <TAB>"
    ),
    "join": _sql(
        "CREATE VIEW <VIEW> AS SELECT a.id FROM <TAB> a LEFT JOIN <TAB> b ON a.id = b.n AND b.<COL> = <LIT> "
        "JOIN <TAB> c ON c.n = a.n WHERE c.status = 'a'"
    ),
    "common table": _sql(
        "CREATE VIEW <VIEW> AS WITH c(x, <COL>) AS (SELECT 1, <LIT>::text UNION ALL SELECT 2, <ALT>) "
        "SELECT c.x, c.<COL> AS y FROM c WHERE c.<COL> <> <LIT>"
    ),
    "union": _sql(
        "CREATE VIEW <VIEW> AS SELECT id, <COL> FROM <TAB> UNION SELECT 1, <LIT> UNION ALL (SELECT 2, <ALT> EXCEPT "
        "SELECT 3, <LIT>)"
    ),
    "values": _sql("CREATE VIEW <VIEW> AS SELECT * FROM (VALUES (1, <LIT>), (2, <ALT>)) v(id, <COL>)"),
    "values of a view": _sql("CREATE VIEW <VIEW>(id, <COL>) AS VALUES (1, <LIT>), (2, <ALT>)"),
    "columns of a view": _sql("CREATE VIEW <VIEW>(id, <COL>) AS SELECT id, <LIT>::text FROM <TAB>"),
    "function as a source": _sql("CREATE VIEW <VIEW> AS SELECT u.<COL> FROM unnest(ARRAY[<LIT>, <ALT>]) u(<COL>)"),
    "exists": _sql(
        "CREATE VIEW <VIEW> AS SELECT id FROM <TAB> a WHERE EXISTS (SELECT 1 FROM <TAB> b WHERE b.n = a.id AND "
        "b.<COL> = <LIT>) OR a.<COL> IN (SELECT <ALT>::text)"
    ),
    "under another name": _sql(
        "CREATE VIEW <VIEW> AS SELECT s.x FROM (SELECT <COL> AS x, status FROM <TAB>) s WHERE s.x = <LIT>"
    ),
    "having": _sql("CREATE VIEW <VIEW> AS SELECT n FROM <TAB> GROUP BY n HAVING max(<COL>) = <LIT>"),
    "order": _sql("CREATE VIEW <VIEW> AS SELECT id FROM <TAB> ORDER BY (<COL> = <LIT>), id"),
    "materialized view": _sql(
        "CREATE MATERIALIZED VIEW <VIEW> AS SELECT id, <LIT>::text AS <COL> FROM <TAB>; "
        "CREATE INDEX ON <VIEW> (id) WHERE <COL> = <ALT>"
    ),
    **{f"check, {name}": _check(condition) for name, condition in _CONDITIONS.items()},
    **{f"view, {name}": _where(condition) for name, condition in _CONDITIONS.items()},
}
_NUMBER_PLACES: dict[str, _Place] = {
    "number, default": lambda plant: _table(plant, type_name=f"bigint DEFAULT {plant.literal}"),
    "number, check": lambda plant: _table(plant, f"CHECK ({plant.column} <> {plant.literal})", "bigint"),
    "number, check of a list": lambda plant: _table(
        plant, f"CHECK ({plant.column} IN ({plant.literal}, -{plant.literal}))", "bigint"
    ),
    "number, view": lambda plant: (
        f"{_table(plant, type_name='numeric')}; CREATE VIEW {plant.view} AS SELECT id, {plant.literal} AS "
        f"{plant.column} FROM {plant.table} WHERE {plant.column} > {plant.literal}.25"
    ),
    "number, index": lambda plant: (
        f"{_table(plant, type_name='int')}; CREATE INDEX ON {plant.table} (id) WHERE {plant.column} = {plant.literal}"
    ),
}


def attack(attack: Attack) -> Iterator[Outcome]:
    """Plant values in every place, run the whole command, and search for them in all that it wrote and said."""
    planted = list(_planted(attack))
    kept = [made_word(attack.random(f"kept {n}")) for n in range(attack.times(200, least=20))]
    sql = ";\n".join([*(place(plant) for _, place, plant in planted), *_harmless(kept)])
    with EmbeddedServer.start(attack.scratch / "postgres") as server:
        server.ensure_database("planted", sql)
        seen = everything_written(server.dsn("planted"), attack.scratch / "project")
        with contextlib.closing(PostgresCatalog(parse_dsn(server.dsn("planted"), {}), DatabaseLimits())) as catalog:
            told = lint_findings(catalog.read().tables, attack.scratch / "project" / "docs")
    by_place: dict[str, list[tuple[str, bool]]] = {}
    for name, place, plant in planted:
        found = plant.core in seen or plant.core.encode().hex() in seen
        by_place.setdefault(name, []).append((place(plant), found))
    for name, tries in by_place.items():
        broken = [text for text, found in tries if found]
        yield Outcome(f"literal in {name}", len(tries), len(broken), example="".join(broken[:1]))
    untold = [place(plant) for _, place, plant in planted if not {plant.table, plant.view} & told]
    yield Outcome("literal in a document, untold by lint", len(planted), len(untold), example="".join(untold[:1]))
    hidden = [code for code in kept if code not in seen]
    yield Outcome(
        "codes next to secrets and personal data that are hidden without need", len(kept), len(hidden), goal=0.05
    )


def _planted(attack: Attack) -> Iterator[tuple[str, _Place, _Plant]]:
    number = 0
    for places, columns in ((_PLACES, (*_SECRETS, *_PERSONAL)), (_NUMBER_PLACES, _NUMBERS)):
        for name, place in places.items():
            random = attack.random(name)
            for _ in range(attack.times(_ATTEMPTS)):
                number += 1
                column = random.choice(columns)
                if columns is _NUMBERS:
                    core = str(random.randrange(200_000_000, 2_000_000_000))
                    yield name, place, _Plant(number, column, core, core, core)
                else:
                    yield name, place, _Plant(number, column, *_written(made_value(column, random), random))


def _written(core: str, random: Random) -> tuple[str, str, str]:
    """A value as a literal of one of several forms, what to search for, and a second value as a literal."""
    around = random.choice(
        ["{}", "{}", "{}!", "My {} 7", "it's {}", "{}\\n", '"{}"', "{{{}}}", "{}, and (more)", "é {}"]
    )
    value = around.format(core.capitalize() if random.random() < 0.5 else core)
    quoted = "'" + value.replace("'", "''") + "'"
    forms = [quoted, f"$x${value}$x$", "E" + quoted.replace("\\", "\\\\")]
    return random.choice(forms), core, f"'{core}{random.randrange(10)}'"


def made_value(column: str, random: Random) -> str:
    """A value to hide in a column: of a person, if it is named for such values, else anything."""
    return _PERSONAL.get(column.lower() if column.isupper() else column, made_word)(random).lower()


def made_word(random: Random) -> str:
    """Something like a word, with or without digits, that occurs nowhere by chance."""
    parts = [random.choice(_LETTERS) + random.choice(_VOWELS) for _ in range(6)]
    return "".join(parts) + random.choice(["", str(random.randrange(100))])


def _harmless(codes: list[str]) -> Iterator[str]:
    """Views with an e-mail address, each of which compares columns with a code, next to secrets and personal data."""
    yield "CREATE TABLE neutral (id int, status text, kind text, email text, password text, last_name text, note text)"
    forms = (
        "SELECT id, email FROM neutral WHERE status = '{}' AND email IS NOT NULL",
        "SELECT n.id, n.email, CASE n.kind WHEN '{}' THEN 1 ELSE 2 END AS sort FROM neutral n WHERE n.password <> ''",
        "SELECT id, lower(email) AS email, '{}'::text AS origin FROM neutral ORDER BY password",
        "SELECT a.email FROM neutral a JOIN neutral b ON a.id = b.id AND b.kind IN ('{}', 'x') WHERE a.email LIKE '%@'",
        "SELECT id, '{}'::text AS note FROM neutral WHERE email IS NOT NULL",
        "SELECT id, email FROM neutral WHERE last_name <> '{}' OR email = 'x'",
    )
    for number, code in enumerate(codes):
        yield f"CREATE VIEW harmless{number} AS " + forms[number % len(forms)].format(code)


def lint_findings(tables: Iterable[CatalogTable], docs: Path) -> set[str]:
    """Tables and views that lint finds to show something, were their texts written as the catalog has them."""
    raw = {table.table_name: table for table in tables}
    told = set()
    for path in docs.rglob("*.*.json"):
        document = TableDocument.from_json(path.read_bytes())
        if any(finding.rule == "unmasked" for finding in find(_as_read(document, raw[document.table]))):
            told.add(document.table)
    return told


def _as_read(document: TableDocument, table: CatalogTable) -> TableDocument:
    columns = [
        documented.model_copy(
            update={
                "default_value": column.default_value,
                "generated": column.generated,
                "allowed_values": column.enum_values,
            }
        )
        for documented, column in zip(document.columns, table.columns, strict=True)
    ]
    changed = {
        "columns": columns,
        "checks": [
            *(DocumentedCheck(**check.model_dump()) for check in table.checks),
            *(DocumentedCheck(name=each.name, expression=each.definition) for each in table.exclusions or ()),
        ],
        "indexes": [DocumentedIndex(**index.model_dump()) for index in table.indexes],
        "view_definition": table.view_definition,
    }
    return document.model_copy(update=changed)


def everything_written(dsn: str, project: Path) -> str:
    """All that a run, a second one and the questions after it wrote and printed, in small letters."""
    project.mkdir()
    ran = [
        tribal("run", dsn, cwd=project),
        tribal("lint", cwd=project),
        tribal("search", "password", "--limit", "20", "--json", cwd=project),
    ]
    if ran[0].returncode != 0 or "Documented:" not in ran[1].stdout or "unmasked" in ran[1].stdout:
        raise AssertionError(ran[0].stderr + ran[1].stdout)
    seen = [each.stdout + each.stderr for each in ran]
    for path in project.rglob("*"):
        if path.is_file():
            seen.append(path.read_bytes().decode("utf-8", "replace"))
        if path.suffix == ".db":
            with contextlib.closing(sqlite3.connect(path)) as connection:
                seen.extend(connection.iterdump())
    return "\n".join(seen).lower()
