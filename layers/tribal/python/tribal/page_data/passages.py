"""A page of an uploaded document, as answers quote it."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from typing import Any

from tribal.capabilities.chat.collections.files import CollectionFiles
from tribal.capabilities.chat.collections.visibility import find_collection
from tribal.capabilities.chat.errors import CollectionNotFound
from tribal.capabilities.chat.parts import chat_parts
from tribal.errors import ObjectNotFound
from tribal.ports import Application, Caller
from tribal_contracts.chat.collections import CollectionSource

MOST_PASSAGES = 500
"""Of a page: some 250,000 characters. By judgement: a PDF's page has fewer, a text without pages may have more."""
_SHOWN_CHARS = 100


@dataclass(frozen=True, slots=True)
class PageReference:
    """A page of a file, as a source of an answer names it."""

    collection: str
    file: str
    path: str | None
    """In the archive that it was uploaded in, if the source has one."""
    page: int
    """From 1."""


def passages_part(wanted: PageReference, caller: Caller, app: Application) -> dict[str, Any]:
    """Return the redacted passages of a page, the first `MOST_PASSAGES` of them; `truncated` says that there are more.

    Raises:
        CollectionNotFound: when the caller may not see the collection, or it has no such file or page by now.
    """
    entry = find_collection(wanted.collection, chat_parts(app).settings, caller)
    files = CollectionFiles(app.store(), entry.title)
    source = _find(wanted, files.manifest().sources)
    pages = 0 if source is None else max(source.pages, 1)
    if source is None or not 1 <= wanted.page <= pages:
        raise _not_found(wanted)
    try:
        with closing(_texts(files, source.source_id, wanted.page)) as texts:
            passages = list(islice(texts, MOST_PASSAGES + 1))
    except ObjectNotFound:
        # It was removed a moment ago.
        raise _not_found(wanted) from None
    return {
        "title": f"{wanted.path or wanted.file}, page {wanted.page}",
        "file": wanted.file,
        **({} if wanted.path is None else {"path": wanted.path}),
        "page": wanted.page,
        "pages": pages,
        "passages": passages[:MOST_PASSAGES],
        **({"truncated": True} if len(passages) > MOST_PASSAGES else {}),
    }


def _find(wanted: PageReference, sources: Sequence[CollectionSource]) -> CollectionSource | None:
    """The file of that name; of several, the one that was added last."""
    found = [
        each for each in sources if wanted.file in each.names and (wanted.path is None or wanted.path in each.paths)
    ]
    return max(found, key=lambda each: (each.added_at, each.source_id), default=None)


def _texts(files: CollectionFiles, source_id: str, page: int) -> Generator[str, None, None]:
    """The texts of a page; passages are in the order of pages."""
    for passage in files.passages(source_id):
        if passage.page_number > page:
            return
        if passage.page_number == page:
            yield passage.text


def _not_found(wanted: PageReference) -> CollectionNotFound:
    shown = f"{wanted.path or wanted.file}"[:_SHOWN_CHARS]
    return CollectionNotFound(
        f"collection {wanted.collection!r} has no page {wanted.page} of {shown!r}; it may have been removed"
    )
