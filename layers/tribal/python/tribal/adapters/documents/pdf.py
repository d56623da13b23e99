"""Reads PDFs page by page. What lies outside a page is not read; what is white or invisible in it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

from pypdfium2 import PdfDocument, PdfiumError
from pypdfium2.raw import FPDF_ERR_PASSWORD, FPDF_ERR_SECURITY

from tribal.ports.passages import ParsingFailed


def pdf_pages(file: IO[bytes], first: int, most: int) -> Iterator[str]:
    """The text of each page; empty for a page without text.

    Raises:
        ParsingFailed: when it needs a password, is damaged, or has too many pages.
    """
    try:
        document = PdfDocument(file)
    except PdfiumError as error:
        if error.err_code in (FPDF_ERR_PASSWORD, FPDF_ERR_SECURITY):
            raise ParsingFailed("encrypted", "it needs a password") from error
        raise ParsingFailed("unreadable", "it is damaged, or not a PDF") from error
    if len(document) > most:
        raise ParsingFailed("too_many_pages", f"it has {len(document):,} pages; at most {most:,} are read")
    for number in range(first, len(document) + 1):
        yield _text(document, number)


def _text(document: PdfDocument, number: int) -> str:
    try:
        page = document[number - 1]
        text_page = page.get_textpage()
    except PdfiumError as error:
        raise ParsingFailed("unreadable", f"its page {number:,} is damaged") from error
    try:
        text: str = text_page.get_text_bounded()
        return text
    finally:
        # In this order, or the memory of thousands of pages is held.
        text_page.close()
        page.close()
