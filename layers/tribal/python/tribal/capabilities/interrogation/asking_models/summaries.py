"""Render a model's summary as Markdown: paragraphs and lists, without links, images and HTML."""

from __future__ import annotations

import re

from tribal.capabilities.interrogation.asking_models.prose import STATEMENTS, ProseCheck
from tribal.rendering.markdown import escape_text
from tribal.rendering.words import bounded

MOST_CHARS, MOST_LINES = 4_000, 60
_RULES = STATEMENTS - {"name"}
_ITEM = re.compile(r"\s*(?:[-*+\u2022]|\d{1,2}[.)])\s+")
_HEADING = re.compile(r"\s*#{1,6}\s+")


def markdown_summary(text: str, check: ProseCheck) -> tuple[str, tuple[str, ...]]:
    """Return the valid lines of a summary as Markdown, and the invented names in the others."""
    lines: list[str] = []
    invented: list[str] = []
    for line in bounded(text, MOST_CHARS).splitlines()[:MOST_LINES]:
        item = _ITEM.match(line)
        checked = check.check(_HEADING.sub("", line[item.end() :] if item else line), _RULES)
        invented += checked.invented
        if checked.sentences:
            lines += [f"- {escape_text(checked.text)}"] if item else ["", escape_text(checked.text), ""]
    blocks = "\n".join(lines).strip("\n")
    return (re.sub(r"\n{3,}", "\n\n", blocks) + "\n" if blocks else ""), tuple(invented)
