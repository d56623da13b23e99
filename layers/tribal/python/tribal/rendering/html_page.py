"""The one page in which the whole documentation can be looked through: it needs no network and no other file.

Everything that was read from a database travels as JSON, in a script element of a type that browsers do not run, and
reaches the page as text nodes alone. A strict content security policy allows our own script and style by their hashes,
and nothing else.
"""

from __future__ import annotations

import hashlib
import html
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator

from tribal.catalog.hashing import object_hash
from tribal.rendering.html_diagram import DIAGRAM_SCRIPT
from tribal.rendering.html_records import Record, encoded
from tribal.rendering.html_script import SCRIPT
from tribal.rendering.html_style import STYLE
from tribal.rendering.html_views import VIEWS_SCRIPT

_SCRIPT = '\n"use strict";\n' + DIAGRAM_SCRIPT + VIEWS_SCRIPT + SCRIPT
_SEAL = re.compile(rb"<!-- made from ([0-9a-f]{64}), content ([0-9a-f]{64}) -->\Z")


def _hashed(source: str) -> str:
    return f"'sha256-{b64encode(hashlib.sha256(source.encode()).digest()).decode()}'"


_SOURCES = f"script-src {_hashed(_SCRIPT)}; style-src {_hashed(STYLE)}"
_POLICY = f"default-src 'none'; {_SOURCES}; base-uri 'none'; form-action 'none'"
_TOP = f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{html.escape(_POLICY, quote=False)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="Tribal Knowledge">
<title>Data catalog</title>
<style>{STYLE}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<div class="frame">
<aside>
<p class="home"><a href="#/">Data catalog</a></p>
<label for="search">Search names and descriptions</label>
<input id="search" type="search" autocomplete="off" spellcheck="false" aria-describedby="found"
 placeholder="Press / to search">
<p id="found" role="status" aria-live="polite"></p>
<nav id="tree" aria-label="Databases, domains and tables"></nav>
<nav id="results" aria-label="Search results" hidden></nav>
</aside>
<main id="content" tabindex="-1">
<noscript><p>This page needs JavaScript. The same documentation lies beside it as Markdown: start at README.md.</p>
</noscript>
</main>
</div>
<script type="application/json" id="data">["""
_BOTTOM = f"""]</script>
<script>{_SCRIPT}</script>
</body>
</html>"""

PAGE_VERSION = object_hash([_TOP, _BOTTOM])
"""Changes whenever the page around the records does."""


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
    yield from _TOP.encode().split(b"\n")
    before = b""
    for record in records:
        yield before + encoded(record)
        before = b","
    yield from _BOTTOM.encode().split(b"\n")


def is_intact_page(lines: Iterable[bytes], made_from: str) -> bool:
    """Whether these are the lines of a page made from the same, which nobody touched since."""
    digest, last = hashlib.sha256(), None
    for line in lines:
        if last is not None:
            digest.update(last + b"\n")
        last = line
    seal = _SEAL.match(last or b"")
    return seal is not None and seal.group(1).decode() == made_from and seal.group(2).decode() == digest.hexdigest()
