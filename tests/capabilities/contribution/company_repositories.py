"""Repositories that create the sample company, one for each recipe, and what people wrote about its tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml
from alembic import command
from alembic.config import Config

from tests.plugins.postgres import administer
from tribal.identity.table_names import format_name
from tribal_demo import COMPANY_SQL

QUOTED = '''
CREATE TABLE sales."Return Note" ("Note No" integer PRIMARY KEY, "why?" text, "a.b" text, sent date);
CREATE VIEW billing."Open ""Notes""" AS SELECT "Note No" AS number, sent FROM sales."Return Note";
'''
_COMPANY = COMPANY_SQL.read_text(encoding="utf-8")
_TABLES = _COMPANY.partition("\n-- Rows. ")[0]
_VIEWS = _COMPANY.partition("\n-- views ")[2].partition("\n-- triggers ")[0]
SCHEMA = f"{_TABLES}\n-- views {_VIEWS}{QUOTED}"
"""The company without rows."""
TEXTS: dict[tuple[str, str], dict[str | None, str]] = {
    ("billing", "credit_note"): {
        None: "It's money we owe a customer.",
        "amt_cents": 'The "amount" in cents, 100% of it.',
        "cn_no": "Number of the note: CN-2021-00001.",
        "rma_no": "Back\\slash, and C:\\new\\table.",
    },
    ("billing", "currency"): {None: "Currencies: EUR, CHF and USD.", "minor_unit": "Costs $1 or ${amount} or $$."},
    ("billing", "dunning_letter"): {"lvl": "1 to 3\n\nThen it is collected.", "sent_via": "'; DROP TABLE x; --"},
    ("billing", "invoice_line"): {None: "One line 🎉 of an invoice.", "qty": "Pieces (negative: returned)."},
    ("billing", "v_open_item"): {None: "Invoices that are not paid: in full.", "due_cents": "What is left, in %."},
    ("billing", "mv_revenue_month"): {"segment_cd": "Segment: see crm.segment."},
    ("billing", 'Open "Notes"'): {None: 'A view with "quotes".', "number": "As on paper."},
    ("crm", "address"): {None: "Where we deliver to.", "is_dflt": "Whether it's used by default: `true` or `false`."},
    ("crm", "country"): {"is_eu": "Member of the EU on the day of the sale.", "name": "Ländername, englisch."},
    ("crm", "customer"): {"segment_cd": "Set by sales, never by the shop."},
    ("crm", "interaction"): {None: "A call or a visit.", "channel": "phone, mail: or visit # by whom"},
    ("sales", "order_line"): {None: "One product of an order.", "disc_pct": "0 to 100 %, :not a fraction."},
    ("sales", "promotion"): {"kind": "- pct\n- abs\n- free", "valid_to": "Last day (inclusive)."},
    ("sales", "return_reason"): {None: "Why goods come back: 'size', 'damage'..."},
    ("sales", "Return Note"): {None: "A note on paper.", "why?": 'Free text; see "a.b".', "a.b": "Unused."},
    ("sales", "v_order_margin"): {"margin_cents": "Net price less cost."},
}
COUNT = sum(len(each) for each in TEXTS.values())


@dataclass(frozen=True)
class CompanyRepository:
    """A repository that creates the sample company."""

    files: Mapping[str, str]
    migrate: Callable[[Path, str], None] | None
    """Applies the files in a folder to an empty database, in the order of the tool; `None` if it writes none."""


def _number(path: Path) -> tuple[int, ...]:
    found = re.search(r"\d+", path.name)
    assert found is not None
    return (int(found[0]),)


def _apply(folder: Path, dsn: str, pattern: str, part: Callable[[str], str] = lambda text: text) -> None:
    for path in sorted(folder.glob(pattern), key=_number):
        administer(dsn, part(path.read_text(encoding="utf-8")))


def _up(text: str) -> str:
    """The part of a file of dbmate that it applies."""
    return text.partition("-- migrate:down")[0]


def _upgrade(folder: Path, dsn: str) -> None:
    config = Config(str(folder / "alembic.ini"))
    config.set_main_option("sqlalchemy.url", dsn.replace("postgresql://", "postgresql+pg8000://").replace("%", "%%"))
    command.upgrade(config, "head")


def statements(script: str) -> list[str]:
    """The statements of a script, which has functions in dollar quotes."""
    found, current = list[str](), ""
    for piece in re.split(r"(?<=;)\n", script):
        current += f"{piece}\n"
        if current.count("$$") % 2 == 0:
            found.append(current)
            current = ""
    return [each for each in (*found, current) if each.strip()]


ENV = """\
from alembic import context
from sqlalchemy import create_engine

with create_engine(context.config.get_main_option("sqlalchemy.url")).connect() as connection:
    context.configure(connection=connection, target_metadata=None)
    with context.begin_transaction():
        context.run_migrations()
"""
_BODY = "\n".join(f"    op.execute({each!r})" for each in statements(SCHEMA))
REVISION = f"from alembic import op\n\nrevision = 'aaa'\ndown_revision = None\n\n\ndef upgrade():\n{_BODY}\n"


def _sources() -> str:
    lines = ["version: 2", "", "sources:"]
    for schema in sorted({schema for schema, _ in TEXTS}):
        lines += [f"  - name: {schema}", "    tables:"]
        lines += [f"      - name: {name!r}" for each, name in sorted(TEXTS) if each == schema]
    return "\n".join(lines) + "\n"


REPOSITORIES: dict[str, CompanyRepository] = {
    "flyway": CompanyRepository(
        {"db/migration/V1__company.sql": SCHEMA}, lambda folder, dsn: _apply(folder, dsn, "db/migration/V*.sql")
    ),
    "numbered": CompanyRepository(
        {"migrations/000001_company.up.sql": SCHEMA, "migrations/000001_company.down.sql": "SELECT 1;\n"},
        lambda folder, dsn: _apply(folder, dsn, "migrations/*.up.sql"),
    ),
    "timestamped": CompanyRepository(
        {"db/migrations/20240102030405_company.sql": f"-- migrate:up\n{SCHEMA}\n-- migrate:down\n"},
        lambda folder, dsn: _apply(folder, dsn, "db/migrations/*.sql", _up),
    ),
    "alembic": CompanyRepository(
        {
            "alembic.ini": "[alembic]\nscript_location = %(here)s/migrations\n",
            "migrations/env.py": ENV,
            "migrations/versions/aaa_first.py": REVISION,
        },
        _upgrade,
    ),
    "dbt": CompanyRepository(
        {"dbt_project.yml": "name: company\nversion: '1'\n", "models/sources.yml": _sources()}, None
    ),
}
"""By recipe."""


def annotations_file() -> str:
    """The annotations as a person writes them."""
    tables = {
        format_name(place): {
            **({"description": said[None]} if None in said else {}),
            **({"columns": columns} if (columns := {n: t for n, t in said.items() if n is not None}) else {}),
        }
        for place, said in TEXTS.items()
    }
    return yaml.safe_dump({"tables": tables}, allow_unicode=True, sort_keys=False)
