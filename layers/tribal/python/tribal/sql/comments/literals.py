r"""Texts as SQL literals on one line, and literals of PostgreSQL read back.

PostgreSQL reads a backslash in `'...'` as an escape if `standard_conforming_strings` is off, and always in `E'...'`. So
a text with a backslash is written as `E'...'`, which means the same under both settings. So is a text with a line break
or another invisible character: a statement on one line holds no line that a migration tool could take for a marker,
and a reviewer sees every character. Quotes are doubled, never escaped, so that a tool that knows only `'...'` finds
the same end of the literal.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tribal.sql.visibility import is_visible
from tribal_contracts import DatabaseType

TEMPLATE_MARKS = ("${", "{{", "{%", "{#", "<%", "&{")
"""What Flyway, Jinja, ERB and Snowflake's command line replace in a script, also within literals."""
_SHORT = {"\n": r"\n", "\r": r"\r", "\t": r"\t", "\b": r"\b", "\f": r"\f", "\\": r"\\"}
_LONG = {short[1]: char for char, short in _SHORT.items()}
_ESCAPE = re.compile(
    r"'(?P<quote>')|\\(?:(?P<octal>[0-7]{1,3})|x(?P<byte>[0-9a-fA-F]{1,2})"
    r"|u(?P<short>[0-9a-fA-F]{4})|U(?P<long>[0-9a-fA-F]{8})|(?P<other>.))",
    re.DOTALL,
)
_LONE_SURROGATE = re.compile("[\ud800-\udc7f\udd00-\udfff]")


def text_literal(text: str, dialect: DatabaseType, marks: Sequence[str] = ()) -> str:
    """Write a text as a literal on one line that contains none of the marks.

    Args:
        text: any text that the database can store.
        dialect: of the statement.
        marks: strings in ASCII that must not appear because a tool would act on them, besides `TEMPLATE_MARKS`.

    Raises:
        ValueError: the text contains NUL or half of a surrogate pair, which no database stores.
    """
    if problem := unstorable(text):
        raise ValueError(problem)
    pattern = "|".join(map(re.escape, (*TEMPLATE_MARKS, *marks)))
    written = re.sub(f"(?={pattern}).", lambda found: "\0" + found[0], text, flags=re.DOTALL)
    if "\0" not in written and "\\" not in text and all(map(is_visible, text)):
        return "'" + text.replace("'", "''") + "'"
    content = re.sub("\0(.)|(.)", lambda found: _written(found, dialect), written, flags=re.DOTALL)
    return f"'{content}'" if dialect == "snowflake" else f"E'{content}'"


def unstorable(text: str) -> str | None:
    """Say why no database can store a text, if so."""
    if "\0" in text:
        return "the text contains a NUL character"
    return "the text contains half of a surrogate pair" if re.search("[\ud800-\udfff]", text) else None


def _written(found: re.Match[str], dialect: DatabaseType) -> str:
    char, is_marked = found[1] or found[2], found[1] is not None
    if not is_marked and (char in _SHORT or is_visible(char)):
        return _SHORT.get(char, "''" if char == "'" else char)
    code = ord(char)
    if code < 0x80:
        return _SHORT.get(char, f"\\x{code:02X}")
    if code > 0xFFFF and dialect == "snowflake":
        units = char.encode("utf-16-be").hex().upper()
        return f"\\u{units[:4]}\\u{units[4:]}"
    return f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"


def unescape_postgres(content: str) -> str:
    """Return the text of `E'...'`, of which the content is given; invalid characters become U+FFFD."""
    return _joined(_ESCAPE.sub(_character, content))


def unescape_unicode(content: str, escape: str = "\\") -> str:
    """Return the text of `U&'...'` or the name `U&"..."`, of which the content is given."""
    mark = re.escape(escape)
    pattern = f"{mark}(?:(?P<self>{mark})|(?P<short>[0-9a-fA-F]{{4}})|\\+(?P<long>[0-9a-fA-F]{{6}}))"
    return _joined(re.sub(pattern, lambda found: found["self"] or _coded(found["short"] or found["long"]), content))


def _character(found: re.Match[str]) -> str:
    if found["octal"] or found["byte"]:
        code = int(found["octal"], 8) & 0xFF if found["octal"] else int(found["byte"], 16)
        return chr(code) if code < 0x80 else chr(0xDC00 + code)
    if found["short"] or found["long"]:
        return _coded(found["short"] or found["long"])
    return found["quote"] or _LONG.get(found["other"], found["other"])


def _coded(digits: str) -> str:
    code = int(digits, 16)
    return chr(code) if code <= 0x10FFFF else "\ufffd"


def _joined(text: str) -> str:
    """Join the halves of surrogate pairs, and bytes, which are low surrogates as in Python's `surrogateescape`."""
    text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return _LONE_SURROGATE.sub("\ufffd", text).encode("utf-8", "surrogateescape").decode("utf-8", "replace")
