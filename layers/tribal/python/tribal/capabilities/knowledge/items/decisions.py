"""Reads the title, the status and a one-sentence summary of a decision record.

Reads the formats of Nygard and MADR as they occur in practice: a heading `Status` with the word below it, or a line
that begins with `Status:`.

Source: docs/contracts.md, Knowledge.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date

from tribal.capabilities.knowledge.items.markdown_outline import Line, Outline, Section
from tribal_contracts.knowledge import KnowledgeStatus

REJECTED = "rejected"
_STATUS_OF: dict[str, KnowledgeStatus | str] = {
    "accepted": "accepted",
    "approved": "accepted",
    "adopted": "accepted",
    "decided": "accepted",
    "implemented": "accepted",
    "proposed": "proposed",
    "pending": "proposed",
    "review": "proposed",
    "experimental": "proposed",
    "trial": "proposed",
    "draft": "draft",
    "on hold": "draft",
    "deprecated": "deprecated",
    "superseded": "superseded",
    "superceded": "superseded",
    "replaced": "superseded",
    "obsoleted": "superseded",
    "reverted": "superseded",
    REJECTED: REJECTED,
}
_WORDS = re.compile(rf"\b(?:{'|'.join(_STATUS_OF)})\b", re.IGNORECASE)
_REPLACED = re.compile(r"\b(?:superseded|superceded|replaced|obsoleted|reverted)\b.{0,20}?\bby\b", re.IGNORECASE)
_STRUCK = re.compile(r"~~.*?~~")
_PLACEHOLDER = re.compile(r"[{<][^{}<>]*[}>]\Z")
_BY = re.compile(r"\bby\b", re.IGNORECASE)
_NUMBERED = re.compile(
    r"(?:ADR|Decision|DR)?[\s:#-]*\d+(?:\.\d+)*\s*(?:[.:)\]\u2013\u2014-]|\s)\s*(?=\S)", re.IGNORECASE
)
_DECLARED = re.compile(r"(?P<name>status|date|superseded[ -]by)\s*[:\uff1a]\s*(?P<value>.+)", re.IGNORECASE)
_DAY = re.compile(r"\b(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})\b")
_DECISION = ("decision", "decision outcome")
_SENTENCE = re.compile(r"(.+?[.!?])(?=\s|$)")
SUMMARY_CHARS = 300


@dataclass(frozen=True, slots=True)
class DeclaredStatus:
    """A status as written in a file.

    Attributes:

    Attributes:
        status: one of the specification's, or `rejected`; `None` when the words are not known.
        line: where.
        superseded_by: targets of links behind it.
    """

    text: str
    status: str | None
    line: int
    superseded_by: tuple[str, ...] = ()


def title_of(outline: Outline) -> Line | None:
    """The first heading, without its number."""
    first = next((each.heading for each in outline.sections if each.heading is not None and each.heading.text), None)
    if first is None:
        return None
    return Line(without_number(first.text), first.number)


def without_number(title: str) -> str:
    """A title without the number that many begin with: `3. Title`, `ADR-003: Title`."""
    found = _NUMBERED.match(title)
    return title[found.end() :] if found else title


def status_of(outline: Outline) -> DeclaredStatus | None:
    """The declared status."""
    lines = next(_declarations("status", outline), ())
    if not lines:
        return None
    # `Accepted` often stays above `Superseded by` when a record is replaced.
    line = next((each for each in lines[1:] if _REPLACED.match(each.text)), lines[0])
    status, is_placeholder = known_status(line.text)
    superseded_by = line.targets if status == "superseded" else ()
    return DeclaredStatus(line.text, None if is_placeholder else status, line.number, superseded_by)


def known_status(text: str) -> tuple[str | None, bool]:
    """The status in a text, and whether the text is a template that lists several."""
    text = _STRUCK.sub("", text)
    if _REPLACED.search(text):
        return "superseded", "|" in text
    before_link = _BY.split(text)[0]
    words = list(dict.fromkeys(_STATUS_OF[found.casefold()] for found in _WORDS.findall(before_link)))
    is_list = len(words) > 1 and (before_link.lstrip().startswith(("[", "{", "<")) or "|" in before_link)
    return (words[0] if words else None), is_list


def is_template(outline: Outline) -> bool:
    """Whether a file is a form to copy, with a placeholder in place of its title."""
    title = title_of(outline)
    return title is not None and _PLACEHOLDER.match(title.text) is not None


def summary_of(outline: Outline, title: str) -> str:
    """The first sentence of the decision, else the title."""
    section = next((each for each in outline.sections if _is_called(each, _DECISION) and each.lines), None)
    if section is None:
        return title
    text = " ".join(line.text for line in section.lines[:3])
    found = _SENTENCE.match(text)
    sentence = found[1] if found else section.lines[0].text
    return sentence if len(sentence) <= SUMMARY_CHARS else sentence[: SUMMARY_CHARS - 1].rstrip() + "\u2026"


def day_of(outline: Outline) -> str | None:
    """The declared day, as `YYYY-MM-DD`."""
    for lines in _declarations("date", outline):
        if found := day(lines[0].text):
            return found
    return None


def day(text: str) -> str | None:
    """The first day in a text, as `YYYY-MM-DD`; `None` if it has none or that is not in the calendar."""
    for found in _DAY.finditer(text):
        with suppress(ValueError):
            return date(*map(int, found.groups())).isoformat()
    return None


def _declarations(name: str, outline: Outline) -> Iterator[Sequence[Line]]:
    """The lines given for a name, by a heading or on a line of its own, in order of the file."""
    for section in outline.sections:
        if section.heading is not None and section.heading.text.casefold().rstrip(":") == name:
            if section.lines:
                yield section.lines
            continue
        if section.heading is not None and (found := _one(section.heading, name)):
            yield [found]
        lines: Sequence[Line] = section.lines
        for place, line in enumerate(lines):
            if found := _one(line, name):
                yield [found]
            elif line.is_cell and line.text.casefold() == name and place + 1 < len(lines):
                yield [lines[place + 1]]


def _one(line: Line, name: str) -> Line | None:
    found = _DECLARED.match(line.text)
    if found is None or found["name"].casefold() != name:
        return None
    return Line(found["value"], line.number, line.targets)


def _is_called(section: Section, names: Sequence[str]) -> bool:
    return section.heading is not None and section.heading.text.casefold().strip(" :") in names
