"""The forms in which people write a claim about a column: subject, predicate and object.

A form is compared with a whole clause. A clause without a subject is about the column that its text describes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from tribal.sql.type_families import is_whole, type_family
from tribal_contracts import DocumentedColumn

ClaimKind = Literal["unique", "mandatory", "optional", "type", "unit", "decimals", "length", "choices", "range"]
"""A `type` is claimed by how a sentence begins, a `unit` anywhere in it."""

NUMBERS = {
    word: number
    for number, word in enumerate("no one two three four five six seven eight nine ten eleven twelve".split())
}
_S = r"(?:(?!(?:is|are|has|with|no|there|must) )(?P<subject>[\w.`\" -]{1,60}?) )??"
_BE = r"(?:(?:is|are|must be|has to be|have to be|needs to be) )?"
_NOUN = r"(?: (?:field|column|value|attribute|entry))?"
_ROW = r"(?P<entity>[\w -]{1,40}?)"
_EVERYWHERE = (
    r"(?: (?:across|among|for|in) (?:(?:all|every|each|the (?:whole|entire)) (?P<all>[\w ]{1,40})|(?:this|the) table))?"
)
_TWICE = r"(?:twice|again|more than once|(?:on|in|for|by|to) (?:two|several|different) \w+)"
_OCCUR = r"(?:occurs?|appears?|exists?|repeats?|be|is|are|be used|be repeated|is (?:used|repeated|assigned|issued))"
_BOUND = (
    r"(?:(?:(?P<most>at most|up to|no more than|not more than|a maximum of)|(?P<least>at least|no fewer than|no less than)"
    r"|exactly|always|precisely|only|just|all) )*"
)
NUMBER = rf"{_BOUND}(?P<number>\d{{1,3}}|{'|'.join(NUMBERS)})"
_SET = r"(?:filled(?: in| out)?|set|present|populated|known|given|specified|entered|recorded|provided|available)"
_EMPTY = r"(?:null|empty|blank|missing|omitted|unset|left (?:out|empty|blank))"
_WHEN = r"(?:if|when|unless|until|till|while|as long as|for|where|by|before|without)"
_LEAD = (
    r"(?:(?:it|this|(?:the|this) (?:column|field|value)) )?(?:(?:is|holds|stores|contains|keeps|has|shows|gives|as"
    r"|(?:is )?(?:stored|kept|saved|recorded|given|entered) as) )?(?:(?:an?|the) )?"
)


@dataclass(frozen=True, slots=True)
class Form:
    """A way to write a claim."""

    kind: ClaimKind
    pattern: re.Pattern[str]
    can_contradict: Callable[[DocumentedColumn], bool]
    """Whether a column's type and default leave the claim only one reading."""


def _always(_: DocumentedColumn) -> bool:
    return True


def _has_no_default(column: DocumentedColumn) -> bool:
    """With a default, or a generated value, a column may be left out although it is NOT NULL."""
    return not (column.default_value or column.identity or column.generated)


def _is_null_if_empty(column: DocumentedColumn) -> bool:
    """Text may be empty without being NULL; so may a type that is not known."""
    return type_of(column) not in ("text", "other")


def _is_no_flag(column: DocumentedColumn) -> bool:
    """Whether "required" is not what a flag says of something else."""
    return type_of(column) != "boolean"


def type_of(column: DocumentedColumn) -> str:
    """The family of a column's type, more exactly for numbers and UUIDs."""
    name = (column.base_type or column.type).lower()
    if name == "uuid":
        return "uuid"
    family = type_family(name)
    if family != "number":
        return family
    if is_whole(name):
        return "whole" if "(" not in name else "wide"
    return "scaled" if re.search(r",\s*[1-9]\d*\)", name) else "number"


def _one_of(types: str) -> Callable[[DocumentedColumn], bool]:
    """Whether a column has one of the types that cannot hold what is claimed."""
    impossible = frozenset(types.split())
    return lambda column: type_of(column) in impossible


def _shows_whether(column: DocumentedColumn) -> bool:
    """Whether a column cannot say yes or no: a time that may be NULL does, by being there."""
    return type_of(column) == "uuid" or (type_of(column) in _TIMES.split() and not column.nullable)


