"""Hostile archives: nothing gets outside, a bad entry spoils only itself, and limits hold whatever headers claim."""

from __future__ import annotations

import random
import re
import stat
import tempfile
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import count
from pathlib import Path
from zipfile import ZIP_BZIP2, ZIP_LZMA, ZIP_STORED

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.capabilities.chat.uploads.made_archives import (
    TEXT,
    Entry,
    archive,
    encrypted,
    many_entries,
    quoted_overlap,
    same_data,
    written,
    zeros,
)
from tests.cases import each_case
from tribal.capabilities.chat.errors import UploadLimitExceeded, UploadUnreadable
from tribal.capabilities.chat.uploads.archives import Archive, EntryRefused, open_archive
from tribal_contracts.chat.settings import UploadLimits

LIMITS = UploadLimits()
GOOD = ("good.txt", TEXT)
NESTED = "it is an archive inside an archive; upload it separately"
TOO_PACKED = "it unpacks to more than 100 times its packed size (chat.uploads.ratio)"
UNSUPPORTED = "its type is not supported; upload .pdf, .docx, .md, .txt, .html, or a .zip of these"
METHOD = "its compression method is not supported; use deflate"


@contextmanager
def opened(data: bytes, folder: Path, limits: UploadLimits = LIMITS) -> Iterator[Archive]:
    file = folder / "upload"
    file.write_bytes(data)
    with open_archive(file, "export.zip", limits) as found:
        yield found


def outcomes(data: bytes, folder: Path, limits: UploadLimits = LIMITS) -> list[tuple[str, object]]:
    """What becomes of each entry: its content, or status and reason."""
    found: list[tuple[str, object]] = []
    target = folder / "unpacked"
    with opened(data, folder, limits) as archived:
        for entry in archived.entries:
            try:
                size = archived.unpack(entry, target)
            except EntryRefused as refused:
                found.append((entry.name, (refused.status, refused.reason)))
                assert not target.exists()
            else:
                content = target.read_bytes()
                assert len(content) == size
                found.append((entry.name, content))
                target.unlink()
    assert sorted(path.name for path in folder.iterdir()) == ["upload"]
    return found


@each_case(
    ("name", "shown"),
    [
        ("../../outside.txt", "outside.txt"),
        ("/etc/absolute.txt", "absolute.txt"),
        ("a\\..\\b.txt", "b.txt"),
        ("C:\\windows.txt", "windows.txt"),
        ("\\\\server\\share\\unc.txt", "unc.txt"),
        ("nul\0.txt", "nul.txt"),
        ("evil\u202etxt.txt", "eviltxt.txt"),
        ("caf\u00e9/\u6587.txt", "\u6587.txt"),
        ("x" * 5_000 + ".txt", "x" * 196 + ".txt"),
    ],
)
def test_a_name_becomes_no_path_and_its_content_is_unpacked(name: str, shown: str, tmp_path: Path) -> None:
    assert outcomes(archive([(name, b"content"), GOOD]), tmp_path) == [(shown, b"content"), GOOD]


def test_files_of_the_same_name_are_all_unpacked_in_order(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="Duplicate name"):
        data = archive([("a.txt", b"first"), ("a.txt", b"second"), ("b/a.txt", b"third")])
    assert outcomes(data, tmp_path) == [("a.txt", b"first"), ("a.txt", b"second"), ("a.txt", b"third")]


def test_folders_and_what_file_managers_add_are_passed_over(tmp_path: Path) -> None:
    junk = ["folder/", "__MACOSX/._good.txt", "x/__MACOSX/a.pdf", ".DS_Store", "x/.DS_Store", "Thumbs.db"]
    data = archive([*((name, b"") for name in junk), GOOD])
    with opened(data, tmp_path) as archived:
        assert [(entry.number, entry.name) for entry in archived.entries] == [(len(junk), "good.txt")]


@each_case(
    ("data", "name", "outcome"),
    [
        (
            archive([("link.txt", b"/etc/passwd"), GOOD], mode=stat.S_IFLNK),
            "link.txt",
            ("refused", "it is a symbolic link"),
        ),
        (archive([("p.txt", b""), GOOD], mode=stat.S_IFIFO), "p.txt", ("refused", "it is not a regular file")),
        (archive([("in.zip", archive([GOOD])), GOOD]), "in.zip", ("refused", NESTED)),
        (archive([("in.tar.GZ", b""), GOOD]), "in.tar.GZ", ("refused", NESTED)),
        (archive([("run.exe", b"MZ"), GOOD]), "run.exe", ("unsupported", UNSUPPORTED)),
        (archive([("Makefile", b""), GOOD]), "Makefile", ("unsupported", UNSUPPORTED)),
        (
            encrypted(archive([("secret.txt", b"x"), GOOD]), b"secret.txt"),
            "secret.txt",
            ("encrypted", "remove the password and upload it again"),
        ),
        (archive([("a.txt", bytes(50 << 20)), GOOD]), "a.txt", ("refused", TOO_PACKED)),
        (zeros(10), "zeros.txt", ("refused", TOO_PACKED)),
        (zeros(1, claimed=1_000), "zeros.txt", ("unreadable", "it is damaged")),
        (zeros(1, claimed=10), "zeros.txt", ("unreadable", "it is damaged")),
    ],
)
def test_a_bad_entry_is_refused_and_the_others_are_unpacked(
    data: bytes, name: str, outcome: tuple[str, str], tmp_path: Path
) -> None:
    assert outcomes(data, tmp_path) == [(name, outcome), GOOD]


