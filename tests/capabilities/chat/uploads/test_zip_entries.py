"""Odd entries of archives: each costs only itself, and names are read in the encodings that systems write."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

from tests.capabilities.chat.uploads.test_archives import opened, outcomes
from tests.cases import each_case

UTF8 = 0x800
TEXT = b"Orders leave on the day they are placed."


def entries(*names: bytes, flags: int = 0, extra: bytes = b"", cut: tuple[bytes, bytes] = (b"", b"")) -> bytes:
    """An archive of entries with these names, with a change in its bytes."""
    body = directory = b""
    for name in names:
        fields = struct.pack("<HHHHHIIIHH", 20, flags, 0, 0, 0x58, zlib.crc32(TEXT), len(TEXT), len(TEXT), len(name), 0)
        listed = fields[:-2] + struct.pack("<H", len(extra))
        directory += b"PK\1\2" + struct.pack("<H", 20) + listed + struct.pack("<HHHII", 0, 0, 0, 0, len(body))
        directory += name + extra
        body += b"PK\3\4" + fields + name + TEXT
    end = struct.pack("<HHHHIIH", 0, 0, len(names), len(names), len(directory), len(body), 0)
    return (body + directory + b"PK\5\6" + end).replace(*cut, 1) if cut[0] else body + directory + b"PK\5\6" + end


def unicode_path(name: bytes, shown: str) -> bytes:
    field = struct.pack("<BI", 1, zlib.crc32(name)) + shown.encode()
    return struct.pack("<HH", 0x7075, len(field)) + field


@each_case(
    ("data", "reason"),
    [
        (entries(b"", b"good.md"), "it has no name"),
        (
            entries(b"\xff.md", b"good.md", flags=UTF8),
            "its name is declared as UTF-8 but is not valid UTF-8; rename it",
        ),
        (entries(b"notes/", b"good.md"), "it is marked as a folder but contains data"),
        (entries(b"bad.md", b"good.md", cut=(b"PK\3\4", b"PK\0\0")), "it is damaged"),
        (entries(b"bad.md", b"good.md", cut=(TEXT, TEXT[::-1])), "it is damaged"),
        (entries(b"bad.md", b"good.md", cut=(b"bad.md", b"b4d.md")), "it is damaged"),
        (
            entries(b"bad.md", b"good.md", cut=(b"PK\1\2", b"PK\0\0")),
            "its entry in the archive's directory is damaged",
        ),
    ],
)
def test_an_entry_that_cannot_be_read_is_listed_with_the_reason(data: bytes, reason: str, tmp_path: Path) -> None:
    (_, bad), good = outcomes(data, tmp_path)
    assert (bad[1], good) == (reason, ("good.md", TEXT))  # type: ignore[index]


@each_case(
    ("data", "path"),
    [
        (entries("Mu\u0308ller.md".encode()), "M\u00fcller.md"),
        (entries("\u65e5\u672c\u8a9e/\u898f\u5247.md".encode("cp932")), "\u65e5\u672c\u8a9e/\u898f\u5247.md"),
        (entries("M\u00f6ller/Gr\u00f6\u00dfe.md".encode("cp437")), "M\u00f6ller/Gr\u00f6\u00dfe.md"),
        (entries(b"a?.md", extra=unicode_path(b"a?.md", "a\u20ac.md")), "a\u20ac.md"),
        (entries(b"a?.md", extra=unicode_path(b"other", "a\u20ac.md")), "a?.md"),
        (entries(b"..\\docs/./readme.md"), "docs/readme.md"),
    ],
)
def test_a_path_is_shown_as_it_was_written(data: bytes, path: str, tmp_path: Path) -> None:
    with opened(data, tmp_path) as archived:
        (entry,) = archived.entries
    assert (entry.path or entry.name, entry.name, entry.status) == (path, path.rpartition("/")[2], None)
