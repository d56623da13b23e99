"""Decode the names in archives. Many names are UTF-8 without a declaration, and old ones use the encoding of their
system."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tribal.capabilities.chat.uploads.zip_directory import UTF8_NAME, DirectoryEntry

_OF_ZIP = "cp437"
"""Encoding of names without the flag, by the standard. It maps every byte to a character."""
_JAPANESE = "cp932"
_KANA_OR_KANJI = r"\u3005\u3041-\u3096\u30a1-\u30fa\u30fc\u4e00-\u9fff"
_JAPANESE_NAME = re.compile(rf"[\x20-\x7e\u3000-\u303f\u30fb\uff01-\uff5e{_KANA_OR_KANJI}]*")
_JAPANESE_WORD = re.compile(rf"[{_KANA_OR_KANJI}]{{2}}")


def entry_names(entries: Sequence[DirectoryEntry]) -> list[str | None]:
    """Return the name of each entry; `None` if it is declared as UTF-8 but is not valid UTF-8."""
    names = [_declared_name(each) for each in entries]
    legacy = [place for place, each in enumerate(entries) if names[place] is None and not each.flags & UTF8_NAME]
    encoding = _legacy_encoding([entries[place].name for place in legacy])
    for place in legacy:
        names[place] = entries[place].name.decode(encoding)
    return names


def _declared_name(entry: DirectoryEntry) -> str | None:
    if entry.unicode_name is not None:
        return entry.unicode_name
    try:
        # macOS and many tools write UTF-8 without the flag. Names in other encodings are hardly ever valid UTF-8.
        return entry.name.decode()
    except UnicodeDecodeError:
        return None


def _legacy_encoding(names: Sequence[bytes]) -> str:
    """Return the encoding of names that are not UTF-8. One system wrote all names, so they share one encoding."""
    try:
        decoded = [each.decode(_JAPANESE) for each in names]
    except UnicodeDecodeError:
        return _OF_ZIP
    # Two letters with accents in a row would look like a word, but not in names that are Japanese throughout.
    is_japanese = all(map(_JAPANESE_NAME.fullmatch, decoded)) and any(map(_JAPANESE_WORD.search, decoded))
    return _JAPANESE if is_japanese else _OF_ZIP
