"""Forms of uploads, however their bytes are cut, and those that are refused."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from tribal.capabilities.chat.errors import UploadTooLarge
from tribal.edges.http.chat import forms
from tribal.edges.http.chat.forms import OTHER_BYTES, UploadForm, remove_abandoned
from tribal.errors import BodyTypeRefused, RequestRefused, StoreUnwritable

MB = 1024 * 1024
TYPE = "multipart/form-data; boundary=xYz"
FILE = b'Content-Disposition: form-data; name="file"; filename="manual.pdf"\r\nContent-Type: application/pdf'
COLLECTION = b'Content-Disposition: form-data; name="collection"'


def form_of(*parts: tuple[bytes, bytes], end: bytes = b"--xYz--\r\n") -> bytes:
    return b"".join(b"--xYz\r\n" + head + b"\r\n\r\n" + data + b"\r\n" for head, data in parts) + end


def received(pieces: Iterable[bytes], folder: Path, kind: str | None = TYPE) -> tuple[bytes, str, str | None]:
    with UploadForm(kind, folder, 1) as form:
        for piece in pieces:
            form.feed(piece)
        whole = form.finish()
        return whole.file.read_bytes(), whole.filename, whole.collection


DATA = b"\r\n--xY\r\n--xY\r\x00\xff" * 50
WHOLE = form_of((COLLECTION, b"handbook"), (FILE, DATA), (b'Content-Disposition: form-data; name="x"', b"1"))


@given(st.lists(st.integers(0, len(WHOLE)), max_size=20))
def test_a_form_is_the_same_however_its_bytes_are_cut(
    tmp_path_factory: pytest.TempPathFactory, cuts: list[int]
) -> None:
    folder = tmp_path_factory.getbasetemp() / "cut"
    places = [0, *sorted(cuts), len(WHOLE)]
    pieces = [WHOLE[start:end] for start, end in pairwise(places)]
    assert received(pieces, folder) == (DATA, "manual.pdf", "handbook")
    assert list(folder.glob("*")) == []


def test_a_form_may_come_byte_by_byte_and_without_a_collection(tmp_path: Path) -> None:
    body = form_of((FILE, b"x"))
    assert received((body[at : at + 1] for at in range(len(body))), tmp_path) == (b"x", "manual.pdf", None)


@each_case(
    ("name", "seen"),
    [
        ("r\u00e9sum\u00e9 \u4e2d.pdf", "r\u00e9sum\u00e9 \u4e2d.pdf"),
        ("../../etc/passwd.txt", "../../etc/passwd.txt"),
        ("C:\\fakepath\\a.pdf", "a.pdf"),
        ("a;b=c.pdf", "a;b=c.pdf"),
        ('say \\"hi\\".pdf', 'say "hi".pdf'),
        ("a\u202egnp.exe", "a\u202egnp.exe"),
    ],
)
def test_names_of_files_are_passed_on_as_they_were_sent(tmp_path: Path, name: str, seen: str) -> None:
    head = f'Content-Disposition: form-data; name="file"; filename="{name}"'.encode()
    assert received([form_of((head, b"x"))], tmp_path)[1] == seen


def test_a_name_that_is_not_utf_8_is_replaced(tmp_path: Path) -> None:
    head = b'Content-Disposition: form-data; name="file"; filename="caf\xe9.txt"'
    assert received([form_of((head, b"x"))], tmp_path)[1] == "caf\ufffd.txt"


@each_case(
    ("body", "message"),
    [
        (b"", "malformed or cut off"),
        (b"garbage", "malformed or cut off"),
        (form_of((FILE, b"x"), end=b""), "malformed or cut off"),
        (form_of((FILE, b"x"))[:-6], "malformed or cut off"),
        (form_of((b"Content-Type: text/plain", b"x")), "malformed or cut off"),
        (form_of((b"no colon", b"x")), "malformed or cut off"),
        (form_of((b"X: " + b"y" * 10_000 + b"\r\n" + FILE, b"x")), "malformed or cut off"),
        (form_of((b"\r\n".join(b"X%d: y" % n for n in range(50)) + b"\r\n" + FILE, b"x")), "malformed or cut off"),
        (form_of((b'Content-Disposition: attachment; name="file"; filename="a.pdf"', b"x")), "malformed or cut off"),
        (form_of(), "the form has no file"),
        (form_of((COLLECTION, b"handbook")), "the form has no file"),
        (form_of((b'Content-Disposition: form-data; name="files"; filename="a.pdf"', b"x")), "the form has no file"),
        (form_of((b'Content-Disposition: form-data; name="file"', b"x")), "has no file name"),
        (form_of((b'Content-Disposition: form-data; name="file"; filename=""', b"")), "has no file name"),
        (form_of((FILE, b"x"), (FILE, b"y")), "two fields `file`"),
        (form_of((COLLECTION, b"a"), (COLLECTION, b"b"), (FILE, b"x")), "two fields `collection`"),
        (form_of((FILE + b"\r\nContent-Transfer-Encoding: base64", b"eA==")), "transfer encoding 'base64'"),
        (form_of((COLLECTION, b"x" * 3 * OTHER_BYTES), (FILE, b"x")), "bytes besides its file"),
        (form_of((FILE, b"x")) + b"x" * 3 * OTHER_BYTES, "bytes besides its file"),
    ],
)
def test_what_is_no_form_with_one_file_is_refused_and_leaves_nothing(tmp_path: Path, body: bytes, message: str) -> None:
    pieces = [body[at : at + 4_096] for at in range(0, len(body), 4_096)]
    with pytest.raises(RequestRefused) as refused:
        received(pieces, tmp_path)
    assert message in refused.value.message
    assert list(tmp_path.iterdir()) == []


def test_a_malformed_form_is_not_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(RequestRefused):
        received([b"--xYz secret"], tmp_path)
    assert caplog.records == []


@each_case(
    "kind",
    [
        None,
        "",
        "application/json",
        "multipart/form-data",
        "multipart/form-data; boundary=",
        "multipart/mixed; boundary=x",
        "multipart/form-data; boundary=" + "x" * 300,
        "application/x-www-form-urlencoded",
    ],
)
def test_what_is_no_form_by_its_type_is_refused_with_an_example(tmp_path: Path, kind: str | None) -> None:
    with pytest.raises(BodyTypeRefused, match=r"curl -F file=@manual\.pdf"):
        received([WHOLE], tmp_path, kind)


def test_a_file_over_the_limit_is_refused_as_soon_as_it_exceeds_it(tmp_path: Path) -> None:
    head = form_of((FILE, b""), end=b"")[:-2]
    with UploadForm(TYPE, tmp_path, 1) as form:
        form.feed(head)
        for _ in range(1024):
            form.feed(b"x" * 1024)
        with pytest.raises(UploadTooLarge, match=r"larger than the 1 MB that `chat\.uploads\.largest_mb` allows"):
            form.feed(b"x" * 1024)
        (file,) = tmp_path.iterdir()
        assert file.stat().st_size <= MB
    assert list(tmp_path.iterdir()) == []


@each_case(
    ("length", "refused"),
    [
        (None, False),
        ("x", False),
        ("1000", False),
        (str(1024 * 1024 + OTHER_BYTES), False),
        (str(1024 * 1024 * 2), True),
    ],
)
def test_a_stated_length_over_the_limit_is_refused_before_anything_is_read(
    tmp_path: Path, length: str | None, refused: bool
) -> None:
    form = UploadForm(TYPE, tmp_path, 1)
    if not refused:
        form.require_size(length)
        return
    with pytest.raises(UploadTooLarge):
        form.require_size(length)


class _FullDisk:
    """A file on a disk without space; closing it fails, too."""

    def write(self, _: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    def close(self) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_is_reported_and_the_file_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fdopen", lambda *_: _FullDisk())
    with pytest.raises(StoreUnwritable, match="No space left on device"):
        received([WHOLE], tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("x")
    with pytest.raises(StoreUnwritable, match="nothing of it was kept"):
        received([WHOLE], blocked)


def test_files_that_a_killed_server_left_are_removed_after_a_day(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("upload-1.part", "other.part"):
        (tmp_path / name).write_text("x")
    remove_abandoned(tmp_path)
    assert len(list(tmp_path.iterdir())) == 2
    monkeypatch.setattr(forms, "_ABANDONED_SECONDS", -1.0)
    remove_abandoned(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["other.part"]
    remove_abandoned(tmp_path / "absent")
