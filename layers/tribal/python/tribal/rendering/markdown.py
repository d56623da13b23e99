r"""Text that others wrote, made harmless in GitHub's Markdown.

Whatever a name or a comment holds, it comes out as the characters that it is made of: never as a table cell's end, a
link, HTML, a heading, emphasis or mathematics. Characters that cannot be seen are shown as `\u202E`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from urllib.parse import quote

from tribal.catalog.visibility import is_visible

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
    """Fold white space of every kind into single blanks and show what is invisible."""
    return show_invisible(_WHITE_SPACE.sub(" ", text).strip(" "))


def escape_text(text: str) -> str:
    """A text as one line of Markdown prose, in a paragraph, a list item, a heading or a table cell."""
    line = _ALWAYS_ESCAPED.sub(lambda found: "\\" + found[0], one_line(text))
    line = _LONE_UNDERSCORE.sub(r"\\_", line)
    line = _ENTITY.sub("&amp;", line).replace("<", "&lt;").replace(">", "&gt;")
    line = _URL.sub(lambda found: r"\/\/" if found[0] == "//" else r"\.", line)
    return _BLOCK_START.sub(_escape_block_start, line)


def _escape_block_start(found: re.Match[str]) -> str:
    return f"{found['digits']}\\{found['mark']}" if found["digits"] else "\\" + found[0]


def code_span(text: str) -> str:
    """A text as inline code; of what cannot be written so, the nearest prose."""
    line = show_invisible(text.replace("\r\n", "\n").replace("\n", " ").replace("\t", " "))
    if not line.strip(" "):
        return escape_text(f'"{line}"')
    ticks = "`" * (1 + max((len(run) for run in _BACKTICKS.findall(line)), default=0))
    padding = " " if line.startswith(("`", " ")) or line.endswith(("`", " ")) else ""
    return f"{ticks}{padding}{line}{padding}{ticks}"


def escape_cell(text: str) -> str:
    """A text as the content of a table cell; a dash where there is none."""
    return escape_text(text) or "-"


def cell_code(text: str) -> str:
    """A text as inline code in a table cell."""
    # A backslash before a pipe ends up outside the code or ends the cell, whatever one writes: prose can say it.
    if "\\|" in text or text.endswith("\\"):
        return escape_text(text)
    return code_span(text).replace("|", "\\|")


def fence(text: str, language: str = "") -> str:
    """A text as a fenced block, which it cannot close."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    body = "\n".join(show_invisible(line, keep="\t") for line in lines).strip("\n")
    ticks = "`" * max(3, 1 + max((len(run) for run in _BACKTICKS.findall(body)), default=0))
    return f"{ticks}{language}\n{body}\n{ticks}"


def relative_link(from_page: str, to_path: str) -> str:
    """The way from one page to another file, both relative to `docs/`, as a link's destination."""
    here, there = from_page.split("/")[:-1], to_path.split("/")
    shared = 0
    while shared < min(len(here), len(there) - 1) and here[shared] == there[shared]:
        shared += 1
    return quote("/".join([".."] * (len(here) - shared) + there[shared:]), safe="/._-~")


def link(label: str, from_page: str, to_path: str) -> str:
    """A link whose label is already Markdown."""
    return f"[{label}]({relative_link(from_page, to_path)})"


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], *, right: Sequence[int] = ()) -> str:
    """A table of cells that are already Markdown; columns in `right` are aligned right."""
    lines = [
        "| " + " | ".join(headings) + " |",
        "|" + "|".join(" ---: " if position in right else " --- " for position in range(len(headings))) + "|",
    ]
    lines.extend("| " + " | ".join(row) + " |" for row in rows)
    return "\n".join(lines)


def page(blocks: Iterable[str]) -> str:
    """Blocks with a blank line between them and a line end at the end; empty blocks are left out."""
    return "\n\n".join(block for block in blocks if block) + "\n"
