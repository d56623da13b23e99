"""What a question shows of a table: catalog facts, bounded and deterministic."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tribal.describing.model.questions.table_handles import OWN, Place, TableHandles, place_of
from tribal.describing.rules.column_facts import ColumnFacts
from tribal.describing.rules.notes import behaviour
from tribal.describing.rules.phrases import clean_comment
from tribal.identity.table_names import TableIdentity, format_name
from tribal.ports import TableContext
from tribal.rendering.words import shorten
from tribal.sql.type_families import short_type
from tribal.text_checks import MAX_SAMPLE_CHARS, ShownText
from tribal_contracts import CatalogColumn, CatalogForeignKey, CatalogTable

# Limits are a judgement: what a reader would need, at about a third of a token per character.
MAX_COMMENT_CHARS = 300
"""For a comment on the table itself."""
MAX_BRIEF_CHARS = 150
"""For a comment on a column or another table."""
MAX_LABEL_CHARS = 40
"""For a value that a type or a check allows."""
MAX_MEANINGS = 8
"""Values of a look-up table per column."""
MAX_DEFAULT_CHARS = 80
MAX_CHECKS = 8
MAX_CHECK_CHARS = 120
MAX_VIEW_CHARS = 1_200
MAX_TYPE_CHARS = 60
MAX_SAMPLES = 3
"""Sample values per column, and patterns of masked ones."""
MAX_OTHER_COLUMNS = 60
"""The most columns shown as context only."""
MAX_LEAN_COLUMNS = 8
MAX_LEAN_VIEW_CHARS = 300
"""The same for a model with a short context."""
MAX_JOINS = 4
"""The most pairs of columns that join another table."""

_BOUND_CHARS = 500
_BOUND = re.compile(r"[\s(]*\"?\w+\"?\)?(?:::\w+\)?)?\s*(?:[<>]=?|<>)\s*[\s('-]*\d[\d.]*'?(?:::\w+)?[\s)]*")
_CAST = re.compile(r"::(?:character varying|timestamp with(?:out)? time zone|[a-z_]+)(?:\(\d+\))?(?:\[\])?")
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, eq=False)
class TableData:
    """A table as questions show it."""

    context: TableContext
    with_samples: bool = True
    is_lean: bool = False
    """Whether only what a short context has room for is shown: few other columns, and names of other tables."""

    @property
    def subject(self) -> str:
        """The table's fully qualified name."""
        table = self.context.table
        return str(TableIdentity(self.context.database, table.schema_name, table.table_name))

    @cached_property
    def handles(self) -> TableHandles:
        """The table's handles."""
        return TableHandles(self.context)

    def asking(self, numbers: Collection[int], *, text: bool, others: int | None = MAX_OTHER_COLUMNS) -> dict[str, Any]:
        """The data of a question for these columns and optionally the text; `others` limits additional columns."""
        table = self.context.table
        from_here, to_here = self._likely()
        kind = table.kind.replace("_", " ")
        shown: dict[str, Any] = {"name": self._name(OWN), "kind": kind, "dialect": self.context.database_type}
        shown |= _filled(
            said=clean_comment(self.context.human.table or table.comment, MAX_COMMENT_CHARS),
            columns={f"c{n}": self._column(n, n in numbers) for n in self._columns_shown(numbers, others)},
            primary_key=self._columns(table.primary_key.columns if table.primary_key else ()),
            unique=sorted(self._columns(key.columns) for key in table.unique_keys),
            unique_indexes=_unique_indexes(table),
            referred_by=_by_number(self._other(key.from_table) for key in self.context.incoming),
            likely_refers=from_here,
            likely_referred_by=to_here,
            checks=_checks(table),
            definition=_sql(table.view_definition or "", MAX_LEAN_VIEW_CHARS if self.is_lean else MAX_VIEW_CHARS),
            inherits=table.inherits,
            partition_of=table.partition_of,
            partitioned_by=_sql(table.partition_key or "", MAX_CHECK_CHARS),
            behaviour=[shorten(note, MAX_BRIEF_CHARS) for note in behaviour(table)],
        )
        ask = {"text": text, "columns": sorted(numbers)}
        return {"ask": ask, OWN: shown, **self._others()}

    def shown(self, numbers: Collection[int]) -> ShownText:
        """What the answer is checked against."""
        table, human = self.context.table, self.context.human
        declared = [check.expression for check in table.checks]
        declared += [column.default_value for column in table.columns if column.default_value]
        texts = [table.comment, table.view_definition, *declared, *self._neighbour_texts.values()]
        texts += [text for column in table.columns for text in (column.comment, column.generated)]
        texts += [label for column in table.columns for label in column.enum_values or ()]
        texts += [text for each in self.context.lookups.values() for text in (*each.values, *each.meanings.values())]
        texts += [*behaviour(table), *_unique_indexes(table)]
        return ShownText(
            own=(table.table_name, *(column.name for column in table.columns)),
            others=tuple(name for (_, name), handle in self.handles.tables.items() if handle != OWN),
            human_text=tuple(text for text in (human.table, *human.columns.values()) if text),
            texts=tuple(text for text in texts if text),
            declared=tuple(declared),
            samples=tuple(value for n in sorted(numbers) for value in self._samples(self.handles.facts[n - 1])),
        )

    def _name(self, handle: str) -> str:
        return format_name(self.handles.all[handle].parts)

    def _others(self) -> dict[str, Any]:
        """Each other table with what is said of it, and the columns that join it."""
        return {
            handle: _trimmed(
                format_name(place),
                "" if self.is_lean else clean_comment(self._neighbour_texts.get(place), MAX_BRIEF_CHARS),
                _filled(joins=self._joins.get(place, [])[:MAX_JOINS]),
            )
            for place, handle in self.handles.tables.items()
            if handle != OWN
        }

    @cached_property
    def _neighbour_texts(self) -> dict[Place, str]:
        """What is said of the other tables that keys join to this one: published descriptions, or else comments.

        The slice may have more tables, such as those that a view reads; which ones depends on the rest of its unit.
        """
        context = self.context
        neighbours = {(each.schema_name, each.table_name): each for each in context.neighbours.values()}
        texts = {place: context.published.get(each.name) or each.comment for place, each in neighbours.items()}
        return {place: text for place, text in texts.items() if text and place in self.handles.joined}

    @cached_property
    def _joins(self) -> dict[Place, list[str]]:
        """The pairs of columns by which keys join other tables, such as "c2 = customer_id"."""
        context, handles, found = self.context, self.handles.columns, dict[Place, set[str]]()

        def add(other: Place, own: Sequence[str], theirs: Sequence[str]) -> None:
            pairs = [(handles[name], their) for name, their in zip(own, theirs, strict=False) if name in handles]
            found.setdefault(other, set()).update(f"{mine} = {shorten(their, MAX_TYPE_CHARS)}" for mine, their in pairs)

        for key in context.table.foreign_keys:
            add((key.references_schema, key.references_table), key.columns, key.references_columns)
        for each in context.incoming:
            add(place_of(each.from_table), each.key.references_columns, each.key.columns)
        for likely in context.inferred_keys:
            add(place_of(likely.to_table), likely.from_columns, likely.to_columns)
            add(place_of(likely.from_table), likely.to_columns, likely.from_columns)
        return {place: sorted(pairs) for place, pairs in found.items()}

    def _columns_shown(self, numbers: Collection[int], others: int | None) -> list[int]:
        keys = {number for number, fact in enumerate(self.handles.facts, 1) if self._is_key(fact)}
        additional = [number for number in range(1, len(self.handles.facts) + 1) if number not in numbers]
        # Keys say most about a table.
        additional.sort(key=lambda number: number not in keys)
        return sorted({*numbers, *additional[: MAX_LEAN_COLUMNS if self.is_lean else others]})

    def _is_key(self, fact: ColumnFacts) -> bool:
        return bool(fact.foreign_keys) or fact.column.name in fact.key_columns

    def _column(self, number: int, asked: bool) -> list[Any]:
        """Name, type and other facts of a column."""
        fact = self.handles.facts[number - 1]
        column = fact.column
        said = self.context.human.columns.get(column.name) or column.comment
        more = _filled(
            said=clean_comment(said, MAX_BRIEF_CHARS),
            values={handle: shorten(text, MAX_LABEL_CHARS) for handle, text in self._values(column.name)},
            looked_up=self._looked_up(column.name),
            refers=" ".join(_by_number(self._referred(key) for key in fact.foreign_keys)),
            default=_default(column),
            generated=_sql(column.generated or "", MAX_CHECK_CHARS),
            samples=self._samples(fact) if asked else [],
        )
        return _trimmed(
            column.name, "enum" if column.enum_values else shorten(short_type(column.type), MAX_TYPE_CHARS), more
        )

    def _values(self, column: str) -> Iterable[tuple[str, str]]:
        return self.handles.values.get(column, {}).items()

    def _looked_up(self, column: str) -> dict[str, str]:
        """Values of the look-up table that the column references, and what they mean. They are data, as samples are."""
        lookup = self.context.lookups.get(column) if self.with_samples else None
        if lookup is None:
            return {}
        return {
            shorten(value, MAX_LABEL_CHARS): shorten(lookup.meanings.get(value, ""), MAX_LABEL_CHARS)
            for value in lookup.values[:MAX_MEANINGS]
        }

    def _samples(self, fact: ColumnFacts) -> list[str]:
        if not self.with_samples:
            return []
        shown = [*fact.samples.values[:MAX_SAMPLES], *fact.samples.patterns[:MAX_SAMPLES]]
        return [value[:MAX_SAMPLE_CHARS] for value in shown]

    def _referred(self, key: CatalogForeignKey) -> str | None:
        return self.handles.tables.get((key.references_schema, key.references_table))

    def _other(self, fully_qualified_name: str) -> str | None:
        return self.handles.of(fully_qualified_name)

    def _columns(self, names: Collection[str]) -> list[str]:
        return [self.handles.columns[name] for name in names if name in self.handles.columns]

    def _likely(self) -> tuple[dict[str, str], list[str]]:
        """Inferred keys: tables that columns likely refer to, and tables that likely refer to this one."""
        own = (self.context.table.schema_name, self.context.table.table_name)
        from_here: dict[str, str] = {}
        to_here: set[str] = set()
        for key in self.context.inferred_keys:
            source, target = self._other(key.from_table), self._other(key.to_table)
            if source is not None and target is not None and place_of(key.from_table) == own:
                from_here[" ".join(self._columns(key.from_columns))] = target
            elif source is not None and target is not None:
                to_here.add(source)
        return dict(sorted(from_here.items())), _by_number(to_here)


