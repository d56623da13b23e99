"""Handles in sentences: judged as placeholders, published as the names they stand for."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tribal.catalog.identity import format_name
from tribal.describing.model.grounding.forms import broken_form
from tribal.describing.model.grounding.orders import is_order
from tribal.describing.model.grounding.sentences import HANDLE, plain
from tribal.describing.model.questions import Handle
from tribal.masking import PLACEHOLDER

_LIST = re.compile(r"\[\s*((?:[tcv]\d{1,5})(?:\s*(?:,|and)\s*[tcv]\d{1,5})*)\s*\]")
_ONE = re.compile(r"[tcv]\d{1,5}")
_PLAIN_NAME = re.compile(r"[^\W\d][\w$]{0,62}\Z")
_LABEL = re.compile(r"[^\W_][\w .,+/-]{0,39}\Z")
_MOST_LABEL_WORDS = 4


class UnknownHandle(Exception):
    """A handle was not given, or stands for what no prose may repeat."""


def hide_handles(sentence: str) -> str:
    """The sentence with a sign in the place of each handle."""
    return _LIST.sub(HANDLE, sentence)


def fill_handles(sentence: str, handles: Mapping[str, Handle]) -> str:
    """The sentence with names and values in the place of handles.

    Raises:
        UnknownHandle: when one was not given, or its name or value could be taken for anything but that.
    """

    def filled(found: re.Match[str]) -> str:
        return ", ".join(_shown(handles.get(handle)) for handle in _ONE.findall(found[1]))

    return _LIST.sub(filled, sentence)


def _shown(handle: Handle | None) -> str:
    if handle is None or not can_be_shown(handle):
        raise UnknownHandle
    return f"'{handle.parts[0]}'" if handle.kind == "value" else format_name(handle.parts)


def can_be_shown(handle: Handle) -> bool:
    """Whether prose may repeat the name or value: neither it nor its parts read like an address, code or an order."""
    if handle.kind != "value":
        name = format_name(handle.parts)
        return all(map(_PLAIN_NAME.match, handle.parts)) and not _is_address(name)
    (label,) = handle.parts
    if not _LABEL.match(label) or len(label.split()) > _MOST_LABEL_WORDS or PLACEHOLDER.search(label):
        return False
    # A label may well look like an identifier: that is what it is.
    return broken_form(plain(label)) in ("", "identifier") and not is_order(plain(label), ()) and not _is_address(label)


def _is_address(name: str) -> bool:
    return broken_form(plain(name)) in ("address", "character")
