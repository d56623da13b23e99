"""Texts that say how many columns or keys a table has."""

from __future__ import annotations

import re
from collections.abc import Callable

from tribal.text_checks.contradictions.clauses import Clause, clauses_of, is_row
from tribal.text_checks.contradictions.facts import WITH_KEYS, differs
from tribal.text_checks.contradictions.forms import NUMBER
from tribal_contracts import TableDocument

_HAS = (
    r"(?:(?P<subject>it|this|(?:(?:the|this|an?) )?(?!(?:has|have|with|there|in)\b)[\w.-]+(?: table)?) )??"
    r"(?P<has>(?:(?:only|just|has|have|with|of|consists of|contains|there are|in all) )*)"
)
_KEY = r"(?:the |an? |its )?(?:(?:composite|primary|composite primary) )?key "
_FORMS: tuple[tuple[re.Pattern[str], str, Callable[[TableDocument], int]], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), what, count)
    for pattern, what, count in (
        (rf"{_HAS}{NUMBER} columns?(?P<all> in (?:all|total))?", "columns", lambda table: len(table.columns)),
        (
            rf"{_HAS}{NUMBER} foreign keys?(?P<all> in (?:all|total))?",
            "foreign keys",
            lambda table: len({key.name for key in table.foreign_keys}) if table.kind in WITH_KEYS else -1,
        ),
        (
            rf"{_HAS}{NUMBER} primary keys?",
            "primary keys",
            lambda table: int(table.primary_key is not None) if table.kind in WITH_KEYS else -1,
        ),
        (
            rf"(?:{_KEY}(?:has|is|consists of|spans|covers|over|of|is made (?:up )?of|uses)|composite key of)"
            rf" {NUMBER} columns?",
            "columns of the primary key",
            lambda table: len(table.primary_key.columns) if table.primary_key else -1,
        ),
    )
)
_THIS = re.compile(r"it|this|(?:the |this )?table|this \w+ table|an? (?:[\w-]+ )?table", re.IGNORECASE)


def miscounted(text: str, table: TableDocument) -> tuple[str, str] | None:
    """The words that give a wrong number of columns or keys, and the right one."""
    for clause in clauses_of(text):
        for pattern, what, count in _FORMS:
            found, actual = pattern.fullmatch(clause.text), count(table)
            if found and actual >= 0 and clause.is_firm and _is_about(found, clause, table) and differs(found, actual):
                return clause.text, f"it has {actual} {what if actual != 1 else re.sub('s(?= of|$)', '', what)}"
    return None


def _is_about(found: re.Match[str], clause: Clause, table: TableDocument) -> bool:
    """Whether a count is that of the table; without a verb only where a sentence begins with it."""
    parts = found.groupdict()
    if subject := parts.get("subject"):
        return _THIS.fullmatch(subject) is not None or is_row(
            subject.removesuffix(" table").rpartition(".")[2], table.table
        )
    return parts.get("has") != "" or bool(parts.get("all")) or not clause.before