_TIMES = "date instant local_time"
_COUNTS = "number whole wide scaled"
_TABLE: tuple[tuple[ClaimKind, Callable[[DocumentedColumn], bool], str], ...] = (
    # No two rows have the same value.
    (
        "unique",
        _always,
        rf"{_S}{_BE}(?:always |globally |guaranteed (?:to be )?|all )?(?:unique|distinct)(?: (?:key|value|column|field)s?)?{_EVERYWHERE}",
    ),
    (
        "unique",
        _always,
        rf"(?:no two (?:{_ROW} )?(?:(?:can|may|ever|will) )*|two (?P<other>[\w -]{{1,40}}?) (?:never|cannot|can't|must not) (?:ever )?)"
        r"(?:have|share|use|get)"
        r" (?:the same|an?|one)(?: (?P<subject>[\w -]{1,40}))?",
    ),
    (
        "unique",
        _always,
        rf"(?:each|every) {_ROW} (?:has|gets|is given) (?:its|their|his|her) own(?: unique)?(?: (?P<subject>[\w -]{{1,40}}))?",
    ),
    (
        "unique",
        _always,
        rf"(?:each|every) {_ROW} (?:has|gets|is given) (?:an?|one) unique (?P<subject>[\w -]{{1,40}})",
    ),
    (
        "unique",
        _always,
        rf"(?:the same )?{_S}(?:(?:is|are|can|must|may) )?(?:never|not|cannot|can't) {_OCCUR}(?: {_TWICE})",
    ),
    ("unique", _always, rf"(?:the same )?{_S}(?:is |are )?never (?:used |assigned |issued )?{_TWICE}"),
    ("unique", _always, rf"(?:the same )?{_S}(?:must not|cannot|can't|never) (?:repeats?|be repeated|be duplicated)"),
    (
        "unique",
        _always,
        rf"(?:each one |each |every )?{_S}(?:can |may |must )?{_OCCUR} (?:only|just|exactly|at most) once{_EVERYWHERE}",
    ),
    (
        "unique",
        _always,
        rf"{_S}(?:(?:has|have|with|without|contains|free of|there are) )?(?:no )?duplicates? ?"
        r"(?:values? )?(?:(?:(?:is|are) )?(?:not allowed|rejected|impossible|forbidden))?",
    ),
    # Every row has a value.
    ("mandatory", _is_no_flag, rf"{_S}{_BE}(?:always )?(?:an? )?(?:mandatory|required|obligatory|compulsory){_NOUN}"),
    (
        "mandatory",
        _always,
        rf"{_S}{_BE}(?:not null(?:able)?|non-?null(?:able)?|never (?:be )?{_EMPTY}|always (?:be )?{_SET}"
        r"|always has an? value|never without an? value)",
    ),
    ("mandatory", _always, rf"{_S}(?:cannot|can not|can't|must not|must never) be {_EMPTY}"),
    ("mandatory", _always, rf"{_S}must (?:always )?be {_SET}"),
    ("mandatory", _always, rf"{_S}{_BE}{_SET} (?:for|in|on|with) (?:every|all|each)(?: of the)? {_ROW}"),
    (
        "mandatory",
        _always,
        rf"(?:every|each|all|any) {_ROW} (?:has|have|needs?|must have|carry|carries)"
        r" (?:one|an? (?:value|(?P<subject>[\w -]{1,40})))(?: here| in (?:it|this column))?",
    ),
    (
        "mandatory",
        _always,
        rf"no {_ROW} (?:is|can be|comes|exists|may be) without (?:one|an? (?:value|(?P<subject>[\w -]{{1,40}})))",
    ),
    # Some rows may lack one.
    (
        "optional",
        _has_no_default,
        rf"{_S}{_BE}(?:(?:an? )?optional{_NOUN}|not (?:required|mandatory|obligatory|compulsory))",
    ),
    (
        "optional",
        _has_no_default,
        r"(?:an? )?optional (?P<thing>(?:[\w-]+ ){0,2}?[\w-]+)(?: (?:of|for|to|that|which|from|about|with|by) .*)?",
    ),
    (
        "optional",
        _always,
        rf"{_S}{_BE}(?:nullable{_NOUN}|(?:can|may) be (?:left )?null)|nulls? (?:is |are )?(?:allowed|possible|permitted)",
    ),
    (
        "optional",
        _always,
        rf"{_S}(?:(?:is|are|can be|may be|will be|stays|remains|left|leave|set to|or|else|otherwise) )?"
        r"null(?: (?:if|when|unless|until|while|as long as|for|where|means?|indicates?)\b| ?=).*|(?:or|else|otherwise) null",
    ),
    (
        "optional",
        _is_null_if_empty,
        rf"{_S}(?:(?:can|may) (?:also )?(?:be|stay|remain) {_EMPTY}(?: {_WHEN}\b.*)?"
        rf"|(?:(?:is|are|be|stays?|remains?|left|will be|kept) )?(?:left )?(?:empty|blank|unset|missing) {_WHEN}\b.*"
        rf"|{_BE}not (?:always|yet always|necessarily) {_SET}(?: {_WHEN}\b.*)?)",
    ),
    (
        "optional",
        _is_null_if_empty,
        rf"not (?:every|all|each) {_ROW} (?:has|have|needs?) (?:one|an? (?P<subject>[\w -]{{1,40}}))",
    ),
    # What a value is. A wide `numeric` can hold a UUID, a whole number of a date, and a precision is one of times.
    (
        "type",
        _one_of("boolean scaled uuid"),
        rf"{_LEAD}(?:date|timestamp|datetime|date and time|day)"
        r"(?: (?:when|(?:on|at) which|that|the)\b.*| of (?!.*\b(?:is|are|has|have|was|were|been)\b).*)?",
    ),
    (
        "unit",
        _one_of(f"{_TIMES} uuid scaled"),
        r"(?:(?:it|this) )?(?:set to |is )?(?:true|false) (?:if|when)\b.*"
        rf"|{_LEAD}(?:boolean|yes/no)(?: (?:flag|value|field|column)(?: .*)?)?",
    ),
    (
        "type",
        _shows_whether,
        r"whether .*|(?:a )?flag (?:that|indicating|which) .*|(?:says|indicates|shows) (?:if|whether) .*",
    ),
    (
        "type",
        _one_of(f"{_TIMES} boolean uuid {_COUNTS}"),
        rf"{_LEAD}(?:free[ -]text|e-?mail address|url)"
        r"(?: (?:of|for|from|to|that|about|entered|written|typed) (?!.*\b(?:is|are|has|have|was|were|been)\b).*)?",
    ),
    (
        "type",
        _one_of(f"{_TIMES} boolean uuid"),
        rf"{_LEAD}(?:number of (?:\w+ )?\w+s|json (?:object|array|document))(?: (?!.*\b(?:is|are|has|have|was|were|been)\b).*)?",
    ),
    ("type", _one_of(f"{_TIMES} boolean whole"), rf"{_LEAD}(?:uuid|guid)(?: (?:of|for) .*)?"),
    (
        "unit",
        _one_of(f"{_TIMES} boolean uuid json scaled"),
        rf"{_S}{_LEAD}(?:always )?(?:an? )?(?:(?:whole|integer) numbers?|integers?)(?: (?:of|in) .*)?",
    ),
    ("unit", _one_of("boolean date text uuid"), rf"{{UNIT}}(?:milliseconds|ms|seconds|minutes|hours)"),
    ("unit", _one_of("boolean text uuid"), rf"{{UNIT}}(?:days|weeks|months|years)"),
    (
        "unit",
        _one_of(f"{_TIMES} boolean uuid"),
        rf"{{UNIT}}(?:(?:kilo|centi|milli)?met(?:er|re)s|km|kilograms|kg|grams|tons"
        r"|percent|cents|euros?|dollars|(?:kilo|mega)?bytes)",
    ),
    (
        "unit",
        _one_of(f"{_TIMES} boolean uuid"),
        r"(?:the )?(?:duration|length|delay)(?: of (?:\w+ ){1,4}?| )in (?:whole )?"
        r"(?:milliseconds|ms|seconds|minutes|hours|days|weeks)",
    ),
    # How many.
    (
        "decimals",
        _one_of("scaled whole wide"),
        rf"{_S}(?:(?:is|are|has|have|with|to|in|rounded|stored|kept|given|recorded|precise|accurate|always) )*{NUMBER}"
        r" (?:decimals?|decimal (?:places?|digits?)|(?:digits?|places?|decimals?) after the (?:decimal )?(?:point|comma))",
    ),
    (
        "length",
        _one_of("text"),
        rf"{_S}(?:(?:is|are|has|have|with|of|consists of|always) )*{NUMBER}(?: \w+)? (?:characters?|chars?|letters?|digits?)"
        r"(?: (?:long|in length|wide))?",
    ),
    (
        "choices",
        _always,
        rf"{_S}(?:(?:is|are|has|have|takes|knows|uses|allows|holds|distinguishes|with|there are|there exist|one of|out of"
        rf"|the|of) )*{NUMBER} (?:(?:allowed|possible|different|distinct|valid|known) )*(?P<noun>[a-z]+)(?: of (?P<of>[\w ]{{1,40}}))?",
    ),
    (
        "range",
        _always,
        rf"{_S}(?:(?:is|are|goes|go|ranges?|runs?|counts?|lies?|a|an?|on a scale|scale|number|value|rating|of|whole) )*"
        r"(?:(?:from )?(?P<low>-?\d{1,6})(?: to | through |\u2013|-|\.\.)(?P<high>-?\d{1,6})"
        r"|between (?P<least>-?\d{1,6}) and (?P<most>-?\d{1,6}))",
    ),
)
_UNIT = (
    r"(?:(?:the )?(?:\w+ )?(?:amount|cost|delay|distance|duration|height|length|price|size|time|timeout|weight|width) "
    r"|(?:measured|given|expressed) )?in (?:whole )?"
)
FORMS = tuple(
    Form(kind, re.compile(pattern.replace("{UNIT}", _UNIT), re.IGNORECASE), applies)
    for kind, applies, pattern in _TABLE
)
