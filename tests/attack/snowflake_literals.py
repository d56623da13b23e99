"""Literals in Snowflake's catalog that belong to secrets or are personal values, in every form."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from urllib.parse import quote, urlencode

from tests.adapters.snowflake.readers import new_account, reading, see_all
from tests.attack.catalog_literals import everything_written, lint_findings, made_value, made_word
from tests.attack.outcome import Attack, Outcome
from tests.fakes.snowflake import Column, FakeSnowflake
from tests.fakes.snowflake.catalog import Schema
from tests.fakes.snowflake.connecting import PASSWORD, ROLE, USER

_COLUMNS = ("PASSWORD", '"old pass phrase"', "API_KEY", "SECURITY_ANSWER", "E_MAIL", "IBAN", "BANK_ACCOUNT")
_ATTEMPTS = 20
"""Values of each place in a whole attack."""


@dataclass(frozen=True, slots=True)
class _Plant:
    """One value to hide: the column next to it, how SQL writes it, and what of it no file may hold."""

    number: int
    column: str
    literal: str
    other: str
    """A harmless literal in the same form, which stands before it."""
    core: str

    @property
    def table(self) -> str:
        return f"T{self.number}"

    @property
    def view(self) -> str:
        return f"V{self.number}"

    @property
    def stored_column(self) -> str:
        return self.column.strip('"')

    def filled(self, sql: str) -> str:
        parts = {"COL": self.column, "LIT": self.literal, "TAB": self.table, "OTHER": self.other, "VIEW": self.view}
        for name, part in parts.items():
            sql = sql.replace(f"<{name}>", part)
        return sql


_Place = Callable[[_Plant, Schema], None]


def _table(plant: _Plant, schema: Schema, *columns: Column, cluster_by: str = "") -> None:
    own = columns or (Column(plant.stored_column, "VARCHAR"),)
    schema.table(plant.table, [Column("ID"), Column("STATUS", "VARCHAR"), *own], cluster_by=plant.filled(cluster_by))


def _default(plant: _Plant, schema: Schema) -> None:
    _table(plant, schema, Column(plant.stored_column, "VARCHAR", default=plant.literal))


def _virtual(plant: _Plant, schema: Schema) -> None:
    made = plant.filled("IFF(STATUS = <OTHER>, <LIT>, <COL>)")
    _table(plant, schema, Column(plant.stored_column, "VARCHAR"), Column("MADE", "VARCHAR", expression=made))


def _clustering(plant: _Plant, schema: Schema) -> None:
    _table(plant, schema, cluster_by="LINEAR(IFF(STATUS = <OTHER>, 1, 2), <COL> = <LIT>)")


def _view(text: str, *columns: str) -> _Place:
    def place(plant: _Plant, schema: Schema) -> None:
        _table(plant, schema)
        names = [plant.filled(name).strip('"') for name in columns or ("ID",)]
        schema.view(plant.view, plant.filled(text), [Column(name, "VARCHAR") for name in names])

    return place


_PLACES: dict[str, _Place] = {
    "default": _default,
    "virtual column": _virtual,
    "clustering key": _clustering,
    "condition": _view("create view <VIEW> as select ID from <TAB> where STATUS = <OTHER> and <COL> = <LIT>"),
    "list": _view("create view <VIEW> as select ID from <TAB> where STATUS <> <OTHER> and <COL> in (<LIT>, <LIT>)"),
    "selected": _view(
        "create view <VIEW> as select ID, <OTHER> as KIND, <LIT> as <COL> from <TAB>", "ID", "K", "<COL>"
    ),
    "named by the view": _view("create view <VIEW> (ID, <COL>) as select ID, <LIT> from <TAB>", "ID", "<COL>"),
    "a condition behind a comment": _view(
        "create view <VIEW> as -- it's\nselect ID // don't\nfrom <TAB> /* /* isn't */ where <COL> = <LIT> /* ' */"
    ),
    "a comment": _view("create view <VIEW> as select ID from <TAB> -- where <COL> = <LIT> -- it was\n"),
    "a long comment": _view("create view <VIEW> as select ID from <TAB> /* where <COL> = <LIT> -- it was */"),
    "key in a document": _view("create view <VIEW> as select ID from <TAB> where DOC:login.password::string = <LIT>"),
    "document": _view("create view <VIEW> as select object_construct('k', <OTHER>, 'password', <LIT>) as DOC", "DOC"),
    "call": _view("create view <VIEW> as select coalesce(<COL>, upper(<LIT>)) as X, <OTHER> as Y from <TAB>", "X", "Y"),
    "text that nobody can parse": _view("create view <VIEW> as selekt ] <OTHER> ( <COL> = <LIT>"),
}


def attack(attack: Attack) -> Iterator[Outcome]:
    """Plant values in every place and form, run the whole command, and search for them in all that it wrote."""
    fake = FakeSnowflake()
    try:
        schema, planted = new_account(fake)("SALES"), list(_planted(attack))
        for _, place, plant in planted:
            place(plant, schema)
        see_all(fake)
        where = {"role": ROLE, "host": "127.0.0.1", "port": str(fake.port), "protocol": "http"}
        dsn = f"snowflake://{USER}:{quote(PASSWORD)}@{fake.account.name}/shop?{urlencode(where)}"
        written = everything_written(dsn, attack.scratch / "project")
        with reading(fake) as reader:
            told = lint_findings(reader.read().tables, attack.scratch / "project" / "docs")
    finally:
        fake.stop()
    for name in _PLACES:
        tries = [plant for each, _, plant in planted if each == name]
        broken = [plant.literal for plant in tries if plant.core in written]
        yield Outcome(f"literal in {name}", len(tries), len(broken), example="".join(broken[:1]))
    checked = [plant for name, _, plant in planted if name != "clustering key"]
    untold = [plant.literal for plant in checked if not {plant.table, plant.view} & told]
    yield Outcome("literal in a document, untold by lint", len(checked), len(untold), example="".join(untold[:1]))


def _planted(attack: Attack) -> Iterator[tuple[str, _Place, _Plant]]:
    number = 0
    for name, place in _PLACES.items():
        random = attack.random(name)
        for _ in range(attack.times(_ATTEMPTS, least=2)):
            number += 1
            column = random.choice(_COLUMNS)
            core = made_value(column, random)
            literal, other = _written(random, core), _written(random, made_word(random))
            yield name, place, _Plant(number, column, literal, other, core)


def _written(random: Random, core: str) -> str:
    """A value as a literal of one of Snowflake's forms, with quotes and backslashes around it."""
    around = random.choice(
        ["{}", "it's {}", "it's {}'s", "\\{}", "{}\\", "\\'{}", "-- {}", "// {}", "/* {}", '"{}"', "'{}"]
    )
    text = around.format(core)
    doubled = "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"
    slashed = "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
    return random.choice([doubled, slashed, slashed, f"$${text}$$"])
