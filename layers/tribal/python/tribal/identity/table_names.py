"""How a table is named, looked up, and turned into a safe store key."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tribal.sql.dialect import fold

if TYPE_CHECKING:
    from tribal_contracts import DatabaseType

_PLAIN_PART = re.compile(r"[A-Za-z_][A-Za-z0-9_$]*\Z")
_PLAIN_FILE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*\Z")
_DEVICE_NAMES = frozenset({"con", "prn", "aux", "nul", *(f"{d}{n}" for d in ("com", "lpt") for n in range(10))})
_SLUG_LENGTH = 80
# By judgement: a readable name and its hash stay well under the 255 bytes that file systems allow.
_HASH_LENGTH = 10


@dataclass(frozen=True, order=True, slots=True)
class TableIdentity:
    """A table's identity: the name of its entry in `databases.yaml`, then schema and table, case-exact."""

    database: str
    schema: str
    table: str

    def __str__(self) -> str:
        return format_name((self.database, self.schema, self.table))

    @classmethod
    def parse(cls, text: str) -> TableIdentity:
        """Read a fully qualified name.

        Raises:
            ValueError: when the text is not three parts, each plain or double-quoted.
        """
        parts = parse_name(text)
        if len(parts) != 3:
            raise ValueError(f"{text!r} has {len(parts)} part(s); a table is named database.schema.table")
        return cls(*parts)


def format_name(parts: Iterable[str]) -> str:
    """Join parts with dots, double-quoting each that is not a plain identifier; `parse_name` reads it back."""
    return ".".join(part if _PLAIN_PART.match(part) else '"' + part.replace('"', '""') + '"' for part in parts)


def parse_name(text: str) -> tuple[str, ...]:
    """Split a dotted name into its parts, undoing the quotes.

    Raises:
        ValueError: when a quote is not closed or a part is empty.
    """
    parts: list[str] = []
    position = 0
    while True:
        part, position = _parse_part(text, position)
        parts.append(part)
        if position == len(text):
            return tuple(parts)
        if text[position] != ".":
            raise ValueError(f"{text!r}: expected a dot at position {position}")
        position += 1


def _parse_part(text: str, start: int) -> tuple[str, int]:
    if not text.startswith('"', start):
        end = text.find(".", start)
        end = len(text) if end < 0 else end
        if end == start:
            raise ValueError(f"{text!r} has an empty part")
        return text[start:end], end
    position, part = start + 1, ""
    while True:
        quote = text.find('"', position)
        if quote < 0:
            raise ValueError(f"{text!r} has a double quote that is not closed")
        part += text[position:quote]
        if not text.startswith('"', quote + 1):
            if not part:
                raise ValueError(f"{text!r} has an empty part")
            return part, quote + 1
        part += '"'
        position = quote + 2


@dataclass(frozen=True, slots=True)
class LookUp:
    """The result of looking up a name: one table, or the candidates for it."""

    found: TableIdentity | None
    candidates: tuple[TableIdentity, ...] = ()


def look_up(text: str, known: Sequence[tuple[TableIdentity, DatabaseType]]) -> LookUp:
    """Find a table by name: exact, then by the dialect's fold, then case-insensitive if that is unique.

    Names of one or two parts are accepted if they are unique: `table`, `schema.table`, `database.table`.
    """
    try:
        parts = parse_name(text.strip())
    except ValueError:
        return LookUp(None)
    if len(parts) > 3:
        return LookUp(None)

    def tail(identity: TableIdentity) -> tuple[str, ...]:
        return (identity.database, identity.schema, identity.table)[-len(parts) :]

    def folded(identity: TableIdentity, kind: DatabaseType) -> tuple[str, ...]:
        whole = (identity.database, fold(identity.schema, kind), fold(identity.table, kind))
        return whole[-len(parts) :]

    exact = [identity for identity, _ in known if tail(identity) == parts]
    by_fold = [
        identity
        for identity, kind in known
        if tail(identity) == folded(TableIdentity(*(("",) * (3 - len(parts)) + parts)), kind)
    ]
    plain = tuple(part.casefold() for part in parts)
    loose = [i for i, _ in known if tuple(part.casefold() for part in tail(i)) == plain]
    of_database = [i for i, _ in known if (i.database.casefold(), i.table.casefold()) == plain]
    for matches in (exact, by_fold, loose, of_database):
        if len(matches) == 1:
            return LookUp(matches[0])
        if matches:
            return LookUp(None, tuple(sorted(matches)))
    return LookUp(None)


def short_hash(parts: Sequence[str]) -> str:
    """Ten hex digits of the canonical tuple, to distinguish names with the same slug."""
    canonical = "\x00".join(f"{len(part)}:{part}" for part in parts)
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_LENGTH]


def slug(text: str) -> str:
    """A readable, lossy form in `[a-z0-9_-]`, never empty."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii").lower()
    return re.sub(r"[^a-z0-9_]+", "-", plain).strip("-_") or "x"


def store_name(*parts: str) -> str:
    """A file or folder name for a tuple of names: distinct tuples get distinct names on every file system.

    Plain lower-case parts are joined with dots as they stand; anything else becomes a slug, `~` and a short hash,
    which no plain part can contain.
    """
    joined = ".".join(parts)
    if joined == joined.lower() and _is_plain(parts):
        return joined
    readable = ".".join(slug(part) for part in parts)[:_SLUG_LENGTH].rstrip(".-_")
    return f"{readable}~{short_hash(parts)}"


def names_with_capitals(tables: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """File names of tables, by schema and table, that can keep their capitals.

    Left out are names that `store_name` keeps as they are, or changes for other reasons, and those that differ from
    another one only in case: on some file systems these are one file.
    """
    by_folded: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for parts in tables:
        by_folded[".".join(parts).casefold()].append(parts)
    alone = (some[0] for some in by_folded.values() if len(some) == 1)
    joined = ((parts, ".".join(parts)) for parts in alone if _is_plain(parts))
    return {parts: name for parts, name in joined if name != name.lower()}


def _is_plain(parts: Sequence[str]) -> bool:
    is_short = len(".".join(parts)) <= 2 * _SLUG_LENGTH and parts[0].lower() not in _DEVICE_NAMES
    return is_short and all(_PLAIN_FILE.match(part) for part in parts)


def domain_name(text: str) -> str:
    """The canonical form of a domain's name: `[a-z0-9][a-z0-9_-]*`, at most 60 characters."""
    return slug(text)[:60].rstrip("-_").lstrip("-_") or "general"
