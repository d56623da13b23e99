"""Files of every type are read page by page, and those that cannot be read say why."""

from __future__ import annotations

import io
import shlex
import sys
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec

import pytest

import tribal.adapters.documents.parser as parser_module
from tests.adapters.documents.conftest import LIMITS, Read
from tests.adapters.documents.made_files import document_xml, docx, paragraphs, pdf
from tests.cases import each_case
from tribal.adapters.documents.pdf import pdf_pages
from tribal_contracts.chat.collections import FileKind

Problem = Callable[..., tuple[str, str]]
TABLE = "<w:tbl><w:tr><w:tc>{}</w:tc><w:tc>{}</w:tc></w:tr><w:tr><w:tc>{}</w:tc><w:tc>{}</w:tc></w:tr></w:tbl>".format(
    *map(paragraphs, ("Item", "Price", "Tea", "2.50"))
)


def test_each_page_of_a_pdf_is_read_and_one_without_text_is_empty(read: Read) -> None:
    assert read("pdf", pdf(["Returns\nwithin 14 days", "", "Exchange (only once)"])) == [
        "Returns\nwithin 14 days",
        "",
        "Exchange (only once)",
    ]


@each_case("turn", [0, 90, 180, 270])
@each_case("flag", [0, 90, 180, 270])
def test_lines_of_a_turned_page_are_read_in_order(turn: int, flag: int) -> None:
    lines = "Returns are free\nwithin fourteen days\nof the order."
    (found,) = pdf_pages(io.BytesIO(pdf([lines], turn=turn, flag=flag)), 1, 1)
    assert found == lines


def test_the_values_of_a_form_are_read(read: Read) -> None:
    assert read("pdf", pdf(["Claim", "Other"], field="EUR 47.11")) == ["Claim\n\namount: EUR 47.11", "Other"]


def test_reading_continues_from_a_page(read: Read) -> None:
    data = pdf(["one", "two", "three"])
    assert read("pdf", data, first=3) == ["three"]
    assert read("pdf", data, first=4) == []
    assert read("txt", "only page", first=2) == []


def test_a_pdf_with_only_drawings_has_pages_without_text(read: Read) -> None:
    assert read("pdf", pdf(["", ""])) == ["", ""]


def test_a_document_is_read_with_its_tables_row_by_row(read: Read) -> None:
    (text,) = read("docx", docx(document_xml(paragraphs("Price list", "of the shop") + TABLE + paragraphs("End"))))
    assert text.split("\n\n") == ["Price list", "of the shop", "Item\tPrice\nTea\t2.50", "End"]


@each_case(
    ("kind", "data", "expected"),
    [
        pytest.param("md", "# Title\r\n\r\nText  \r\n", "# Title\n\nText", id="Markdown is left as it is"),
        pytest.param("txt", "caf\u0065\u0301", "caf\u00e9", id="normalized"),
        pytest.param("txt", "\ufeffbyte order mark", "byte order mark", id="UTF-8 with a mark"),
        pytest.param("txt", "wide \u20ac".encode("utf-16"), "wide \u20ac", id="UTF-16"),
        pytest.param("txt", "", "", id="empty"),
        pytest.param("html", "<p>One<p>Two &amp; three", "One\n\nTwo & three", id="HTML"),
        pytest.param("html", b"<meta charset=iso-8859-1><p>caf\xe9 \x80", "caf\u00e9 \u20ac", id="declared as Latin-1"),
        pytest.param("html", "<meta charset='Shift_JIS'>\u4f11\u6687".encode("cp932"), "\u4f11\u6687", id="Shift JIS"),
        pytest.param("html", "\ufeff<meta charset=iso-8859-1>\u00e9", "\u00e9", id="a mark is stronger"),
        pytest.param("html", "<meta charset=utf-16>\u00e9", "\u00e9", id="declared as what it cannot be"),
        pytest.param("html", "<!-- <meta charset=koi8-r> -->\u00e9", "\u00e9", id="declared in a comment"),
        pytest.param("html", "<meta charset=rot13>\u00e9", "\u00e9", id="declared as what is no encoding"),
        pytest.param(
            "html",
            "<?xml version='1.0' encoding='windows-1251'?><p>\u041e\u0442\u043f\u0443\u0441\u043a".encode("cp1251"),
            "\u041e\u0442\u043f\u0443\u0441\u043a",
            id="declared as XML",
        ),
        pytest.param(
            "html",
            "<html><head><meta http-equiv=Content-Type content='text/html; charset=gb2312'>\u5047\u671f".encode("gbk"),
            "\u5047\u671f",
            id="declared as HTTP",
        ),
        pytest.param("txt", "a\u200bb\u202ec\U000e0041d\ue000e\x1bf\tg", "abcdef\tg", id="unseen characters"),
    ],
)
def test_text_is_decoded_and_cleaned(kind: FileKind, data: bytes | str, expected: str, read: Read) -> None:
    assert read(kind, data) == [expected]