@each_case("method", [ZIP_BZIP2, ZIP_LZMA])
def test_methods_of_packing_without_a_limit_of_memory_are_not_read(method: int, tmp_path: Path) -> None:
    data = archive([("a.txt", TEXT)], method=method)
    assert outcomes(data, tmp_path) == [("a.txt", ("unsupported", METHOD))]


def test_overlapping_entries_are_refused(tmp_path: Path) -> None:
    overlaps = ("refused", "it overlaps another entry")
    assert outcomes(same_data(3), tmp_path) == [("a.txt", overlaps)] * 3
    bomb = quoted_overlap(20, random.Random(1).randbytes(1_000))
    assert {outcome for _, outcome in outcomes(bomb, tmp_path)} == {overlaps}
    beyond = Entry(b"a.txt", 1_000, len(TEXT), method=ZIP_STORED)
    assert outcomes(written(beyond.header + TEXT, [beyond]), tmp_path) == [("a.txt", overlaps)]


def test_an_archive_whose_entries_are_too_large_together_is_refused(tmp_path: Path) -> None:
    large = [(name, random.Random(name).randbytes(600_000)) for name in ("a.txt", "b.txt")]
    refused = "'export.zip' unpacks to more than 1 MB (chat.uploads.unpacked_mb); split it into several archives"
    limits = UploadLimits(unpacked_mb=1)
    with pytest.raises(UploadLimitExceeded, match=re.escape(refused)) as failed:
        outcomes(archive(large), tmp_path, limits)
    assert failed.value.code == "UPL_LIMIT_EXCEEDED"
    with opened(archive(large[:1]), tmp_path, limits) as archived:
        archived.unpack(archived.entries[0], tmp_path / "1")
        with pytest.raises(UploadLimitExceeded, match=re.escape(refused)):
            archived.unpack(archived.entries[0], tmp_path / "2")
    assert not (tmp_path / "2").exists()


def test_what_cannot_be_unpacked_does_not_count_as_size(tmp_path: Path) -> None:
    assert outcomes(zeros(10), tmp_path, UploadLimits(unpacked_mb=1))[1] == GOOD


def test_unpacking_an_entry_ends_when_its_time_is_over(tmp_path: Path) -> None:
    data = archive([("a.txt", random.Random(1).randbytes(1_000_000)), GOOD], method=ZIP_STORED)
    file = tmp_path / "upload"
    file.write_bytes(data)
    seconds = map(float, count(step=10))
    with open_archive(file, "export.zip", LIMITS, lambda: next(seconds)) as archived:
        slow, good = archived.entries
        with pytest.raises(EntryRefused, match=r"longer than 60 s \(chat\.uploads\.file_seconds\)") as refused:
            archived.unpack(slow, tmp_path / "slow")
        assert refused.value.status == "refused"
        assert archived.unpack(good, tmp_path / "good") == len(TEXT)
    assert not (tmp_path / "slow").exists()


def test_the_size_is_checked_while_unpacking_too(tmp_path: Path) -> None:
    with opened(archive([("a.txt", bytes(50 << 20))]), tmp_path) as archived:
        unchecked = replace(archived.entries[0], status=None)
        with pytest.raises(EntryRefused, match=re.escape(TOO_PACKED)):
            archived.unpack(unchecked, tmp_path / "unpacked")
    assert not (tmp_path / "unpacked").exists()


def test_an_entry_replaces_no_file(tmp_path: Path) -> None:
    target = tmp_path / "there"
    target.write_bytes(b"before")
    with opened(archive([GOOD]), tmp_path) as archived, pytest.raises(FileExistsError):
        archived.unpack(archived.entries[0], target)
    assert target.read_bytes() == b"before"


TOO_MANY = "'export.zip' has more than 2,000 entries (chat.uploads.entries); split it into several archives"


@each_case(("count", "claimed"), [(2_001, None), (100_000, None), (100_000, 1)])
def test_an_archive_with_too_many_entries_is_refused_before_they_are_listed(
    count: int, claimed: int | None, tmp_path: Path
) -> None:
    data = many_entries(count, claimed=claimed)
    tracemalloc.start()
    with pytest.raises(UploadLimitExceeded, match=re.escape(TOO_MANY)), opened(data, tmp_path):
        pass
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20 << 20


def test_an_archive_with_as_many_entries_as_allowed_is_opened(tmp_path: Path) -> None:
    with opened(many_entries(2_000), tmp_path) as archived:
        assert len(archived.entries) == 2_000


@each_case("data", [b"", b"PK\x03\x04", archive([GOOD])[:-30], b"x" * 100_000, many_entries(1)[:-22]])
def test_a_damaged_archive_is_unreadable(data: bytes, tmp_path: Path) -> None:
    with pytest.raises(UploadUnreadable) as failed, opened(data, tmp_path):
        pass
    assert failed.value.message == "'export.zip' is not a readable zip archive"


SOUND = archive([("a.txt", TEXT * 20), ("b/c.md", b"# Title"), ("d.pdf", b"%PDF-")])
CHANGES = st.lists(st.tuples(st.integers(0, len(SOUND) - 1), st.integers(0, 255)), min_size=1, max_size=12)


@given(CHANGES, st.integers(0, 40))
def test_a_damaged_archive_never_fails_otherwise(changes: list[tuple[int, int]], cut_off: int) -> None:
    data = bytearray(SOUND)
    for place, byte in changes:
        data[place] = byte
    with tempfile.TemporaryDirectory() as folder, suppress(UploadUnreadable, UploadLimitExceeded):
        outcomes(bytes(data[: len(data) - cut_off]), Path(folder))
