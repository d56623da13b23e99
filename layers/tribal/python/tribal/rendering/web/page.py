"""The page for browsing the documentation: as one file, as a static site, or served with data from a server.

The one file needs neither a network nor another file.

Everything read from a database is embedded as JSON, in a script element of a type that browsers do not run, and reaches
the page only as text nodes. A strict content security policy allows our own script and style by their hashes, in the
forms with several files by their place, and nothing else.

Markup, style and scripts are files next to this module; `page/` in the repository holds the sources of the last two.
Like code, they are constants: shipped with the package, located through the import system, and read once per process.
The page depends only on the arguments, so this package stays free of I/O otherwise.
"""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from tribal.identity.hashing import object_hash
from tribal.rendering.web.records import Record, encoded

PAGE_SCRIPT, GRAPH_SCRIPT, STYLE = "page.js", "graph.js", "page.css"
"""Files that `page/build.mjs` makes: the page, its diagrams and the map, its style."""

_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")
_RECORDS = "\n{{records}}\n"
_SEAL = re.compile(rb"<!-- made from ([0-9a-f]{64}), content ([0-9a-f]{64}) -->\Z")
_CLOSED = "base-uri 'none'; form-action 'none'"
SERVED_POLICY = (
    f"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-ancestors 'none'; {_CLOSED}"
)
"""The Content-Security-Policy that a server sends with the page."""


@dataclass(frozen=True, slots=True)
class WebFile:
    """A file of the page as a server sends it."""

    data: bytes
    content_type: str


@cache
def page_files() -> Mapping[str, WebFile]:
    """The files of the page that loads its data from a server, by name; `index.html` belongs at the root."""
    index = _markup("server", "", SERVED_POLICY.replace(" frame-ancestors 'none';", ""))
    types = {PAGE_SCRIPT: "text/javascript", GRAPH_SCRIPT: "text/javascript", STYLE: "text/css"}
    return {
        "index.html": WebFile(index.encode(), "text/html; charset=utf-8"),
        **{name: WebFile(data, f"{types[name]}; charset=utf-8") for name, data in site_files().items()},
    }


def site_index(folder: str) -> bytes:
    """The page of a static site, with its script, style and parts in a folder next to it."""
    policy = f"default-src 'none'; script-src 'self'; style-src 'self'; {_CLOSED}"
    return _markup("site", f"{folder}/", policy).encode()


def site_files() -> Mapping[str, bytes]:
    """Scripts and style of a static site, by name."""
    return {name: source(name).encode() for name in (PAGE_SCRIPT, GRAPH_SCRIPT, STYLE)}


def part_script(name: str, value: object) -> bytes:
    """A part of the data as a script, the only thing that pages opened from disk may load."""
    # In a literal, this key would set the prototype instead.
    literal = encoded(value).replace(b'"__proto__":', b'["__proto__"]:')
    return b"tribalPart(" + encoded(name) + b"," + literal + b");\n"


@cache
def page_version() -> str:
    """A hash of the page without its records."""
    return object_hash([*_frame()])


@cache
def _frame() -> tuple[str, str]:
    """The one-file page before and after its records."""
    style, scripts = source(STYLE), [source(PAGE_SCRIPT), source(GRAPH_SCRIPT)]
    hashes = " ".join(map(_hashed, scripts))
    policy = f"default-src 'none'; script-src {hashes}; style-src {_hashed(style)}; {_CLOSED}"
    texts = {
        "source": "file",
        "parts": "",
        "policy": policy,
        "style": f"<style>{style}</style>",
        "data": f'<script type="application/json" id="data">[{_RECORDS}]</script>',
        "script": "\n".join(f"<script>{script}</script>" for script in scripts),
    }
    top, bottom = _filled(texts).removesuffix("\n").split(_RECORDS)
    return top, bottom


def _markup(form: str, folder: str, policy: str) -> str:
    """The page whose script and style are files in a folder, with the parts of its data."""
    texts = {
        "source": form,
        "parts": folder,
        "policy": policy,
        "style": f'<link rel="stylesheet" href="{folder}{STYLE}">',
        "data": "",
        "script": f'<script src="{folder}{PAGE_SCRIPT}"></script>',
    }
    return _filled(texts)


def _filled(texts: Mapping[str, str]) -> str:
    # In a single pass, so that nothing in the script or style is mistaken for a placeholder.
    return _PLACEHOLDER.sub(lambda found: texts[found[1]], source("page.html"))


@cache
def source(name: str) -> str:
    """The text of a file of the page."""
    # Read as text, so that a checkout with CRLF line endings produces the same page.
    return (files(__package__) / name).read_text(encoding="utf-8")


def _hashed(text: str) -> str:
    return f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


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
