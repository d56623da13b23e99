"""Triggers, policies and the routines that write tables. Of a routine's body only the names of tables are kept."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from tribal.adapters.postgres.rows import PolicyRow, RoutineRow, TableRow, TriggerRow
from tribal.identity.table_names import format_name
from tribal.sql.scanner import Token, TokenType, tokens_of
from tribal_contracts import CatalogPolicy, CatalogRoutine, CatalogTrigger

TRIGGERS = """\
SELECT t.tgrelid, t.tgname, t.tgtype::int, t.tgenabled <> 'D', m.nspname, p.proname, d.description
FROM pg_trigger t
JOIN pg_class c ON c.oid = t.tgrelid
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_proc p ON p.oid = t.tgfoid
JOIN pg_namespace m ON m.oid = p.pronamespace
LEFT JOIN pg_description d ON d.classoid = 'pg_trigger'::regclass AND d.objoid = t.oid AND d.objsubid = 0
WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' AND NOT c.relispartition AND NOT t.tgisinternal"""

POLICIES = """\
SELECT p.polrelid, p.polname, d.description
FROM pg_policy p
LEFT JOIN pg_description d ON d.classoid = 'pg_policy'::regclass AND d.objoid = p.oid AND d.objsubid = 0"""

# Bodies are searched for the tables that they write, and forgotten. Those of SQL's own syntax (BEGIN ATOMIC) have no
# source here.
ROUTINES = """\
SELECT n.nspname, p.proname, left(p.prosrc, 65536), d.description
FROM pg_proc p
JOIN pg_namespace n ON n.oid = p.pronamespace
JOIN pg_language l ON l.oid = p.prolang AND l.lanname IN ('sql', 'plpgsql')
LEFT JOIN pg_description d ON d.classoid = 'pg_proc'::regclass AND d.objoid = p.oid AND d.objsubid = 0
WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
  AND p.prosrc ~* '\\m(insert|update|delete|merge)\\M'
  AND NOT EXISTS (SELECT FROM pg_depend e
                  WHERE e.classid = 'pg_proc'::regclass AND e.objid = p.oid AND e.deptype = 'e')
ORDER BY p.oid LIMIT 2000"""

MOST_BODY_CHARS = 4_000_000
"""Of all bodies together. By judgement: they are read in about two seconds."""
_WRITES = re.compile(r"\b(?:insert\s+into|update|delete\s+from|merge\s+into)\b", re.IGNORECASE)
_EVENTS = ((4, "INSERT"), (16, "UPDATE"), (8, "DELETE"), (32, "TRUNCATE"))
_EACH_ROW, _BEFORE, _INSTEAD = 1, 2, 64
_NOT_A_STATEMENT = frozenset({"FOR", "KEY", "ON", "DO", "OR", "BEFORE", "AFTER", "OF"})
"""Before the word UPDATE: a lock, an action of a key or a conflict, or the event of a trigger."""


class TableExtras:
    """The triggers, the policies and the routines that write it of every table, by its oid; each in order of names."""

    def __init__(
        self,
        heads: Sequence[TableRow],
        triggers: Iterable[Sequence[Any]],
        policies: Iterable[Sequence[Any]],
        routines: Iterable[Sequence[Any]],
    ) -> None:
        self.triggers: dict[int, list[CatalogTrigger]] = defaultdict(list)
        self.policies: dict[int, list[CatalogPolicy]] = defaultdict(list)
        for row in sorted(map(TriggerRow._make, triggers), key=lambda row: row.name):
            self.triggers[row.table].append(_trigger(row))
        for policy in sorted(map(PolicyRow._make, policies), key=lambda policy: policy.name):
            self.policies[policy.table].append(CatalogPolicy(name=policy.name, comment=policy.comment))
        self.writers = _writers(heads, sorted(map(RoutineRow._make, routines)))


def _trigger(row: TriggerRow) -> CatalogTrigger:
    when = "instead of" if row.kind & _INSTEAD else "before" if row.kind & _BEFORE else "after"
    events = " or ".join(word for bit, word in _EVENTS if row.kind & bit)
    times = "for each row" if row.kind & _EACH_ROW else "once per statement"
    return CatalogTrigger(
        name=row.name,
        fires=f"{when} {events}, {times}",
        routine=format_name((row.schema, row.routine)),
        enabled=None if row.enabled else False,
        comment=row.comment,
    )


def _writers(heads: Sequence[TableRow], routines: Iterable[RoutineRow]) -> dict[int, list[CatalogRoutine]]:
    tables: dict[str, dict[str, int]] = defaultdict(dict)
    for head in heads:
        tables[head.name][head.schema] = head.oid
    found: dict[int, dict[str, CatalogRoutine]] = defaultdict(dict)
    chars = 0
    for routine in routines:
        chars += len(routine.body)
        if chars > MOST_BODY_CHARS:
            break
        name = format_name((routine.schema, routine.name))
        for schema, table in written_tables(routine.body):
            oid = _table(tables.get(table, {}), schema, routine.schema)
            if oid is not None:
                # Overloaded routines have one name.
                found[oid].setdefault(name, CatalogRoutine(name=name, comment=routine.comment))
    return {oid: list(by_name.values()) for oid, by_name in found.items()}


def _table(by_schema: Mapping[str, int], schema: str, own: str) -> int | None:
    """The table that a name in a body means; without a schema, only if there is little doubt."""
    if schema:
        return by_schema.get(schema)
    if own in by_schema or len(by_schema) != 1:
        return by_schema.get(own)
    return next(iter(by_schema.values()))


def written_tables(body: str) -> set[tuple[str, str]]:
    """Schema (or nothing) and name of every table that a body of SQL or PL/pgSQL writes.

    SQL that is put together when the routine runs is not seen.
    """
    return set(_written(tokens_of(body, "postgres"))) if _WRITES.search(body) else set()


def _written(tokens: Sequence[Token]) -> Iterator[tuple[str, str]]:
    for place, token in enumerate(tokens):
        following = tokens[place + 1].word if place + 1 < len(tokens) else ""
        if (token.word, following) in (("INSERT", "INTO"), ("DELETE", "FROM"), ("MERGE", "INTO")):
            at = place + 2
        elif token.word == "UPDATE" and (place == 0 or tokens[place - 1].word not in _NOT_A_STATEMENT):
            at = place + 1
        else:
            continue
        if at < len(tokens) and tokens[at].word == "ONLY":
            at += 1
        names = _name_at(tokens, at)
        if names:
            yield (names[-2] if len(names) > 1 else "", names[-1])


def _name_at(tokens: Sequence[Token], at: int) -> list[str]:
    """The parts of a qualified name, as they are stored."""
    names: list[str] = []
    while at < len(tokens) and tokens[at].type is TokenType.NAME:
        names.append(tokens[at].text.lower() if tokens[at].word else tokens[at].text)
        if at + 1 >= len(tokens) or tokens[at + 1].type is not TokenType.DOT:
            break
        at += 2
    return names
