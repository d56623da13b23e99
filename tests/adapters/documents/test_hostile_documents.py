"""Hostile documents: nothing that they refer to is fetched, and bombs end at a limit."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from socket import create_server, socket
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from tests.adapters.documents.conftest import Read
from tests.adapters.documents.made_files import document_xml, docx, paragraphs, pdf, relations
from tests.cases import each_case

Problem = Callable[..., tuple[str, str]]
DRAWING = "http://schemas.openxmlformats.org/drawingml/2006"
CANARY = "canary-of-a-file-next-to-it"
DECLARES = ("unreadable", "its XML has a document type declaration, which may define entities")
LAUGHS = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10))
TOO_MUCH_TEXT = ("too_large", "a page of it, or all of it without pages, has more than 8 MB of text")


@pytest.fixture(name="listener")
def listener_fixture() -> Iterator[socket]:
    with create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0)
        yield listener


def address(listener: socket) -> str:
    return f"http://127.0.0.1:{listener.getsockname()[1]}/x"


def was_called(listener: socket) -> bool:
    try:
        listener.accept()
    except BlockingIOError:
        return False
    return True


def prolog(declarations: str) -> str:
    return f'<?xml version="1.0"?><!DOCTYPE w:document [{declarations}]>'


def test_external_entities_are_refused_and_nothing_is_fetched(
    listener: socket, tmp_path: Path, problem: Problem
) -> None:
    (tmp_path / "canary").write_text(CANARY)
    for target in (address(listener), (tmp_path / "canary").as_uri(), str(tmp_path / "canary")):
        declared = prolog(f'<!ENTITY x SYSTEM "{target}">')
        assert problem("docx", docx(document_xml("<w:p><w:r><w:t>&x;</w:t></w:r></w:p>", declared))) == DECLARES
        declared = f'<?xml version="1.0"?><!DOCTYPE x SYSTEM "{target}"><x/>'
        assert problem("docx", docx(document_xml(""), {"word/styles.xml": declared})) == DECLARES
    assert not was_called(listener)


def test_links_images_and_templates_are_not_fetched(listener: socket, tmp_path: Path, read: Read) -> None:
    url = address(listener)
    (tmp_path / "canary.png").write_text(CANARY)
    drawing = (
        f'<w:p><w:r><w:drawing><wp:inline xmlns:wp="{DRAWING}/wordprocessingDrawing">'
        f'<a:graphic xmlns:a="{DRAWING}/main"><a:graphicData>'
        f'<pic:pic xmlns:pic="{DRAWING}/picture"><pic:blipFill><a:blip r:link="x%d"/></pic:blipFill>'
        "</pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>"
    )
    body = paragraphs("text") + drawing % 0 + drawing % 1 + '<w:hyperlink r:id="x2"/>'
    targets = [("image", url), ("image", (tmp_path / "canary.png").as_uri()), ("hyperlink", url)]
    related = relations(*targets, ("attachedTemplate", url), ("styles", url), ("oleObject", url))
    assert read("docx", docx(document_xml(body), {"word/_rels/document.xml.rels": related})) == ["text"]
    markup = (
        f"text<img src={url}><link rel=stylesheet href={url}><iframe src={url}></iframe><script src={url}></script>"
    )
    assert read("html", f"{markup}<base href={url}><meta http-equiv=refresh content='0;url={url}'>") == ["text"]
    assert read("md", f"![x]({url})") == [f"![x]({url})"]
    assert not was_called(listener)


def test_a_main_part_that_is_not_an_xml_part_is_not_read(problem: Problem) -> None:
    written = io.BytesIO()
    related = relations(("officeDocument", "word/image.png")).replace(' TargetMode="External"', "")
    with ZipFile(written, "w") as archive:
        archive.writestr("_rels/.rels", related)
        archive.writestr("word/image.png", document_xml("<w:p/>", prolog(LAUGHS)))
    assert problem("docx", written.getvalue()) == ("unreadable", "it is damaged, or not a .docx")


def test_entities_that_grow_are_refused_in_any_encoding(problem: Problem) -> None:
    laughs = document_xml("<w:t>&a9;</w:t>", prolog(f'<!ENTITY a0 "ha">{LAUGHS}'))
    assert problem("docx", docx(laughs)) == DECLARES
    assert problem("docx", docx(laughs.encode("utf-16"))) == DECLARES
    assert problem("docx", docx(document_xml(""), {"word/footnotes.XML": laughs})) == DECLARES


def test_parts_that_unpack_to_more_than_the_limit_end_there(problem: Problem) -> None:
    written = io.BytesIO(docx(document_xml(paragraphs("x"))))
    with ZipFile(written, "a", ZIP_DEFLATED) as archive, archive.open("word/comments.xml", "w") as part:
        part.write(b"<!--")
        for _ in range(100):
            part.write(b" " * (1 << 20))
    assert problem("docx", written.getvalue()) == ("too_large", "it has more than 64 MB of XML")


def test_a_picture_that_unpacks_to_more_than_the_limit_is_not_unpacked(read: Read) -> None:
    written = io.BytesIO(docx(document_xml(paragraphs("x"))))
    with ZipFile(written, "a", ZIP_DEFLATED) as archive:
        archive.writestr("word/media/image.png", bytes(100 << 20))
    assert read("docx", written.getvalue()) == ["x"]


def test_a_paragraph_of_60_mb_is_refused_before_anything_is_built_of_it(problem: Problem) -> None:
    assert problem("docx", docx(document_xml(paragraphs("long " * (12 << 20))))) == TOO_MUCH_TEXT


def test_an_encrypted_part_is_reported(problem: Problem) -> None:
    data = docx(document_xml(paragraphs("x")))
    # The flags of each entry of the directory.
    encrypted = re.sub(rb"(PK\x01\x02.{4})..", lambda found: found[1] + b"\x01\x00", data, flags=re.DOTALL)
    assert problem("docx", encrypted) == ("encrypted", "remove the password and upload it again")


@each_case("mode", [0, 3])
def test_invisible_text_of_a_pdf_is_read_like_any_other(mode: int, read: Read) -> None:
    assert read("pdf", pdf(["shown or not"], mode=mode)) == ["shown or not"]
