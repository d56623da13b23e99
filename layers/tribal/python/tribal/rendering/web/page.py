"""The one page in which the whole documentation can be looked through: it needs no network and no other file.

Everything that was read from a database travels as JSON, in a script element of a type that browsers do not run, and
reaches the page as text nodes alone. A strict content security policy allows our own script and style by their hashes,
and nothing else.

Markup, style and script are files beside this module. They are constants of the package, as code is: they ship with it,
are found as modules are found, and are read once a process. What the page says depends on its arguments alone, so this
room stays pure.
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

SCRIPTS = ("diagram.js", "views.js", "records.js", "tree.js", "address.js", "search.js", "start.js")
"""The parts of the page's one script, in its order: each may use constants of those before it, and any function."""

_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")
_RECORDS = "\n{{records}}\n"
_SEAL = re.compile(rb"<!-- made from ([0-9a-f]{64}), content ([0-9a-f]{64}) -->\Z")


def script() -> str:
    """The text of the page's script element."""
    return "".join(['\n"use strict";\n', *(f"\n{_source(name)}" for name in SCRIPTS)])


@cache
def page_version() -> str:
    """Changes whenever the page around the records does."""
    return object_hash([*_frame()])


@cache
def _frame() -> tuple[str, str]:
    """The page before and after its records."""
    texts = {"style": f"\n{_source('style.css')}", "script": script()}
    sources = "; ".join(f"{kind}-src {_hashed(texts[kind])}" for kind in ("script", "style"))
    texts["policy"] = f"default-src 'none'; {sources}; base-uri 'none'; form-action 'none'"
    top, bottom = _source("page.html").removesuffix("\n").split(_RECORDS)
    # All at once, so that nothing in the script or the style is taken for a placeholder.
    return _PLACEHOLDER.sub(lambda found: texts[found[1]], top), _PLACEHOLDER.sub(lambda found: texts[found[1]], bottom)


def _source(name: str) -> str:
    # As text: a checkout that ends its lines with CR LF makes the same page.
    return (files(__package__) / name).read_text(encoding="utf-8")


def _hashed(source: str) -> str:
    return f"'sha256-{b64encode(hashlib.sha256(source.encode()).digest()).decode()}'"


def html_page(records: Iterable[Record], made_from: str) -> Iterator[bytes]:
    """The lines of the page, one a record; the last one seals the others with a hash of them and of what made them.

    `made_from` is a SHA-256 over everything that the records say.
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
    """Whether these are the lines of a page made from the same, which nobody touched since."""
    digest, last = hashlib.sha256(), None
    for line in lines:
        if last is not None:
            digest.update(last + b"\n")
        last = line
    seal = _SEAL.match(last or b"")
    return seal is not None and seal.group(1).decode() == made_from and seal.group(2).decode() == digest.hexdigest()
