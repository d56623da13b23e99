"""Reads the values of the fields of a PDF's form, which are no text of its pages."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from typing import Any

from pypdfium2 import PdfDocument, PdfPage
from pypdfium2.raw import (
    FPDF_ANNOT_FLAG_HIDDEN,
    FPDF_ANNOT_WIDGET,
    FPDF_FORMFIELD_CHECKBOX,
    FPDF_FORMFIELD_COMBOBOX,
    FPDF_FORMFIELD_LISTBOX,
    FPDF_FORMFIELD_RADIOBUTTON,
    FPDF_FORMFIELD_TEXTFIELD,
    FPDFAnnot_GetFlags,
    FPDFAnnot_GetFormFieldAlternateName,
    FPDFAnnot_GetFormFieldExportValue,
    FPDFAnnot_GetFormFieldFlags,
    FPDFAnnot_GetFormFieldName,
    FPDFAnnot_GetFormFieldType,
    FPDFAnnot_GetFormFieldValue,
    FPDFAnnot_GetSubtype,
    FPDFAnnot_IsChecked,
    FPDFPage_CloseAnnot,
    FPDFPage_GetAnnot,
    FPDFPage_GetAnnotCount,
)

_WRITTEN = (FPDF_FORMFIELD_TEXTFIELD, FPDF_FORMFIELD_COMBOBOX, FPDF_FORMFIELD_LISTBOX)
_CHECKED = (FPDF_FORMFIELD_CHECKBOX, FPDF_FORMFIELD_RADIOBUTTON)
_PASSWORD = 1 << 13
"""A flag of a field. Source: ISO 32000-1, table 228."""

_Read = Callable[[Any, Any, Any, int], int]


def filled_fields(document: PdfDocument, page: PdfPage) -> Iterator[str]:
    """The fields of a page that have a value, each with its label."""
    if document.formenv is None:
        return
    form = document.formenv.raw
    for number in range(FPDFPage_GetAnnotCount(page.raw)):
        field = FPDFPage_GetAnnot(page.raw, number)
        if not field:
            continue
        try:
            if FPDFAnnot_GetSubtype(field) == FPDF_ANNOT_WIDGET and (value := _value(form, field)):
                yield f"{_label(form, field)}: {value}"
        finally:
            FPDFPage_CloseAnnot(field)


def _value(form: Any, field: Any) -> str:
    if FPDFAnnot_GetFlags(field) & FPDF_ANNOT_FLAG_HIDDEN or FPDFAnnot_GetFormFieldFlags(form, field) & _PASSWORD:
        return ""
    kind = FPDFAnnot_GetFormFieldType(form, field)
    if kind in _WRITTEN:
        return _text(FPDFAnnot_GetFormFieldValue, form, field)
    if kind in _CHECKED and FPDFAnnot_IsChecked(form, field):
        return _text(FPDFAnnot_GetFormFieldExportValue, form, field) or "yes"
    return ""


def _label(form: Any, field: Any) -> str:
    described = _text(FPDFAnnot_GetFormFieldAlternateName, form, field)
    return described or _text(FPDFAnnot_GetFormFieldName, form, field)


def _text(read: _Read, form: Any, field: Any) -> str:
    size = read(form, field, None, 0)
    buffer = ctypes.create_string_buffer(size)
    read(form, field, ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), size)
    return buffer.raw.decode("utf-16-le", "replace").rstrip("\0").strip()
