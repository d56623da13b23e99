"""A single page for browsing the whole documentation, which needs neither a network nor another file.

Everything read from a database is embedded as JSON, in a script element of a type that browsers do not run, and reaches
the page only as text nodes. A strict content security policy allows our own script and style by their hashes, and
nothing else.

Markup, style and script are files beside this module. Like code, they are constants: shipped with the package, located
through the import system, and read once per process. The page depends only on the arguments, so this package stays free
of I/O otherwise.
"""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files

from tribal.catalog.hashing import object_hash
from tribal.rendering.web.records import Record, encoded

SCRIPTS = ("diagram.js", "views.js", "records.js", "tree.js", "address.js", "match.js", "search.js", "start.js")
"""Parts of the page's script, in order: each may use the constants of earlier ones, and any function."""

_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")
_RECORDS = "\n{{records}}\n"
_SEAL = re.compile(rb"<!-- made from ([0-9a-f]{64}), content ([0-9a-f]{64}) -->\Z")


def script() -> str:
    """The text of the page's script element."""
    return "".join(['\n"use strict";\n', *(f"\n{_source(name)}" for name in SCRIPTS)])


@cache
def page_version() -> str:
    """A hash of the page without its records."""
    return object_hash([*_frame()])


@cache
def _frame() -> tuple[str, str]:
    """The parts of the page before and after the records."""
    texts = {"style": f"\n{_source('style.css')}", "script": script()}
    sources = "; ".join(f"{kind}-src {_hashed(texts[kind])}" for kind in ("script", "style"))
    texts["policy"] = f"default-src 'none'; {sources}; base-uri 'none'; form-action 'none'"
    top, bottom = _source("page.html").removesuffix("\n").split(_RECORDS)
    # In a single pass, so that nothing in the script or the style is taken for a placeholder.
    return _PLACEHOLDER.sub(lambda found: texts[found[1]], top), _PLACEHOLDER.sub(lambda found: texts[found[1]], bottom)


def _source(name: str) -> str:
    # Read as text, so that a checkout with CRLF line endings produces the same page.
    return (files(__package__) / name).read_text(encoding="utf-8")


def _hashed(source: str) -> str:
    return f"'sha256-{b64encode(hashlib.sha256(source.encode()).digest()).decode()}'"


def html_page(records: Iterable[Record], made_from: str) -> Iterator[bytes]:
    """The lines of the page, one per record; the last line holds a hash of the others and of `made_from`.

    `made_from` is a SHA-256 of the inputs of all records.
    """
    digest = hashlib.sha256()
    for line in _lines(records):
        digest.update(line + b"\n")
        yield line
    yield f"<!-- made from {made_from}, content {digest.hexdigest()} -->".encode()


def _lines(records: Iterable[Record]) -> Iterator[bytes]:
    top, bottom = _frame()
    yield from top.encode().split(b"\n")
    before = b""
    for record in records:
        yield before + encoded(record)
        before = b","
    yield from bottom.encode().split(b"\n")


def is_intact_page(lines: Iterable[bytes], made_from: str) -> bool:
    """Whether these are the unmodified lines of a page made from the same inputs."""
    digest, last = hashlib.sha256(), None
    for line in lines:
        if last is not None:
            digest.update(last + b"\n")
        last = line
    seal = _SEAL.match(last or b"")
    return seal is not None and seal.group(1).decode() == made_from and seal.group(2).decode() == digest.hexdigest()
