r"""Escaping of untrusted text for GitHub's Markdown.

Names and comments always render as their literal characters, never as the end of a table cell, a link, HTML, a heading,
emphasis or mathematics. Invisible characters are shown as `\u202E`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from urllib.parse import quote

from tribal.sql.visibility import is_visible

_WHITE_SPACE = re.compile(r"[ \t\r\n\f\v\u0085\u00a0\u2028\u2029]+")
_ALWAYS_ESCAPED = re.compile(r"[\\`*\[\]|~$]")
_LONE_UNDERSCORE = re.compile(r"(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
_ENTITY = re.compile(r"&(?=#?[0-9A-Za-z]+;)")
_BLOCK_START = re.compile(r"\A(?:[#+=-]|(?P<digits>\d{1,9})(?P<mark>[.)]))")
_URL = re.compile(r"(?<=:)//|(?<=www)\.", re.IGNORECASE)
_BACKTICKS = re.compile(r"`+")


def show_invisible(text: str, *, keep: str = "") -> str:
    r"""Write control, format, surrogate and separator characters as `\u202E`, except those in `keep`."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(char if char in keep or is_visible(char) else _code_point(char) for char in text)


def _code_point(char: str) -> str:
    code = ord(char)
    return f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"


def one_line(text: str) -> str:
    """Collapse all white space into single spaces and make invisible characters visible."""
    return show_invisible(_WHITE_SPACE.sub(" ", text).strip(" "))


def escape_text(text: str) -> str:
    """A text as one line of Markdown prose, for a paragraph, list item, heading or table cell."""
    line = _ALWAYS_ESCAPED.sub(lambda found: "\\" + found[0], one_line(text))
    line = _LONE_UNDERSCORE.sub(r"\\_", line)
    line = _ENTITY.sub("&amp;", line).replace("<", "&lt;").replace(">", "&gt;")
    line = _URL.sub(lambda found: r"\/\/" if found[0] == "//" else r"\.", line)
    return _BLOCK_START.sub(_escape_block_start, line)


def _escape_block_start(found: re.Match[str]) -> str:
    return f"{found['digits']}\\{found['mark']}" if found["digits"] else "\\" + found[0]


def code_span(text: str) -> str:
    """A text as inline code, or as escaped prose if it cannot be written as code."""
    line = show_invisible(text.replace("\r\n", "\n").replace("\n", " ").replace("\t", " "))
    if not line.strip(" "):
        return escape_text(f'"{line}"')
    ticks = "`" * (1 + max((len(run) for run in _BACKTICKS.findall(line)), default=0))
    padding = " " if line.startswith(("`", " ")) or line.endswith(("`", " ")) else ""
    return f"{ticks}{padding}{line}{padding}{ticks}"


def cell_code(text: str) -> str:
    """A text as inline code in a table cell."""
    # A backslash before a pipe always leaks out of the code or ends the cell; prose can represent it.
    if "\\|" in text or text.endswith("\\"):
        return escape_text(text)
    return code_span(text).replace("|", "\\|")


def fence(text: str, language: str = "") -> str:
    """A text as a fenced block that the text cannot close."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    body = "\n".join(show_invisible(line, keep="\t") for line in lines).strip("\n")
    ticks = "`" * max(3, 1 + max((len(run) for run in _BACKTICKS.findall(body)), default=0))
    return f"{ticks}{language}\n{body}\n{ticks}"


def relative_link(from_page: str, to_path: str) -> str:
    """The link destination from one page to another file, both given relative to `docs/`."""
    here, there = from_page.split("/")[:-1], to_path.split("/")
    shared = 0
    while shared < min(len(here), len(there) - 1) and here[shared] == there[shared]:
        shared += 1
    return quote("/".join([".."] * (len(here) - shared) + there[shared:]), safe="/._-~")


def link(label: str, from_page: str, to_path: str) -> str:
    """A link; its label must already be Markdown."""
    return f"[{label}]({relative_link(from_page, to_path)})"


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], *, right: Sequence[int] = ()) -> str:
    """A table; its cells must already be Markdown, and the columns in `right` are right-aligned."""
    lines = [
        "| " + " | ".join(headings) + " |",
        "|" + "|".join(" ---: " if position in right else " --- " for position in range(len(headings))) + "|",
    ]
    lines.extend("| " + " | ".join(row) + " |" for row in rows)
    return "\n".join(lines)


def list_section(heading: str, lines: Iterable[str]) -> str:
    """A heading and a list below it, both already Markdown; empty without lines."""
    items = "\n".join(f"- {line}" for line in lines)
    return f"{heading}\n\n{items}" if items else ""


def page(blocks: Iterable[str]) -> str:
    """Join blocks with blank lines and end with a newline; empty blocks are left out."""
    return "\n\n".join(block for block in blocks if block) + "\n"
