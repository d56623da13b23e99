"""Everything the rules look at in a column, computed once."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from tribal.catalog.checks import allowed_range, allowed_values
from tribal.catalog.type_families import TypeFamily, type_family
from tribal.describing.rules.phrases import suggested
from tribal.describing.rules.views import view_origins
from tribal.masking import PLACEHOLDER, MaskedSamples, SensitiveKind, detect_by_name
from tribal.naming import expand, expand_tokens, is_acronym, segment_all, split_identifier
from tribal.ports import TableContext
from tribal.rendering.words import row_noun
from tribal_contracts import CatalogColumn, CatalogForeignKey


@dataclass(frozen=True, eq=False)
class ColumnFacts:
    """One column in its table; `table_words` are the tokens of the table's name and of all its columns' names."""

    context: TableContext
    column: CatalogColumn
    table_words: Collection[str]
    origin: str = ""
    """The column, `schema.table.column`, that a view passes through unchanged."""
    siblings: Sequence[ColumnFacts] = ()

    @property
    def others(self) -> Iterator[ColumnFacts]:
        """The other columns of the table."""
        return (facts for facts in self.siblings if facts is not self)

    @cached_property
    def tokens(self) -> list[str]:
        """The words of the name as written."""
        return list(_tokens(self.column.name))

    @cached_property
    def words(self) -> list[str]:
        """The same with abbreviations spelt out."""
        return expand_tokens(self.tokens, self._context_words)

    @cached_property
    def _context_words(self) -> Collection[str]:
        # ISO 4217: three letters are a currency code, whatever else `curr` may stand for.
        is_currency = "(3)" in self.column.type and self.tokens[:1] in (["cur"], ["curr"])
        return {*self.table_words, "currency", "currencies"} if is_currency else self.table_words

    @cached_property
    def name(self) -> str:
        """The name as people would say it."""
        return self.spoken(self.words) or self.column.name

    def spoken(self, words: Iterable[str]) -> str:
        """Words as people write them, acronyms in capitals."""
        return " ".join(map(_spoken, words))

    @property
    def suggestion(self) -> str:
        """The end of a sentence that gives the guess; empty if the name spelt out says no more than the name."""
        if len(self.words) < 2 and self.name.lower() == self.column.name.lower().replace("_", ""):
            return ""
        return f"; {suggested(self.name)}"

    @cached_property
    def noun(self) -> str:
        """What one row of the table is called."""
        return row_noun(self.context.table.table_name)

    @cached_property
    def family(self) -> TypeFamily:
        """What kind of values the type holds; a domain or an enum counts as `other`."""
        return type_family(self.column.type)

    @cached_property
    def key_columns(self) -> list[str]:
        """Columns of the primary key."""
        key = self.context.table.primary_key
        return key.columns if key else []

    @cached_property
    def foreign_keys(self) -> list[CatalogForeignKey]:
        """Foreign keys that the column is part of, the shortest first."""
        keys = [key for key in self.context.table.foreign_keys if self.column.name in key.columns]
        return sorted(keys, key=lambda key: (len(key.columns), key.name))

    @property
    def is_unique(self) -> bool:
        """Whether no two rows have the same value."""
        return any(key.columns == [self.column.name] for key in self.context.table.unique_keys)

    @cached_property
    def values(self) -> tuple[str, ...]:
        """The values that the type or a check allows; none if some of them are hidden."""
        labels = tuple(self.column.enum_values or ())
        if any(map(PLACEHOLDER.search, labels)):
            return ()
        return labels or allowed_values(self.column.name, self.context.table.checks, PLACEHOLDER)

    @cached_property
    def range(self) -> tuple[str | None, str | None]:
        """The lowest and highest number that checks allow."""
        return allowed_range(self.column.name, self.context.table.checks)

    @cached_property
    def samples(self) -> MaskedSamples:
        """The part of the samples that may be shown."""
        return self.context.samples.get(self.column.name) or MaskedSamples()

    @cached_property
    def sensitive(self) -> SensitiveKind | None:
        """The kind of personal or secret data that the column seems to hold."""
        return self.samples.kind or detect_by_name(self.column.name, self.context.table.table_name)


def facts_of(context: TableContext) -> list[ColumnFacts]:
    """The facts of every column of a table."""
    names = [context.table.table_name, *(column.name for column in context.table.columns)]
    # One abbreviation is no evidence of what another stands for.
    words = frozenset(word for name in names for word in _tokens(name) if not _is_abbreviation(word))
    origins = view_origins(context.table).columns
    facts: list[ColumnFacts] = []
    facts.extend(
        ColumnFacts(context, column, words, origins.get(column.name, ""), facts) for column in context.table.columns
    )
    return facts


@lru_cache(maxsize=16_384)
def _tokens(name: str) -> tuple[str, ...]:
    return tuple(segment_all(split_identifier(name)))


@lru_cache(maxsize=8_192)
def _is_abbreviation(word: str) -> bool:
    return expand(word) != word


@lru_cache(maxsize=8_192)
def _spoken(word: str) -> str:
    if not is_acronym(word):
        return word
    return f"{word[:-1].upper()}s" if word.endswith("s") and is_acronym(word[:-1]) else word.upper()
