"""Missing descriptions of a table, and the lines to fill in in the annotations file."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

from tribal.identity.table_names import format_name
from tribal.naming import index_terms, is_word, read_name, segment_all, split_identifier, tokenize_text
from tribal_contracts import DocumentedColumn, TableDocument

_PLAIN_WORDS = frozenset(
    """
    address at birth birthday by city comment comments country created date day deleted description email family
    fax first inserted label language last latitude line longitude mail middle mobile modified month name nickname note
    notes of on phone postal postcode remark remarks state street surname telephone text time timestamp title updated
    url website year zip zipcode
    """.split()
)
"""Words of names that say to anyone what a column holds."""
PAGE_GAPS = 8
"""The most columns that a page asks to be described."""


@dataclass(frozen=True, slots=True)
class Gaps:
    """The missing descriptions of a table."""

    place: str
    """`schema.table`, as in the annotations file."""
    table: bool
    """Whether the table itself has no description."""
    columns: tuple[str, ...]
    """Columns without a description, least clear names first, then in table order."""


def gaps(document: TableDocument) -> Gaps:
    """Find the missing descriptions: of the table by a person, a comment or a model, and of its columns."""
    blank = [column.name for column in document.columns if not column.description.text]
    return Gaps(
        place=format_name((document.schema_, document.table)),
        table=document.description.source == "derived",
        columns=tuple(sorted(blank, key=unclear, reverse=True)),
    )


@lru_cache(maxsize=16_384)
def unclear(name: str) -> float:
    """The share of a name's words that are not English words, from 0 to 1."""
    words = segment_all(split_identifier(name))
    return sum(not is_word(word) for word in words) / len(words) if words else 1.0


def needs_description(column: DocumentedColumn) -> bool:
    """Whether neither a key nor the name says what a column holds."""
    return not (column.is_primary_key or column.is_foreign_key or explains_itself(column.name))


@lru_cache(maxsize=16_384)
def explains_itself(column: str) -> bool:
    """Whether a name says all that a description would, such as `created_at` or `address_line2`."""
    words = [word for word in split_identifier(column) if not word.isdigit()]
    return bool(words) and _PLAIN_WORDS.issuperset(words)


FEW_WORDS = 3
"""A description of fewer words is too short."""


def restates(text: str, *names: str) -> bool:
    """Whether every content word of a text occurs, in full or abbreviated, in one of the names."""
    known = {term for name in names for term in index_terms(" ".join((name, *read_name(name)[1])))}
    return set(index_terms(text)) <= known


def says_little(text: str, *names: str) -> bool:
    """Whether a description only repeats names, or is too short to say more."""
    return restates(text, *names) or len(tokenize_text(text)) < FEW_WORDS


def page_lines(missing: Gaps) -> str:
    """The lines to fill in, for a table's page; empty if nothing is missing."""
    if not missing.table and not missing.columns:
        return ""
    return annotation_lines([replace(missing, columns=missing.columns[:PAGE_GAPS])])


def annotation_lines(missing: Iterable[Gaps]) -> str:
    """The part of an annotations file to fill in, as YAML without the last line break."""
    lines = ["tables:"]
    for gap in missing:
        lines.append(f"  {_quoted(gap.place)}:")
        if gap.table:
            lines.append('    description: ""')
        if gap.columns:
            lines.append("    columns:")
            lines.extend(f'      {_quoted(name)}: ""' for name in gap.columns)
    return "\n".join(lines)


def _quoted(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)
