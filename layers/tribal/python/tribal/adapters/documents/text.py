"""Reads text files, and Markdown as it is written."""

from __future__ import annotations

from collections.abc import Callable
from typing import IO

from tribal.adapters.documents.frames import LARGEST_PAGE_BYTES, too_much_text
from tribal.encodings import marked_encoding
from tribal.ports.passages import ParsingFailed


def plain_text(file: IO[bytes]) -> str:
    """The text of a file.

    Raises:
        ParsingFailed: as `decoded`.
    """
    # UTF-16 has up to twice as many bytes as UTF-8.
    return decoded(file, 2 * LARGEST_PAGE_BYTES, marked_encoding)


def decoded(file: IO[bytes], most_bytes: int, encoding_of: Callable[[bytes], str]) -> str:
    """The text of a file in the encoding that its first bytes say.

    Raises:
        ParsingFailed: when it is larger, in another encoding, or not text.
    """
    data = file.read(most_bytes + 1)
    if len(data) > most_bytes:
        raise too_much_text()
    encoding = encoding_of(data)
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        what = "UTF-8" if encoding == marked_encoding(data) else f"{encoding}, which it declares"
        raise ParsingFailed("unreadable", f"it is not {what}; save it as UTF-8") from None
    if "\0" in text:
        raise ParsingFailed("unreadable", "it is not text")
    return text
