"""Hide literals in SQL that belong to a column for secrets, and personal values next to a column for such values.

SQL is code: any other literal stays. Separators, patterns, formats, lengths and names of settings stay anywhere.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

from tribal.masking.checksums import digits_of
from tribal.masking.column_names import detect_by_name
from tribal.masking.kinds import PLACEHOLDER, SensitiveKind
from tribal.masking.personal_names import has_common_name
from tribal.sql.scanner import TokenType
from tribal.sql.segments import Literal, Name, Place, Segment, Structure, replace_literals
from tribal.sql.structure import structure_of
from tribal_contracts import DatabaseType

_FEW_SIGNS = 4
"""Up to so many characters without letters or digits are a separator, not a password; by judgement, not measured."""
_FEW_DIGITS = 3
"""Most digits of a length, a size or a number of rounds; by judgement, not measured."""

_FLAGS = frozenset({"true", "false", "yes", "no", "on", "off", "null"})
_FORMAT = re.compile(r"(?:YYYY|YY|MM|DD|HH24|HH12|HH|MI|SS|MS|US|TZ|OF|Mon|Month|Day|FM|[^\w]){2,20}")
# A pattern of ranges and named classes, without any letter or digit of its own, only describes a form. A set such as
# [abc] may spell something.
_PATTERN_PART = re.compile(
    r"\[\^?(?:\[:[a-z]{5,6}:\]|A-Z|a-z|A-F|a-f|0-9|\\[dwsDWS]|[^\w\[\]\\]|_|\\[^\w])*\](?:\{\d{1,2}(?:,\d{0,2})?\})?"
    r"|(?:\\[dwsDWSmMyYAZ]|\.|\))(?:\{\d{1,2}(?:,\d{0,2})?\})?"
    r"|\(\?[:=!]|\\[^\w]|[^\w\[\]{}\\]"
)
_LONGEST_PATTERN = 400
_PLAIN_PATH = re.compile(r"(?:(?:strict|lax) )?\$(?:\.(?:\w{1,64}|\"[^\"]{1,64}\")|\[\d?\*?\]){0,20}")
_PERSONAL_NUMBERS = frozenset(
    {
        SensitiveKind.PHONE,
        SensitiveKind.NATIONAL_ID,
        SensitiveKind.IDENTITY_DOCUMENT,
        SensitiveKind.TAX_ID,
        SensitiveKind.CARD,
        SensitiveKind.IBAN,
        SensitiveKind.BANK_ACCOUNT,
    }
)
_ANYWHERE = Place()
_LONG_NUMBER = re.compile(r"\d(?:[ .-]?[A-Za-z]{0,5}[ .-]?\d){4,}")
_BOUND = re.compile(r"(\d)\1*|10*")

_NAMING_TYPES = frozenset(
    "REGCLASS REGTYPE REGPROC REGPROCEDURE REGROLE REGNAMESPACE REGCONFIG REGDICTIONARY REGOPER REGOPERATOR "
    "REGCOLLATION".split()
)
_NAMING_CALLS = frozenset("current_setting nextval currval setval lastval to_regclass pg_get_serial_sequence".split())
_COUNTING_CALLS = frozenset(
    "left right substr substring lpad rpad overlay split_part round trunc repeat gen_random_bytes gen_salt".split()
)
_OPTIONS = {
    call: frozenset(words.split())
    for calls, words in (
        ("encode decode", "hex base64 escape"),
        ("convert_from convert_to convert", "utf8 latin1 sql_ascii"),
        ("digest hmac", "md5 sha1 sha224 sha256 sha384 sha512"),
        ("gen_salt", "bf md5 xdes des sha256crypt sha512crypt"),
        ("timezone", "utc gmt"),
        (
            "date_part date_trunc extract",
            "microseconds milliseconds second minute hour day week month quarter year decade century millennium epoch "
            "dow doy isodow isoyear timezone",
        ),
        ("regexp_replace regexp_match regexp_matches regexp_split_to_array regexp_split_to_table", "gi ig"),
    )
    for call in calls.split()
}


def hide_literals(
    sql: str,
    *,
    table: str,
    dialect: DatabaseType,
    columns: Sequence[str] = (),
    kind: SensitiveKind | None = None,
) -> str:
    """Replace each sensitive literal by the kind of the column that it belongs to.

    A literal belongs to the columns that it is compared or combined with, and to the name that it is selected as. If a
    text that cannot be parsed names a secret, all its literals belong to it.

    Args:
        sql: an expression on a table, or the definition of a view.
        table: the table or view.
        dialect: the dialect of the SQL.
        columns: the columns of the view.
        kind: the kind of every literal, as in the default of a column of that kind.
    """
    if "'" not in sql and "$" not in sql and not any(char.isdecimal() for char in sql):
        return sql
    structure = structure_of(sql, dialect, columns, PLACEHOLDER)
    tables = (table, *structure.tables.values())

    def kind_of(name: Name) -> SensitiveKind | None:
        if name.text.lower() != "name":
            return literal_kind(name.text)
        # Whether a plain `name` is a person's name depends on its table.
        among = (structure.tables[name.qualifier],) if name.qualifier in structure.tables else tables
        return next((found for each in among if (found := literal_kind("name", each)) is not None), None)

    def is_sensitive(literal: Literal, kind: SensitiveKind) -> bool:
        if literal.token.type is TokenType.STRING or not kind.is_secret:
            return is_sensitive_text(literal.token.text, kind, literal.place)
        return not _is_harmless_number(literal.token.text, literal.place)

    found = _kinds_of_literals(structure, kind_of, kind)
    return replace_literals(sql, ((literal, kind) for literal, kind in found if is_sensitive(literal, kind)))


def literal_kind(column: str, table: str = "") -> SensitiveKind | None:
    """Return the kind of a column whose literals may be sensitive: secrets, numbers of people and their names.

    Other personal values, such as e-mail and network addresses, are found by their patterns, whatever the column.
    """
    kind = detect_by_name(column, table)
    is_checked = kind in _PERSONAL_NUMBERS or kind is SensitiveKind.PERSON_NAME
    return kind if is_checked or (kind is not None and kind.is_secret) else None


def is_sensitive_text(text: str, kind: SensitiveKind, place: Place = _ANYWHERE) -> bool:
    """Whether a literal that belongs to a column of a kind that `literal_kind` returns must not be shown.

    Any value may be a secret. A number of a person has at least five digits; a bound such as 10000 or 99999 is none.
    """
    if place.cast in _NAMING_TYPES or place.call in _NAMING_CALLS:
        return False
    if kind.is_secret:
        return not _is_harmless_text(text, place)
    if kind is SensitiveKind.PERSON_NAME:
        return has_common_name(text)
    return any(_BOUND.fullmatch(digits_of(number)) is None for number in _LONG_NUMBER.findall(text))


def _kinds_of_literals(
    structure: Structure,
    kind_of: Callable[[Name], SensitiveKind | None],
    whole: SensitiveKind | None,
) -> Iterator[tuple[Literal, SensitiveKind]]:
    """Return each literal that belongs to a sensitive name, with its kind. Linear in the number of segments."""
    kinds = _kinds_of_names(structure, kind_of)
    everywhere = _secret_kind(kinds, kinds) if structure.broken else None
    near: dict[Segment, SensitiveKind | None] = {}
    for segment in reversed(structure.segments):
        for name in segment.names:
            near[segment] = _surer(near.get(segment), kinds.get(name))
        if segment.linked and segment.above is not None:
            near[segment.above] = _surer(near.get(segment.above), near.get(segment))
    # The kind of every literal in a segment and below it, regardless of what it is compared with there.
    forced = {structure.segments[0]: whole}
    for segment in structure.segments:
        above = segment.above
        own = _secret_kind(segment.names, kinds) if segment.is_column else None
        forced[segment] = forced.get(segment) or own or (forced[above] if above is not None else None)
        if segment.linked and above is not None:
            near[segment] = _surer(near.get(above), near.get(segment))
        kind = near.get(segment) or forced[segment] or everywhere
        if kind is not None:
            yield from ((literal, kind) for literal in segment.literals)


def _surer(one: SensitiveKind | None, other: SensitiveKind | None) -> SensitiveKind | None:
    """Return the kind of a secret if one of two is; else the first."""
    ranked = [kind for kind in (one, other) if kind is not None]
    return min(ranked, key=lambda kind: not kind.is_secret, default=None)


def _secret_kind(names: Iterable[Name], kinds: dict[Name, SensitiveKind]) -> SensitiveKind | None:
    found = (kinds.get(name) for name in names)
    return next((kind for kind in found if kind is not None and kind.is_secret), None)


def _kinds_of_names(structure: Structure, kind_of: Callable[[Name], SensitiveKind | None]) -> dict[Name, SensitiveKind]:
    """Return the kind of each name. A column and its alias in a SELECT list have the same kind."""
    names = {name for segment in structure.segments for name in segment.names}
    kinds = {name: kind for name in names if (kind := kind_of(name)) is not None}
    same = _other_names(structure)
    learned: dict[str, SensitiveKind] = {}
    known = {name.text: kind for name, kind in kinds.items()}
    waiting = list(known.items())
    while waiting:
        text, kind = waiting.pop()
        for other in same.get(text, ()):
            if other not in known and other not in learned:
                learned[other] = kind
                waiting.append((other, kind))
    return {name: learned[name.text] for name in names if name.text in learned} | kinds


def _other_names(structure: Structure) -> dict[str, set[str]]:
    """Map each name of a column to its other names: `SELECT u.secret AS s`."""
    same: dict[str, set[str]] = defaultdict(set)
    # Different names in a segment and below it, at most two of them.
    only: defaultdict[Segment, set[str]] = defaultdict(set)
    with_literals: set[Segment] = set()
    for segment in reversed(structure.segments):
        _add(only[segment], (name.text for name in segment.names))
        if segment.literals:
            with_literals.add(segment)
        above = segment.above
        if above is None:
            continue
        if above.is_column and segment.linked and len(only[segment]) == 1 and segment not in with_literals:
            for name in above.names:
                same[name.text] |= only[segment]
                same[next(iter(only[segment]))].add(name.text)
        _add(only[above], only[segment])
        if segment in with_literals:
            with_literals.add(above)
    return same


def _add(known: set[str], more: Iterable[str]) -> None:
    for name in more:
        if len(known) > 1:
            return
        known.add(name)


def _is_harmless_text(text: str, place: Place) -> bool:
    """Whether a string cannot be a secret."""
    if place.cast == "INTERVAL":
        return True
    left = PLACEHOLDER.sub("", text)
    if len(left.lstrip("+-")) <= 1 or left.lower() in _FLAGS or left.lower() in _OPTIONS.get(place.call, ()):
        return True
    if len(left) <= _FEW_SIGNS and not any(map(str.isalnum, left)):
        return True
    if (place.call.startswith("json") or place.call == "columns") and _PLAIN_PATH.fullmatch(left):
        return True
    return _FORMAT.fullmatch(left) is not None or _is_pattern(left)


def _is_harmless_number(number: str, place: Place) -> bool:
    if len(number) == 1 or not number.strip("0."):
        return True
    if place.call in _COUNTING_CALLS and len(number) <= _FEW_DIGITS:
        return place.argument > 0 or place.call == "gen_random_bytes"
    return False


def _is_pattern(text: str) -> bool:
    if len(text) > _LONGEST_PATTERN:
        return False
    position = 0
    while position < len(text):
        found = _PATTERN_PART.match(text, position)
        if found is None:
            return False
        position = found.end()
    return any(char in "[\\%" for char in text)
