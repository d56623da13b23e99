"""Texts that a migration tool, a template or a terminal could take for something else, and real databases to check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypothesis import strategies as st

from tests.capabilities.contribution.mapped_files import MappedFiles
from tests.plugins.postgres import connected
from tribal.capabilities.contribution.recipes.recipe import EditContext, Edits, OfferedText, Relation
from tribal_contracts.documentation.catalog import TableKind

HOSTILE = (
    "It's \"quoted\" ''twice''",
    "100 % of %s, %(name)s, %%",
    "when: :now, ::text and 12:30:00",
    "C:\\new\\table\\",
    "trailing quote' and backslash\\'",
    "$$ $1 $tag$ ${flyway:user} ${x}",
    "line one\nline two\r\n\ttabbed",
    "\n-- +goose Down\nDROP TABLE plain;\n-- +migrate Down\n-- migrate:down\n",
    "-- a comment; /* another */ ; --",
    "emoji \U0001f600 \U0001f469\u200d\U0001f4bb é \u202e reversed",
    "'; DROP TABLE plain; --",
    "{{ ref('x') }} {% raw %} {# note #} <% erb %> &{snow} &amp",
    "\x01\x07\x1b[31mred\x1b[0m\x7f\x85\u2028\U000e0041",
    "\\x24 \\u0041 \\101 \\",
    "E'text' U&'\\0041' $body$",
    "ends with a blank ",
)
TEXTS = st.one_of(
    st.sampled_from(HOSTILE),
    st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=40),
    st.lists(st.sampled_from(["'", "\\", "$", "{", "}", "-", ";", "\n", "%", ":", "x24", "a", "&"]), min_size=1).map(
        "".join
    ),
)
NAMES = st.text(
    st.characters(exclude_categories=("Cc", "Cf", "Cs", "Co", "Zl", "Zp", "Cn")), min_size=1, max_size=12
).filter(lambda name: not any(mark in name for mark in ("${", "{{", "{%", "{#", "<%", "&{", "--", ";")))

SCHEMA_SQL = """
CREATE SCHEMA billing;
CREATE TABLE public.plain (id int, "Odd ""name" text);
CREATE TABLE billing."Order Line" (id int);
CREATE VIEW billing.open_items AS SELECT id FROM public.plain;
CREATE MATERIALIZED VIEW billing.totals AS SELECT id FROM public.plain;
"""
PLAIN = Relation("public", "plain", "table", ("id", 'Odd "name'))
ORDER_LINE = Relation("billing", "Order Line", "table", ("id",))
OPEN_ITEMS = Relation("billing", "open_items", "view", ("id",))
TOTALS = Relation("billing", "totals", "materialized_view", ("id",))
TARGETS: Sequence[tuple[Relation, str | None]] = (
    (PLAIN, None),
    (PLAIN, 'Odd "name'),
    (ORDER_LINE, None),
    (ORDER_LINE, "id"),
    (OPEN_ITEMS, None),
    (OPEN_ITEMS, "id"),
    (TOTALS, None),
    (TOTALS, "id"),
)
CONTEXT = EditContext(
    swarm_id="6f1c1b0e-1f6f-4c9b-8a55-0d8f5a3a2f10", cycle=3, at="2026-02-03T04:05:06Z", title="Describe billing tables"
)


def files_of(content: Mapping[str, str]) -> MappedFiles:
    return MappedFiles({path: text.encode() for path, text in content.items()})


def offered(texts: Sequence[str], comment: str | None = None) -> list[OfferedText]:
    """Describe the targets in turn."""
    return [
        OfferedText(*TARGETS[number % len(TARGETS)], text=text, comment=comment) for number, text in enumerate(texts)
    ]


def table(name: str, schema: str = "public", kind: TableKind = "table") -> Relation:
    return Relation(schema, name, kind, ("id",))


def assert_checked(edits: Edits) -> None:
    assert [(check.name, check.passed, check.output) for check in edits.checks if not check.passed] == []
    assert {check.name for check in edits.checks} == {"parsed", "equal", "only_intended_lines"}


def stored_comments(dsn: str) -> dict[tuple[str, str, str | None], str]:
    """The comments in a database."""
    with connected(dsn) as connection:
        rows = connection.run(
            "SELECT n.nspname::text, c.relname::text, a.attname::text, d.description FROM pg_description d"
            " JOIN pg_class c ON c.oid = d.objoid AND d.classoid = 'pg_class'::regclass"
            " JOIN pg_namespace n ON n.oid = c.relnamespace"
            " LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = d.objsubid AND d.objsubid > 0"
            " WHERE n.nspname IN ('public', 'billing')"
        )
    return {(schema, relation, column): text for schema, relation, column, text in rows or ()}


def expected_comments(texts: Sequence[OfferedText]) -> dict[tuple[str, str, str | None], str]:
    return {(each.relation.schema, each.relation.name, each.column): each.text for each in texts}
