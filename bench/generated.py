"""Generated databases of any size, always the same: plausible names, 15 columns and two keys a table, a few rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

from bench.harness import TRIBAL, Bench, measure
from tribal_demo.server.postgres import EmbeddedServer

COLUMNS = 15
KEYS = 2
ROWS = 12
_SEED = 20_251_121
_TABLES_A_LOAD = 250  # one transaction holds a lock on every table that it creates
_AREAS = {
    "sales": "customer order quote basket return promotion",
    "billing": "invoice payment refund subscription ledger tariff",
    "logistics": "shipment carrier parcel route depot vehicle",
    "production": "machine batch recipe line mould tool",
    "purchasing": "supplier tender contract delivery requisition rating",
    "people": "employee team shift vacancy training absence",
    "support": "ticket agent incident escalation article survey",
    "marketing": "campaign audience newsletter banner lead event",
    "catalog": "product brand category bundle price media",
    "warehouse": "stock bin pallet picking count transfer",
    "security": "user role session device policy alert",
    "finance": "account budget asset loan tax journal",
}
_ASPECTS = """
line item note status history event document tag address contact rule target limit plan schedule entry version review
approval attachment assignment category group member type reason result score step task template translation unit usage
value variant visit warning alias balance change channel check claim comment condition cost cycle discount draft export
feature fee field file filter flag forecast goal import index issue key label layout level link list location log
""".split()


class _Kind(NamedTuple):
    """A column: its name, type, value in row `n`, and constraints."""

    name: str
    type: str
    value: str
    extra: str = ""


_KINDS = (
    _Kind("name", "varchar(120)", "'Name ' || n"),
    _Kind("status_cd", "char(2)", "(ARRAY['NW','OK','CL'])[n % 3 + 1]", " CHECK ({} IN ('NW','OK','CL'))"),
    _Kind("created_at", "timestamptz", "timestamptz '2024-01-01' + n * interval '1 hour'", " NOT NULL"),
    _Kind("updated_at", "timestamp", "timestamp '2024-02-01' + n * interval '1 day'"),
    _Kind("is_active", "boolean", "n % 2 = 0", " NOT NULL DEFAULT true"),
    _Kind("amount_cents", "bigint", "n * 199"),
    _Kind("currency_code", "char(3)", "'EUR'"),
    _Kind("email", "text", "'person' || n || '@example.org'"),
    _Kind("phone_no", "varchar(30)", "'+49 30 1234' || n"),
    _Kind("first_name", "text", "'Ada'"),
    _Kind("qty", "integer", "n % 5"),
    _Kind("weight_kg", "numeric(8,3)", "n * 1.25"),
    _Kind("due_date", "date", "date '2024-03-01' + n"),
    _Kind("remarks", "text", "'Remark number ' || n"),
    _Kind("priority", "smallint", "n % 3"),
    _Kind("external_ref", "text", "'X-' || n * 7919"),
    _Kind("valid_from", "date", "date '2024-01-01'"),
    _Kind("valid_to", "date", "NULL::date"),
    _Kind("payload", "jsonb", "'{}'::jsonb"),
    _Kind("discount_pct", "numeric(5,2)", "n % 4 * 2.5"),
    _Kind("country_cd", "char(2)", "(ARRAY['DE','FR','IT'])[n % 3 + 1]"),
    _Kind("ip_addr", "inet", "'10.0.0.1'::inet"),
    _Kind("sort_order", "integer", "n"),
    _Kind("deleted_at", "timestamptz", "NULL::timestamptz"),
)


def load_generated(server: EmbeddedServer, tables: int) -> str:
    """Create and fill a database with that many tables unless it exists; returns its name.

    Raises:
        EmbeddedServerError: A statement failed.
    """
    name = f"generated_{tables}"
    if name not in server.databases():
        server.create_database(name)
        server.load(name, "\n".join(f"CREATE SCHEMA {area};" for area in _AREAS))
        statements = list(table_statements(tables))
        for start in range(0, tables, _TABLES_A_LOAD):
            server.load(name, "\n".join(statements[start : start + _TABLES_A_LOAD]))
        server.load(name, "ANALYZE;")
    return name


def table_statements(tables: int) -> Iterator[str]:
    """SQL that creates and fills one table after another; each references two earlier ones, mostly recent ones."""
    random = Random(_SEED)
    names = [
        f"{area}.{subject}_{aspect}"
        for area, subjects in _AREAS.items()
        for subject in subjects.split()
        for aspect in _ASPECTS
    ]
    if tables > len(names):
        raise ValueError(f"there are names for {len(names)} tables, not for {tables}")
    random.shuffle(names)
    made: dict[str, list[str]] = {}
    for name in names[:tables]:
        neighbours = made.setdefault(name.partition(".")[0], [])
        anywhere = random.choice([*made.values()])
        parents = [random.choice(known or [name]) for known in (neighbours, anywhere)]
        neighbours.append(name)
        yield _statement(name, parents, random.sample(_KINDS, COLUMNS - 1 - KEYS), random)


def _statement(name: str, parents: list[str], kinds: list[_Kind], random: Random) -> str:
    table = name.partition(".")[2]
    columns = [f"{table}_id bigint PRIMARY KEY"]
    references = []
    for parent, role in zip(parents, ("", "related_"), strict=True):
        key = parent.partition(".")[2] + "_id"
        column = f"{role}{key}" if role or parent != name else f"parent_{key}"
        references.append(column)
        columns.append(f"{column} bigint REFERENCES {parent} ({key})")
    columns += [f"{kind.name} {kind.type}{kind.extra.format(kind.name)}" for kind in kinds]
    values = ", ".join(["n", *("n" for _ in references), *(kind.value for kind in kinds)])
    comment = f"\nCOMMENT ON TABLE {name} IS 'Made up for measuring.';" if random.random() < 0.2 else ""
    return (
        f"CREATE TABLE {name} ({', '.join(columns)});{comment}\n"
        f"INSERT INTO {name} SELECT {values} FROM generate_series(1, {ROWS}) AS n;"
    )


def documented_project(bench: Bench, tables: int) -> Path:
    """A project in which `tribal run` has documented and indexed a generated database.

    Raises:
        BenchmarkFailed: the run failed.
    """
    project = bench.folder / f"generated-{tables}"
    if not project.exists():
        project.mkdir()
        dsn = bench.server.dsn(load_generated(bench.server, tables))
        measure([TRIBAL, "run", dsn, "--project", project], folder=bench.folder)
    return project
