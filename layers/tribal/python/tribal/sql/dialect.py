"""How names are written in the SQL of the databases that are read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tribal.sql.visibility import is_visible

if TYPE_CHECKING:
    from tribal_contracts import DatabaseType

_PLAIN_LOWER = re.compile(r"[a-z_][a-z0-9_]*\Z")
_PLAIN_UPPER = re.compile(r"[A-Z_][A-Z0-9_]*\Z")
_ESCAPE = re.compile(
    r"'(?P<quote>')|\\(?:(?P<code>[0-3]?[0-7]{1,2})|(?P<hex>x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4})|(?P<other>.)|\Z)",
    re.DOTALL,
)
_CONTROLS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}

# Words that PostgreSQL 18 or Snowflake reserves anywhere a name is allowed.
_RESERVED = frozenset(
    """
    account all alter analyse analyze and any array as asc asymmetric authorization between binary both by
    case cast check collate collation column concurrently connect connection constraint create cross current
    current_catalog current_date current_role current_schema current_time current_timestamp current_user
    database default deferrable delete desc distinct do drop else end except exists false fetch following for
    foreign freeze from full grant group gscluster having ilike in increment initially inner insert intersect
    into is isnull issue join lateral leading left like limit localtime localtimestamp minus natural not
    notnull null of offset on only or order organization outer overlaps placing primary qualify references
    regexp returning revoke right rlike row rows sample schema select session_user set similar some start
    symmetric system_user table tablesample then to trailing trigger true try_cast union unique update user
    using values variadic verbose view when whenever where window with
    """.split()
)


def fold(name: str, kind: DatabaseType) -> str:
    """The name that the server looks up for an unquoted identifier."""
    return name.upper() if kind == "snowflake" else name.lower()


def stored_name(name: str, kind: DatabaseType) -> str:
    """The name that a server stores for one that a person wrote into the configuration; globs are folded too.

    Snowflake's are meant as in SQL: without double quotes upper case. Those of PostgreSQL are exact.
    """
    if kind != "snowflake":
        return name
    if len(name) > 1 and name[0] == name[-1] == '"':
        return name[1:-1].replace('""', '"')
    return name.upper()


def written_name(name: str, kind: DatabaseType) -> str:
    """How a stored name is written into the configuration, so that `stored_name` gives it back."""
    return name if stored_name(name, kind) == name else quote_identifier(name, kind)


def quote_identifier(name: str, kind: DatabaseType) -> str:
    """An identifier in SQL: unquoted if that means the same, else double-quoted.

    Raises:
        ValueError: when the name contains NUL, which no server accepts.
    """
    if "\x00" in name:
        raise ValueError(f"{name!r} contains a NUL character and cannot be a name")
    plain = _PLAIN_UPPER if kind == "snowflake" else _PLAIN_LOWER
    if plain.match(name) and name.lower() not in _RESERVED:
        return name
    return '"' + name.replace('"', '""') + '"'


def legible_identifier(name: str, kind: DatabaseType) -> str:
    r"""An identifier in SQL that people read and copy: PostgreSQL's `U&"\202E"` shows invisible characters.

    A line break or a mark that reverses the direction of writing would otherwise get lost, or disguise the SQL.
    Snowflake has no such notation, so there the name stays as it is.
    """
    # Printable text is visible; testing every character costs much more.
    if kind == "snowflake" or name.isprintable() or all(map(is_visible, name)):
        return quote_identifier(name, kind)
    shown = "".join(char if is_visible(char) else _escaped(char) for char in name.replace("\\", "\\\\"))
    return f"U&{quote_identifier(shown, kind)}"


def _escaped(char: str) -> str:
    code = ord(char)
    return f"\\{code:04X}" if code <= 0xFFFF else f"\\+{code:06X}"


def qualified_table(server_database: str, schema: str, table: str, kind: DatabaseType) -> str:
    """A table's qualified name in SQL: `schema.table` in PostgreSQL, three parts in Snowflake."""
    return ".".join(quote_identifier(part, kind) for part in _parts(server_database, schema, table, kind))


def legible_table(server_database: str, schema: str, table: str, kind: DatabaseType) -> str:
    """The same in SQL that people read and copy."""
    return ".".join(legible_identifier(part, kind) for part in _parts(server_database, schema, table, kind))


def _parts(server_database: str, schema: str, table: str, kind: DatabaseType) -> tuple[str, ...]:
    return (server_database, schema, table) if kind == "snowflake" else (schema, table)


def unescaped(content: str) -> str:
    """The text of a Snowflake literal, of which what is between the single quotes is given.

    Source: https://docs.snowflake.com/en/sql-reference/data-types-text#escape-sequences-in-single-quoted-string-constants
    """
    text = _ESCAPE.sub(_character, content)
    # `\ud83d\ude00` is one character; half of one is none.
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if "\\u" in content else text


def _character(escape: re.Match[str]) -> str:
    if escape["code"] is not None:
        return chr(int(escape["code"], 8))
    if escape["hex"] is not None:
        return chr(int(escape["hex"][1:], 16))
    character = escape["quote"] or escape["other"] or ""
    return _CONTROLS.get(character, character)


def string_literal(text: str) -> str:
    """A text as a Snowflake literal."""
    return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"
