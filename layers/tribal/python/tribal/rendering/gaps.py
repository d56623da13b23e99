"""What of a table nobody has described yet, and the lines of the annotations file that wait for it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

from tribal.identity.table_names import format_name
from tribal.naming import is_word, segment_all, split_identifier
from tribal_contracts import TableDocument

PAGE_GAPS = 8
"""The most columns that a page asks to be described."""


@dataclass(frozen=True, slots=True)
class Gaps:
    """What is missing of one table."""

    place: str
    """`schema.table`, as the annotations file has it."""
    table: bool
    """Whether nobody has told what it is about."""
    columns: tuple[str, ...]
    """Columns of which nothing is known, the least clear names first, then in the order of the table."""


def gaps(document: TableDocument) -> Gaps:
    """What is missing of a table: words of a person, a comment or a model, and any description of its columns."""
    blank = [column.name for column in document.columns if not column.description.text]
    return Gaps(
        place=format_name((document.schema_, document.table)),
        table=document.description.source == "derived",
        columns=tuple(sorted(blank, key=unclear, reverse=True)),
    )


@lru_cache(maxsize=16_384)
def unclear(name: str) -> float:
    """Share of a name's words that are none of the language, from 0 to 1."""
    words = segment_all(split_identifier(name))
    return sum(not is_word(word) for word in words) / len(words) if words else 1.0


def page_lines(missing: Gaps) -> str:
    """The lines that a table's page asks to be filled in; empty if nothing is missing."""
    if not missing.table and not missing.columns:
        return ""
    return annotation_lines([replace(missing, columns=missing.columns[:PAGE_GAPS])])


def annotation_lines(missing: Iterable[Gaps]) -> str:
    """The part of an annotations file that these gaps leave to be filled in, as YAML without its last line break."""
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
