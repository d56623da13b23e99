"""Looks for what must not be published: secrets, personal data, and characters that no one sees."""

from __future__ import annotations

import re
from collections.abc import Collection
from urllib.parse import urlsplit

from tribal.masking import find_sensitive
from tribal.sql.visibility import remove_unseen

_JOINING = re.compile("(?<=[^\x00-\x7f])[\u200c\u200d\ufe0e\ufe0f]")
"""Characters that shape the one before, as in emoji and in many scripts."""
_END = r"[^\s<>\"'`)\]]"
_ADDRESS = re.compile(
    rf"\b[a-z][a-z0-9+.-]*://{_END}+|(?<![\w:/])//[\w-]+(?:\.[\w-]+)+{_END}*|\bhttps?:{_END}+", re.IGNORECASE
)
"""Also without its scheme, and with too few slashes: browsers open both."""


def problem_of(text: str) -> str | None:
    """Why a text must not be published, such as "it contains an invisible character (U+202E)"; `None` if it may."""
    unseen = _unseen(text)
    if unseen:
        return f"it contains an invisible character (U+{ord(unseen[0]):04X}); remove it"
    spans = find_sensitive(text)
    if spans:
        kind = spans[0].kind.replace("_", " ")
        return f"it contains what looks like personal or secret data ({kind}); leave that out"
    return None


def addresses(text: str) -> list[str]:
    """The network addresses in a text, each once."""
    return list(dict.fromkeys(_ADDRESS.findall(text)))


def new_addresses(text: str, known: Collection[str]) -> list[str]:
    """The addresses in a text whose host is that of none of the known ones."""
    hosts = {_host(each) for each in known}
    return [each for each in addresses(text) if _host(each) not in hosts]


def _host(address: str) -> str:
    # Programs disagree on what follows a backslash.
    try:
        return ("" if "\\" in address else urlsplit(address).hostname) or address
    except ValueError:
        return address


def _unseen(text: str) -> str:
    shaped = _JOINING.sub("", text)
    return "".join(sorted(set(shaped) - set(remove_unseen(shaped, keep="\n\r\t"))))
