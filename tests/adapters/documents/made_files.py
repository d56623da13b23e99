"""Small files of every type, written byte by byte."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape
from zipfile import ZIP_DEFLATED, ZipFile

_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
CONTENT_TYPES = (
    '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="xml" ContentType="application/xml"/></Types>'
)
ROOT_RELATIONS = (
    f'<?xml version="1.0"?><Relationships xmlns="{_RELATIONS}">'
    f'<Relationship Id="r1" Type="{_OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>'
)


def pdf(
    pages: Sequence[str], *, encrypted: bool = False, mode: int = 0, turn: int = 0, flag: int = 0, field: str = ""
) -> bytes:
    """A PDF; a line of a page is a line of its text, and a page without text has a line across it.

    Args:
        pages: the text of each page, in ASCII.
        encrypted: whether it asks for a password.
        mode: how text is drawn; 3 is invisibly.
        turn: how far text is turned to the left, in degrees.
        flag: how far each page is turned to the right.
        field: the value of a field `amount` of a form on the first page.
    """
    count = len(pages)
    form = 4 + 2 * count
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(count))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R%s >>" % (b" /AcroForm << /Fields [%d 0 R] >>" % form if field else b""),
        f"<< /Type /Pages /Kids [{kids}] /Count {count} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, text in enumerate(pages):
        stream = _drawn(text, mode, turn)
        annotations = f" /Annots [{form} 0 R]" if field and not number else ""
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * number} 0 R"
            f" /Rotate {flag}{annotations} /Resources << /Font << /F1 3 0 R >> >> >>".encode()
        )
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
    if field:
        objects.append(
            b"<< /Type /Annot /Subtype /Widget /FT /Tx /T (amount) /V (%s) /Rect [72 600 200 620] >>" % field.encode()
        )
    extra = b""
    if encrypted:
        key = b"<%s>" % (b"5a" * 32)
        objects.append(b"<< /Filter /Standard /V 1 /R 2 /Length 40 /P -4 /O %s /U %s >>" % (key, key))
        extra = b" /Encrypt %d 0 R /ID [<00> <00>]" % len(objects)
    return _with_references(objects, extra)


def _drawn(text: str, mode: int, turn: int) -> bytes:
    if not text:
        return b"0 0 m 100 100 l S"
    lines = (line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)") for line in text.split("\n"))
    # Turned about the centre of the page.
    matrix = {0: "1 0 0 1 0 0", 90: "0 1 -1 0 1000 100", 180: "-1 0 0 -1 612 792", 270: "0 -1 1 0 -400 700"}[turn]
    return (
        f"{matrix} cm BT /F1 12 Tf {mode} Tr 14 TL 50 740 Td {' '.join(f'({line}) Tj T*' for line in lines)} ET".encode(
            "ascii"
        )
    )


def _with_references(objects: Sequence[bytes], extra: bytes) -> bytes:
    written = bytearray(b"%PDF-1.4\n")
    places = []
    for number, each in enumerate(objects, start=1):
        places.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    start = len(written)
    written += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    written += b"".join(b"%010d 00000 n \n" % place for place in places)
    written += b"trailer\n<< /Size %d /Root 1 0 R%s >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, extra, start)
    return bytes(written)


def paragraphs(*texts: str) -> str:
    """Paragraphs of WordprocessingML."""
    return "".join(f'<w:p><w:r><w:t xml:space="preserve">{escape(text)}</w:t></w:r></w:p>' for text in texts)


def document_xml(body: str, prolog: str = '<?xml version="1.0"?>') -> str:
    """The main part of a document."""
    return f'{prolog}<w:document xmlns:w="{_W}" xmlns:r="{_OFFICE}"><w:body>{body}</w:body></w:document>'


def docx(document: str | bytes, parts: Mapping[str, str | bytes] = {}) -> bytes:
    """A .docx with a main part and others by their names."""
    written = io.BytesIO()
    with ZipFile(written, "w", ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", CONTENT_TYPES)
        archive.writestr("_rels/.rels", ROOT_RELATIONS)
        archive.writestr("word/document.xml", document)
        for name, data in parts.items():
            archive.writestr(name, data)
    return written.getvalue()


def relations(*targets: tuple[str, str]) -> str:
    """Relations of the main part to external targets, each a type and an address."""
    listed = "".join(
        f'<Relationship Id="x{number}" Type="{_OFFICE}/{kind}" Target="{escape(target)}" TargetMode="External"/>'
        for number, (kind, target) in enumerate(targets)
    )
    return f'<?xml version="1.0"?><Relationships xmlns="{_RELATIONS}">{listed}</Relationships>'