@each_case(
    ("kind", "data", "expected"),
    [
        ("pdf", pdf(["secret"], encrypted=True), ("encrypted", "remove the password and upload it again")),
        ("pdf", pdf(["page"])[:150], ("unreadable", "it is damaged, or not a PDF")),
        ("pdf", b"", ("unreadable", "it is damaged, or not a PDF")),
        ("docx", docx(document_xml(paragraphs("x")))[:200], ("unreadable", "it is damaged, or not a .docx")),
        ("docx", docx("<w:document"), ("unreadable", "a part of it is not XML")),
        ("docx", docx(document_xml("<a>" * 5_000 + "</a>" * 5_000)), ("unreadable", "it is nested too deeply")),
        ("txt", b"caf\xe9", ("unreadable", "it is not UTF-8; save it as UTF-8")),
        ("md", "a\0b", ("unreadable", "it is not text")),
        ("html", b"<meta charset=euc-kr>\xff", ("unreadable", "it is not cp949, which it declares; save it as UTF-8")),
        ("html", "x".encode("utf-16")[:3], ("unreadable", "it is not UTF-8; save it as UTF-8")),
    ],
)
def test_a_file_that_cannot_be_read_says_why(
    kind: FileKind, data: bytes, expected: tuple[str, str], problem: Problem
) -> None:
    assert problem(kind, data) == expected


def test_a_pdf_with_too_many_pages_is_refused_before_its_first_page(problem: Problem) -> None:
    assert problem("pdf", pdf(["x"] * 51)) == ("too_many_pages", "it has 51 pages; at most 50 are read")


def test_a_text_of_more_than_the_largest_page_is_refused(problem: Problem, read: Read) -> None:
    too_long = ("too_large", "a page of it, or all of it without pages, has more than 8 MB of text")
    assert problem("txt", "\u20ac" * 3_000_000) == too_long
    assert problem("md", b"x" * (17 << 20)) == too_long
    assert len(read("txt", "word " * 1_600_000)[0]) == 7_999_999


def test_a_file_that_needs_too_much_memory_is_refused(problem: Problem) -> None:
    many = document_xml("<w:p/>" * 400_000)
    assert problem("docx", docx(many), limits=replace(LIMITS, memory_mb=200)) == (
        "too_large",
        "reading it needs more than 200 MB",
    )


@pytest.mark.parametrize(
    ("missing", "kind", "files"), [("pypdfium2", "pdf", "PDFs"), ("mammoth", "docx", ".docx files")]
)
def test_a_missing_package_is_named_by_the_files_that_need_it_and_no_other_file_does(
    missing: str, kind: FileKind, files: str, problem: Problem, read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parser_module, "find_spec", lambda name: None if name == missing else find_spec(name))
    command = f"{shlex.quote(sys.executable)} -m pip install 'tribal-knowledge[chat]'"
    expected = f"{missing} is not installed, but reading {files} needs it; run: {command}"
    assert problem(kind, b"") == ("not_installed", expected)
    assert read("md", "# Title") == ["# Title"]
