"""Files are taken by name and first bytes, and shown by a name that is no path."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from tribal.capabilities.chat.errors import UploadRefused, UploadUnreadable
from tribal.capabilities.chat.uploads.kinds import HEAD_BYTES, base_name, is_archive, kind_of
from tribal.sql.visibility import is_visible
from tribal_contracts.chat.collections import FileKind

PDF, ZIP = b"%PDF-1.7\n", b"PK\x03\x04rest"
READ = "upload .pdf, .docx, .md, .txt, .html, or a .zip of these"


@each_case(
    ("name", "head", "kind"),
    [
        ("a.pdf", PDF, "pdf"),
        ("A.PDF", b"x" * 1_019 + b"%PDF-", "pdf"),
        ("folder/of/it.v2.docx", ZIP, "docx"),
        ("README.md", b"", "md"),
        ("a.markdown", "caf\u00e9".encode(), "md"),
        ("a.txt", "\u20ac".encode()[:2], "txt"),
        ("a.txt", "\ufeffx".encode(), "txt"),
        ("a.txt", "wide".encode("utf-16"), "txt"),
        ("a.htm", b"<p>", "html"),
        ("a.html", b"\xfe\xff\x00x", "html"),
    ],
)
def test_a_listed_type_whose_first_bytes_agree_is_taken(name: str, head: bytes, kind: FileKind) -> None:
    assert kind_of(name, head) == kind


@each_case(
    ("name", "head", "message"),
    [
        ("c:\\x\\a.exe", b"MZ", f"'a.exe' has an unsupported type; {READ}"),
        ("a", b"", f"'a' has an unsupported type; {READ}"),
        (".pdf", PDF, f"'.pdf' has an unsupported type; {READ}"),
        ("a.pdf.zip", ZIP, f"'a.pdf.zip' has an unsupported type; {READ}"),
        ("../a.pdf", ZIP, f"'a.pdf' does not look like a PDF; {READ}"),
        ("a.pdf", b"", f"'a.pdf' does not look like a PDF; {READ}"),
        ("a.pdf", b"x" * HEAD_BYTES + PDF, f"'a.pdf' does not look like a PDF; {READ}"),
        ("a.docx", PDF, f"'a.docx' does not look like a .docx; {READ}"),
        (
            "a.docx",
            bytes.fromhex("d0cf11e0a1b11ae1"),
            "'a.docx' is password-protected or in an older format; save it as .docx without a password",
        ),
        ("a.txt", b"MZ\0", f"'a.txt' is not text; {READ}"),
        ("a.txt", "x".encode("utf-32"), f"'a.txt' is not text; {READ}"),
    ],
)
def test_another_type_is_refused_by_name(name: str, head: bytes, message: str) -> None:
    with pytest.raises(UploadRefused) as refused:
        kind_of(name, head)
    assert (refused.value.code, refused.value.message) == ("UPL_TYPE_REFUSED", message)


@each_case("head", ["caf\u00e9".encode("latin-1") + b" ", b"\xff\xfe\x00\xdc\x00\xdc"])
def test_text_in_another_encoding_is_unreadable_rather_than_guessed(head: bytes) -> None:
    with pytest.raises(UploadUnreadable) as unreadable:
        kind_of("a.txt", head)
    assert unreadable.value.code == "UPL_FILE_UNREADABLE"
    assert unreadable.value.message == "'a.txt' is not UTF-8; save it as UTF-8"


def test_an_archive_is_recognized_by_name_and_first_bytes() -> None:
    assert is_archive("a.ZIP", ZIP)
    assert is_archive("empty.zip", b"PK\x05\x06" + bytes(18))
    assert not is_archive("a.docx", ZIP)
    assert not is_archive("a.zip", PDF)


@each_case(
    ("name", "shown"),
    [
        ("../../etc/passwd", "passwd"),
        ("/abs/x.pdf", "x.pdf"),
        ("a\\..\\b.txt", "b.txt"),
        ("C:\\Users\\x\\report.pdf", "report.pdf"),
        ("folder/", "folder"),
        ("..", "file"),
        ("a/ . /", "a"),
        ("", "file"),
        ("\0\u202e", "file"),
        ("evil.pdf\0.txt", "evil.pdf.txt"),
        ("invoice\u202efdp.exe", "invoicefdp.exe"),
        ("zero\u200bwidth\ufeff.md", "zerowidth.md"),
        ("line\nbreak\t.md", "linebreak.md"),
        ("cafe\u0301.md", "caf\u00e9.md"),
        ("a\udcffb.md", "ab.md"),
        ("x" * 300 + ".pdf", "x" * 196 + ".pdf"),
        ("." + "x" * 300, "." + "x" * 199),
    ],
)
def test_the_shown_name_is_the_last_part_without_what_is_not_drawn(name: str, shown: str) -> None:
    assert base_name(name) == shown


@given(st.text(st.characters() | st.sampled_from("/\\.\0\u202e\u200b\u0301 a"), max_size=300))
def test_no_name_becomes_a_path_or_is_empty(name: str) -> None:
    shown = base_name(name)
    assert 0 < len(shown) <= 200
    assert not set(shown) & {"/", "\\"}
    assert shown.strip(". ")
    assert all(map(is_visible, shown))
    assert unicodedata.is_normalized("NFC", shown)
    assert base_name(shown) == shown
