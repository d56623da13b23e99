"""Reads what a browser would show of HTML, without its style sheets. Nothing that it refers to is loaded."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from html.parser import HTMLParser
from typing import IO

from tribal.adapters.documents.text import decoded
from tribal.encodings import html_encoding

_LARGEST_BYTES = 64 << 20
_UNSHOWN = frozenset(
    "applet audio canvas datalist embed head iframe math noembed noframes noscript object script select style svg "
    "template textarea title video".split()
)
_OF_HEAD = frozenset("base basefont bgsound link meta noframes noscript script style template title".split())
_VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
_PARAGRAPHS = frozenset(
    "article aside blockquote body details dl fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr main nav ol p "
    "pre section table ul".split()
)
_LINES = frozenset("address br caption dd div dt figcaption legend li option summary tr".split())
_CELLS = ("td", "th")
_FOREIGN = ("math", "svg")
"""The elements in which `<a/>` ends at once; in HTML it is `<a>`."""
_CLOSED_BY = {
    "dd": ("dd", "dt"),
    "dt": ("dd", "dt"),
    "li": ("li",),
    "td": ("td", "th"),
    "th": ("td", "th"),
    "tr": ("td", "th", "tr"),
}
"""The elements that end where another one begins, if they are innermost."""
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_HIDING = re.compile(
    r"(?:^|;)(?:display:none|visibility:(?:hidden|collapse)|(?:opacity|font-size):0+(?:\.0*)?[a-z%]*(?=[;!]|$))"
)
_PRESERVED = {ord(" "): "\u00a0", ord("\t"): "\u00a0" * 4}
_SPACES = re.compile(" +")
_WHITE_SPACE = re.compile(r"[ \t\n\r\f]+")


def html_text(file: IO[bytes]) -> str:
    """The text of a page, with line breaks where blocks begin and end.

    Raises:
        ParsingFailed: when it is too large, or not text.
    """
    return shown_text(decoded(file, _LARGEST_BYTES, html_encoding))


def shown_text(markup: str) -> str:
    """The text that is shown of HTML."""
    reader = _Reader()
    reader.feed(markup)
    reader.close()
    return reader.text()


class _Reader(HTMLParser):
    """Collects shown text."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._parts: list[str] = []
        self._open: list[tuple[str, bool]] = []
        """The elements around the current place, and whether each hides what is in it."""
        self._counts: Counter[str] = Counter()
        self._hiding = 0
        self._breaks = 0
        """Line breaks before the next text."""

    def text(self) -> str:
        """What was collected. Spaces at the ends of lines and cells go, but not those of preformatted text."""
        text = _SPACES.sub(" ", "".join(self._parts)).replace(" \t", "\t").replace("\t ", "\t")
        return "\n".join(line.strip(" \t") for line in text.split("\n"))

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self._close_before(tag)
        self._break(tag)
        if tag in _VOID:
            return
        is_hiding = tag in _UNSHOWN or _is_hidden(dict(attrs))
        self._open.append((tag, is_hiding))
        self._counts[tag] += 1
        self._hiding += is_hiding

    def handle_startendtag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        if tag not in _FOREIGN and not any(self._counts[each] for each in _FOREIGN):
            self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if self._counts[tag]:
            while self._pop() != tag:
                pass
        if tag not in _CELLS:
            self._break(tag)

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1][0] == "head" and not data.isspace():
            self._pop()
        if self._hiding:
            return
        shown = data.translate(_PRESERVED) if self._counts["pre"] else _WHITE_SPACE.sub(" ", data)
        if shown != " ":
            self._parts.append("\n" * self._breaks)
            self._breaks = 0
        self._parts.append(shown)

    def _close_before(self, tag: str) -> None:
        """End the elements whose end tags may be left out before this one."""
        if tag in _PARAGRAPHS or tag in _LINES - {"br"}:
            self._pop_if(("p",))
        for each in _CLOSED_BY.get(tag, ()):
            self._pop_if((each,))
        if tag not in _OF_HEAD:
            self._pop_if(("head",))

    def _pop_if(self, tags: Sequence[str]) -> None:
        if self._open and self._open[-1][0] in tags:
            self._pop()

    def _pop(self) -> str:
        tag, is_hiding = self._open.pop()
        self._counts[tag] -= 1
        self._hiding -= is_hiding
        return tag

    def _break(self, tag: str) -> None:
        """Begin a new line or paragraph with the next text, or in a table's row the next cell."""
        if self._hiding:
            return
        if tag in _CELLS:
            self._parts.append("\t")
        elif any(self._counts[cell] for cell in _CELLS):
            self._parts.append(" " if tag in _PARAGRAPHS or tag in _LINES else "")
        elif tag in _PARAGRAPHS:
            self._breaks = 2
        elif tag in _LINES:
            self._breaks = min(2, self._breaks + 1) if tag == "br" else max(1, self._breaks)


def _is_hidden(attributes: dict[str, str | None]) -> bool:
    if "hidden" in attributes or (attributes.get("aria-hidden") or "").strip().lower() == "true":
        return True
    style = _COMMENT.sub("", attributes.get("style") or "")
    return _HIDING.search("".join(style.split()).lower()) is not None
