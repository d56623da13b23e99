"""Finds the encoding of a text from its first bytes: by its byte order mark, or by what a page of HTML declares."""

from __future__ import annotations

import codecs
import re

MARKED_UTF8 = "utf-8-sig"
"""UTF-8 with or without a byte order mark."""
_DECLARED_WITHIN = 64 * 1024
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_DECLARED = re.compile(
    rb"<meta\s[^>]*?\bcharset\s*=\s*[\"']?\s*([\w.:-]+)|\A\s*<\?xml\s[^>]*?\bencoding\s*=\s*[\"']\s*([\w.:-]+)",
    re.IGNORECASE,
)
_BROWSERS_READ = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "gb2312": "gb18030",
    "gbk": "gb18030",
}
"""What a declared name means to browsers where it is not what the standard says. Source: https://encoding.spec.whatwg.org"""
_ALIASES = {
    "big5": "big5hkscs",
    "windows-31j": "cp932",
    "windows-874": "cp874",
    "x-gbk": "gb18030",
    "x-mac-cyrillic": "mac-cyrillic",
    "x-sjis": "cp932",
}
_OF_WEB = re.compile(
    r"ascii|utf-8|iso8859-\d+|cp(?:125\d|866|874|932|949)|tis-620|koi8-[ru]|mac-(?:roman|cyrillic)"
    r"|shift_jis|euc_jp|iso2022_jp|euc_kr|gb2312|gbk|gb18030|big5(?:hkscs)?"
)
"""Python's names of the encodings of pages; Python also has codecs that are no encodings of text."""


def marked_encoding(data: bytes) -> str:
    """Return the encoding that a byte order mark names; UTF-8 without one."""
    return "utf-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else MARKED_UTF8


def html_encoding(data: bytes) -> str:
    """Return the encoding of a page: by its byte order mark, else as it declares, else UTF-8."""
    marked = marked_encoding(data)
    if marked != MARKED_UTF8 or data.startswith(codecs.BOM_UTF8):
        return marked
    found = _DECLARED.search(_COMMENT.sub(b"", data[:_DECLARED_WITHIN]))
    declared = "" if found is None else (found[1] or found[2]).decode("latin-1")
    return _named(declared.lower()) or MARKED_UTF8


def _named(label: str) -> str | None:
    try:
        name = codecs.lookup(_ALIASES.get(label, label)).name
    except (LookupError, ValueError):
        return None
    return _BROWSERS_READ.get(name, name) if _OF_WEB.fullmatch(name) else None
