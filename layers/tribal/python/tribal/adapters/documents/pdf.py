"""Reads PDFs page by page. What lies outside a page is not read; what is white or invisible in it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

from pypdfium2 import PdfDocument, PdfiumError, PdfPage, PdfTextPage
from pypdfium2.raw import FPDF_ERR_PASSWORD, FPDF_ERR_SECURITY

from tribal.adapters.documents.pdf_forms import filled_fields
from tribal.adapters.documents.pdf_layout import laid_out, text_angle
from tribal.ports.passages import ParsingFailed


def pdf_pages(file: IO[bytes], first: int, most: int) -> Iterator[str]:
    """The text of each page, with the values of its form; empty for a page without text.

    Raises:
        ParsingFailed: when it needs a password, is damaged, or has too many pages.
    """
    try:
        document = PdfDocument(file)
    except PdfiumError as error:
        if error.err_code in (FPDF_ERR_PASSWORD, FPDF_ERR_SECURITY):
            raise ParsingFailed("encrypted", "remove the password and upload it again") from error
        raise ParsingFailed("unreadable", "it is damaged, or not a PDF") from error
    if len(document) > most:
        raise ParsingFailed("too_many_pages", f"it has {len(document):,} pages; at most {most:,} are read")
    document.init_forms()
    for number in range(first, len(document) + 1):
        yield _text(document, number)


def _text(document: PdfDocument, number: int) -> str:
    try:
        page = document[number - 1]
        text_page, angle = _upright(page)
    except PdfiumError as error:
        raise ParsingFailed("unreadable", f"its page {number:,} is damaged") from error
    try:
        parts = (_shown(text_page, angle), *filled_fields(document, page))
        return "\n\n".join(filter(str.strip, parts))
    finally:
        # In this order, or the memory of thousands of pages is held.
        text_page.close()
        page.close()


def _upright(page: PdfPage) -> tuple[PdfTextPage, int]:
    """The text of a page, turned so that most of it is upright, and its angle: lines are ordered as they appear."""
    text_page = page.get_textpage()
    angle = text_angle(text_page)
    rotation = -angle % 360
    if page.get_rotation() != rotation:
        text_page.close()
        page.set_rotation(rotation)
        text_page = page.get_textpage()
    return text_page, angle


def _shown(text_page: PdfTextPage, angle: int) -> str:
    inside: str = text_page.get_text_bounded()
    everything: str = text_page.get_text_range()
    # The text within bounds lacks line breaks where text is rotated, and says nothing about its characters.
    return laid_out(text_page, everything, angle) if _squeezed(inside) == _squeezed(everything) else inside


def _squeezed(text: str) -> str:
    return "".join(text.split())
