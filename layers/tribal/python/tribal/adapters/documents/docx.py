"""Reads .docx files. Only their XML parts are read, and nothing that they refer to."""

from __future__ import annotations

import io
from typing import IO
from xml.parsers import expat
from zipfile import ZIP_STORED, BadZipFile, ZipFile, ZipInfo

import mammoth

from tribal.adapters.documents.frames import LARGEST_PAGE_BYTES, too_much_text
from tribal.adapters.documents.html import shown_text
from tribal.ports.passages import ParsingFailed

_LARGEST_XML_BYTES = 64 << 20
"""Of all parts together; the tree of so much takes more than the default limit of memory."""
_PIECE_BYTES = 64 * 1024
_ENCRYPTED = 0x1
_PARTS = (".xml", ".rels")


def docx_text(file: IO[bytes]) -> str:
    """The text of a document with its notes; a row of a table is a line.

    Raises:
        ParsingFailed: when it is damaged, encrypted or too large, or declares entities.
    """
    try:
        parts = _checked_parts(file)
    except BadZipFile as error:
        raise ParsingFailed("unreadable", "it is damaged, or not a .docx") from error
    converted = mammoth.convert_to_html(
        parts,
        convert_image=_no_image,
        # Without styles every paragraph is one, whatever the document says, in two thirds of the time.
        include_default_style_map=False,
        include_embedded_style_map=False,
        external_file_access=False,
    )
    return shown_text(converted.value)


def _no_image(_: object) -> list[object]:
    return []


def _checked_parts(file: IO[bytes]) -> io.BytesIO:
    """An archive with only the XML parts, each of which was read as a stream: mammoth builds trees and trusts sizes."""
    left = _LARGEST_XML_BYTES
    checked = io.BytesIO()
    with ZipFile(file) as document, ZipFile(checked, "w", ZIP_STORED) as copy:
        infos = {info.filename: info for info in document.infolist()}
        for name, info in infos.items():
            if name.lower().endswith(_PARTS):
                data = _checked_part(document, info, left)
                left -= len(data)
                copy.writestr(name, data)
    checked.seek(0)
    return checked


def _checked_part(document: ZipFile, info: ZipInfo, left: int) -> bytes:
    if info.flag_bits & _ENCRYPTED:
        raise ParsingFailed("encrypted", "remove the password and upload it again")
    data = bytearray()
    with document.open(info) as part:
        while piece := part.read(_PIECE_BYTES):
            data += piece
            if len(data) > left:
                raise ParsingFailed("too_large", f"it has more than {_LARGEST_XML_BYTES >> 20} MB of XML")
    _require_plain(bytes(data))
    return bytes(data)


def _require_plain(xml: bytes) -> None:
    """Require XML without a document type and with little text, without building anything of it."""
    characters = 0

    def count(text: str) -> None:
        nonlocal characters
        characters += len(text)
        if characters > LARGEST_PAGE_BYTES:
            raise too_much_text()

    def refuse(*_: object) -> None:
        raise ParsingFailed("unreadable", "its XML has a document type declaration, which may define entities")

    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = refuse
    parser.CharacterDataHandler = count
    try:
        # In one piece: in several, it would begin a long comment again with each of them.
        parser.Parse(xml, True)
    except expat.ExpatError as error:
        raise ParsingFailed("unreadable", "a part of it is not XML") from error