def _filled(**members: Any) -> dict[str, Any]:
    """The members that are not empty."""
    return {name: value for name, value in members.items() if value}


def _trimmed(*members: Any) -> list[Any]:
    """The members without empty ones at the end."""
    found = list(members)
    while found and not found[-1]:
        found.pop()
    return found


def _default(column: CatalogColumn) -> str:
    text = column.default_value or ""
    return "numbered" if column.identity or text.lower().startswith("nextval(") else _sql(text, MAX_DEFAULT_CHARS)


def _sql(text: str, limit: int) -> str:
    return shorten(_SPACES.sub(" ", text[: 8 * limit]).strip(), limit)


def _checks(table: CatalogTable) -> list[str]:
    """The check expressions, without those that only compare a column with a number."""
    ordered = sorted(table.checks, key=lambda check: (check.name, check.expression))
    informative = [
        f"{check.expression}{' NOT VALID' if check.validated is False else ''}"
        for check in ordered
        if not _BOUND.fullmatch(check.expression[:_BOUND_CHARS])
    ]
    return [_sql(_CAST.sub("", text[: 8 * MAX_CHECK_CHARS]), MAX_CHECK_CHARS) for text in informative[:MAX_CHECKS]]


def _unique_indexes(table: CatalogTable) -> list[str]:
    """The unique indexes that say more than the keys, each with its condition."""
    keys = [key.columns for key in (table.primary_key, *table.unique_keys) if key]
    found = [each for each in table.indexes if each.unique and (each.terms or each.columns not in keys)]
    texts = [f"({', '.join(index.columns)}) {index.terms}".rstrip() for index in found[:MAX_CHECKS]]
    return [_sql(_CAST.sub("", text[: 8 * MAX_CHECK_CHARS]), MAX_CHECK_CHARS) for text in texts]


def _by_number(handles: Iterable[str | None]) -> list[str]:
    """Handles of one kind, without duplicates."""
    return sorted({handle for handle in handles if handle}, key=lambda handle: int(handle[1:]))
