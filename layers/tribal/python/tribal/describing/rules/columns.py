"""Describe columns: by their comment, or by keys, types, checks, defaults, samples and clear names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from tribal.describing.rules.column_facts import ColumnFacts
from tribal.describing.rules.flags import describe_flag
from tribal.describing.rules.phrases import COLUMN_COMMENT_CHARS, clean_comment, values_list
from tribal.describing.rules.quantities import describe_quantity
from tribal.describing.rules.statements import Statement, commented, declared, description, seen
from tribal.describing.rules.times import describe_time
from tribal.identity.table_names import format_name
from tribal.masking import redact_expression
from tribal.rendering.words import listing
from tribal_contracts import CatalogForeignKey, Description

Rule = Callable[[ColumnFacts], Iterable[Statement]]

_NUMBERED = re.compile(r"nextval\(|.*\.nextval\Z", re.IGNORECASE)


def describe_columns(columns: Iterable[ColumnFacts]) -> dict[str, Description]:
    """Describe every column of a table."""
    return {facts.column.name: describe_column(facts) for facts in columns}


def describe_column(facts: ColumnFacts) -> Description:
    """Describe one column; the text is blank if nothing is known but its name and type."""
    comment = clean_comment(facts.column.comment, COLUMN_COMMENT_CHARS)
    if comment:
        return commented(comment)
    if facts.origin:
        return description([declared(f"Taken unchanged from {facts.origin}.", "view definition")])
    return description(statement for rule in _RULES for statement in rule(facts))


def _foreign_keys(facts: ColumnFacts) -> Iterator[Statement]:
    for key in facts.foreign_keys:
        others = listing([name for name in key.columns if name != facts.column.name])
        together = f"Together with {others}, refers" if others else "Refers"
        yield declared(f"{together} to {_target(key)}.", "foreign key")


def _target(key: CatalogForeignKey) -> str:
    place = (key.references_schema, key.references_table)
    if len(key.columns) == 1:
        return format_name((*place, *key.references_columns))
    return f"{format_name(place)} ({', '.join(key.references_columns)})"


def _primary_key(facts: ColumnFacts) -> Iterator[Statement]:
    if facts.column.name not in facts.key_columns:
        return
    others = [name for name in facts.key_columns if name != facts.column.name]
    text = f"Part of the primary key, with {listing(others)}." if others else "The primary key."
    yield declared(text, "primary key")


def _unique(facts: ColumnFacts) -> Iterator[Statement]:
    if facts.is_unique and facts.key_columns != [facts.column.name]:
        yield declared("Unique.", "unique key")


def _filled_in(facts: ColumnFacts) -> Iterator[Statement]:
    """Values that the database sets itself."""
    column = facts.column
    if column.generated:
        context = facts.context
        formula = redact_expression(
            column.generated, table=context.table.table_name, column=column.name, dialect=context.database_type
        )
        yield declared(f"Calculated by the database: {formula}.", "generated")
    elif column.identity:
        yield declared("Numbered by the database.", "identity")
    elif _NUMBERED.match(column.default_value or ""):
        yield declared("Numbered by the database.", "default")


def _allowed(facts: ColumnFacts) -> Iterator[Statement]:
    if facts.values:
        yield declared(f"One of {values_list(facts.values)}.", "type" if facts.column.enum_values else "check")
    low, high = facts.range
    if low is not None and high is not None:
        yield declared(f"From {low} to {high}.", "check")


def _samples(facts: ColumnFacts) -> Iterator[Statement]:
    if facts.samples.values and facts.family == "text" and not facts.foreign_keys and not facts.values:
        yield seen(f"Values seen: {values_list(facts.samples.values)}; there may be others.")


_RULES: tuple[Rule, ...] = (
    _foreign_keys,
    _primary_key,
    _unique,
    _filled_in,
    describe_time,
    describe_flag,
    describe_quantity,
    _allowed,
    _samples,
)
