"""Names and texts in SQL, and names as Snowflake writes them."""

from __future__ import annotations

from collections.abc import Sequence

from tribal.sql.dialect import string_literal


def identifier(name: str) -> str:
    """A name in SQL, always in quotes: so it means what is stored, whatever words Snowflake reserves.

    Raises:
        ValueError: when the name contains NUL, which no server accepts.
    """
    if "\x00" in name:
        raise ValueError(f"{name!r} contains a NUL character and cannot be a name")
    return '"' + name.replace('"', '""') + '"'


def path(*names: str) -> str:
    """A qualified name in SQL."""
    return ".".join(map(identifier, names))


def literals(texts: Sequence[str]) -> str:
    """Texts in SQL, separated by commas."""
    return ", ".join(map(string_literal, texts))


def pattern(name: str) -> str:
    """A pattern for `LIKE` in SQL that a name matches, perhaps among others."""
    return string_literal(name.replace("\\", "\\\\"))


def split_name(name: str, separator: str = ".") -> list[str]:
    """The parts of a qualified name, as they are stored: `A."b.c"` is `A` and `b.c`."""
    parts, part, quoted = [], "", False
    place = 0
    while place < len(name):
        character = name[place]
        if character == '"':
            if quoted and name[place + 1 : place + 2] == '"':
                part += '"'
                place += 1
            else:
                quoted = not quoted
        elif character == separator and not quoted:
            parts.append(part)
            part = ""
        else:
            part += character
        place += 1
    return [*parts, part]
