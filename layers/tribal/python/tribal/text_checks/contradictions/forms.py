"""The forms in which people write a claim about a column: subject, predicate and object.

A form is compared with a whole clause. A clause without a subject is about the column that its text describes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from tribal.sql.type_families import is_whole, type_family
from tribal_contracts import DocumentedColumn

ClaimKind = Literal["unique", "mandatory", "optional", "type", "unit", "decimals", "length", "choices", "range"]
"""A `type` is claimed by how a sentence begins, a `unit` anywhere in it."""

NUMBERS = {
    word: number
    for number, word in enumerate("no one two three four five six seven eight nine ten eleven twelve".split())
}
_S = r"(?:(?!(?:is|are|has|with|no|there|must|it has) )(?P<subject>[\w.`\" -]{1,60}?) )??"
_BE = r"(?:(?:is|are|must be|has to be|have to be|needs to be) )?"
_NOUN = r"(?: (?:field|column|value|attribute|entry))?"
_ROW = r"(?P<entity>[\w -]{1,40}?)"
_OBJECT = r"(?P<subject>[\w -]{1,40})"
_ONE = rf"(?:(?:exactly )?one|an? (?:value|{_OBJECT}))"
_ALL_ROWS = (
    r"(?:the (?:whole|entire) table|(?:all|every|each|the (?:whole|entire)) (?P<all>[\w ]{1,40})|(?:this|the) table)"
)
_TWICE = r"(?:twice|more than once|(?:on|in|for|by|to) (?:two|several|different|more than one) \w+)"
_OCCUR = (
    r"(?:(?:is |are |be )?(?:used|shared|repeated|assigned|issued|found|given(?: out)?)"
    r"|occurs?|appears?|exists?|is|are|be)"
)
_HAS = r"(?:has|gets|is given|carries|receives|needs|uses|must have)"
_SAME = r"(?:have|share|use|get|carry|bear|receive) (?:the same|an?|one)"
_BOUND = (
    r"(?:(?:(?P<most>at most|up to|no more than|not more than|a maximum of)|(?P<least>at least|no fewer than"
    r"|no less than)"
    r"|exactly|always|precisely|only|just|all) )*"
)
NUMBER = rf"{_BOUND}(?P<number>\d{{1,3}}|{'|'.join(NUMBERS)})"
_SET = r"(?:filled(?: in| out)?|set|present|populated|known|given|specified|entered|recorded|provided|available)"
_EMPTY = r"(?:null|empty|blank|missing|omitted|unset|left (?:out|empty|blank))"
_WHEN = r"(?:if|when|unless|until|till|while|as long as|for|where|by|before|without)\b.*"
_LEAD = (
    r"(?:(?:it|this|(?:the|this) (?:column|field|value)) )?(?:(?:is|holds|stores|contains|keeps|has|shows|gives|as"
    r"|(?:is )?(?:stored|kept|saved|recorded|given|entered) as) )?(?:(?:an?|the) )?"
)
_NO_VERB = r"(?:(?!\b(?:is|are|has|have|was|were|been)\b).)*(?:\b(?:since|that|which|who|when|until|after|before)\b.*)?"
"""What follows a noun and leaves it one: "date of birth", but not "date of birth is known"."""
_UNIT = (
    r"(?:(?:the )?(?:\w+ )?(?:amount|cost|delay|distance|duration|height|length|price|size|time|timeout|weight|width) "
    r"|(?:measured|given|expressed) )?in (?:whole )?"
)
_DECIMALS = (
    r"(?:decimals?|(?:decimal|fractional) (?:places?|digits?)"
    r"|(?:digits?|places?|decimals?) (?:after|behind) the (?:decimal )?(?:point|comma))"
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
    return _family((column.base_type or column.type).lower())


@lru_cache(maxsize=1_000)
def _family(name: str) -> str:
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
_TABLE: tuple[tuple[ClaimKind, Callable[[DocumentedColumn], bool], tuple[str, ...]], ...] = (
    (
        "unique",
        _always,
        (
            rf"{_S}{_BE}(?:always |globally |guaranteed (?:to be )?|all )?(?:unique|distinct)(?: (?:key"
            rf"|value|column|field)s?)?"
            rf"(?: (?:across|among|for|in|on|to) {_ALL_ROWS})?",
            rf"{_S}{_BE}different (?:for|on|in) {_ALL_ROWS}",
            rf"{_S}(?:is|serves as|acts as) (?:an?|the) (?:alternate|alternative|candidate) key",
            rf"there (?:cannot|can't|must not|may not|can never) be two {_ROW} with the same {_OBJECT}",
            rf"no two (?:{_ROW} )?(?:(?:can|may|ever|will) )*{_SAME}(?: {_OBJECT})?",
            rf"two {_ROW} (?:never|cannot|can't|must not|may not) (?:ever )?{_SAME}(?: {_OBJECT})?",
            rf"(?:each|every) {_ROW} {_HAS} (?:its|their|his|her) own(?: unique)?(?: {_OBJECT})?",
            rf"(?:each|every) {_ROW} {_HAS} (?:an?|one) (?:unique|different|distinct) {_OBJECT}",
            rf"(?:there (?:is|can be) )?(?:only |exactly |at most )?one {_ROW} (?:per|for (?:each|every)) {_OBJECT}",
            rf"(?:only|exactly|at most) one {_ROW} (?:(?:can|may) )?(?:has|have|uses?|gets?)"
            rf" (?:the same|(?:a|any) given|each|any) {_OBJECT}",
            rf"{_S}(?:belongs to|is (?:assigned|given|issued|tied) to|(?:is )?used by) (?:exactly|only|just"
            rf"|at most) one {_ROW}",
            rf"{_S}(?:can only have|can have only|has only|has at most|never has more than) one {_ROW}",
            rf"{_S}identifies (?:exactly one|only one|one|a single) {_ROW}",
            rf"(?:the same )?{_S}(?:(?:is|are|can|must|may) )?(?:never|not|cannot|can't) (?:{_OCCUR} )?{_TWICE}",
            rf"no {_S}(?:(?:can|may|ever) )?{_OCCUR} {_TWICE}",
            rf"(?:the same )?{_S}(?:must not|may not|cannot|can't|never|does not|do not) (?:repeats?|be repeated"
            rf"|be duplicated)",
            rf"(?:each one |each |every )?{_S}(?:can |may |must )?{_OCCUR} (?:(?:only|just|exactly"
            rf"|at most) once|once only)"
            rf"(?: (?:across|among|for|in|on) {_ALL_ROWS})?",
            rf"{_S}(?:(?:has|have|contains|there are) )?(?:no|without"
            rf"|free of) duplicates?(?: values?)?(?: (?:are )?allowed)?",
            r"duplicates? (?:values? )?(?:(?:is|are) )?(?:not (?:allowed|possible)|rejected|impossible|forbidden)",
        ),
    ),
    (
        "mandatory",
        _is_no_flag,
        (rf"{_S}{_BE}(?:always )?(?:an? )?(?:mandatory|required|obligatory|compulsory){_NOUN}",),
    ),
    (
        "mandatory",
        _always,
        (
            rf"{_S}{_BE}(?:not null(?:able)?|non-?null(?:able)?|not optional|never (?:be )?{_EMPTY}"
            rf"|always (?:be )?{_SET}"
            r"|fully populated)",
            rf"{_S}(?:always has|never without) (?:one|an? value)",
            rf"(?:there is always|(?:we|you) always have) {_ONE}(?: here)?",
            rf"{_S}(?:cannot|can not|can't|must not|must never|may not|may never) (?:be|stay|remain) {_EMPTY}",
            rf"{_S}(?:(?:has|have|contains|with|there are) )?(?:no|without|free of)"
            r" (?:nulls?|(?:null|empty|missing) values?)",
            r"nulls? (?:values? )?(?:is|are) (?:not (?:allowed|permitted|possible)|rejected|forbidden)",
            rf"{_S}(?:does not|must not) (?:allow|accept|contain) (?:nulls?|(?:null|empty) values?)",
            rf"{_S}(?:must|always|has to) (?:have|has|hold|holds|contain|contains) (?:one|an? value)",
            rf"(?:for|in) (?:every|each) {_ROW} there is {_ONE}",
            rf"there is (?:one|an? (?:value|(?P<subject>[\w -]{{1,40}}?))) (?:for|in) (?:every|each) {_ROW}",
            rf"{_S}(?:must|has to|have to|needs to) (?:always )?be {_SET}",
            rf"{_S}(?:{_BE}{_SET}|exists?) (?:for|in|on|with) (?:every|all|each)(?: of the)? {_ROW}",
            rf"(?:every|each|all|any) {_ROW} (?:has|have|needs?|must have|carry|carries) {_ONE}(?: here"
            rf"| in (?:it|this column))?",
            rf"no {_ROW} (?:is|can be|comes|exists|may be) without {_ONE}",
        ),
    ),
    (
        "optional",
        _has_no_default,
        (
            rf"{_S}{_BE}(?:(?:an? )?optional{_NOUN}|not (?:required|mandatory|obligatory|compulsory))",
            r"(?:an? )?optional (?P<thing>(?:[\w-]+ ){0,2}?[\w-]+)(?: (?:of|for|to|that|which|from|about|with|by) .*)?",
        ),
    ),
    (
        "optional",
        _always,
        (
            rf"{_S}{_BE}(?:nullable{_NOUN}|(?:can|may) be (?:left )?null)|nulls? (?:is |are )?(?:allowed"
            rf"|possible|permitted)",
            rf"{_S}(?:(?:is|are|can be|may be|will be|stays|remains|left|leave|set to|or|else|otherwise) )?"
            r"null(?: (?:if|when|unless|until|before|while|as long as|for|where|means?|indicates?)\b| ?=).*",
            r"(?:or|else|otherwise) null|(?:allows|accepts) nulls?|defaults to null",
        ),
    ),
    (
        "optional",
        _is_null_if_empty,
        (
            rf"{_S}(?:can|may) (?:also )?(?:be|stay|remain) {_EMPTY}(?: {_WHEN})?",
            rf"{_S}(?:(?:is|are|be|stays?|remains?|left|will be|kept) )?(?:left )?(?:empty|blank|left out"
            rf"|left open|unset"
            rf"|missing) {_WHEN}",
            rf"{_S}{_BE}not (?:always|yet always|necessarily) {_SET}(?: {_WHEN})?",
            rf"{_S}{_BE}(?:sometimes|often|usually|mostly|occasionally) (?:null|empty|blank|missing)(?: .*)?",
            rf"{_S}(?:(?:has|have) )?no value {_WHEN}",
            rf"{_S}(?:is |are )?not {_SET} {_WHEN}",
            rf"{_S}{_BE}only {_SET} (?:once|after|if|when|for)\b.*",
            rf"not (?:every|all|each) {_ROW} (?:has|have|needs?) {_ONE}",
        ),
    ),
    (
        "type",
        _one_of("boolean scaled uuid"),
        (
            rf"{_LEAD}(?:date|timestamp|datetime|date and time|day)(?: (?:when|(?:on|at|from|since|until"
            rf"|by) which|that|the)\b.*"
            rf"| of {_NO_VERB})?",
        ),
    ),
    (
        "unit",
        _one_of(f"{_TIMES} uuid scaled"),
        (
            r"(?:(?:it|this) )?(?:set to |is )?(?:true|false) (?:if|when|once|after)\b.*",
            rf"{_LEAD}(?:boolean|yes/no)(?: (?:flag|value|field|column)(?: .*)?)?",
        ),
    ),
    (
        "type",
        _shows_whether,
        (r"whether .*|(?:a )?flag (?:that|indicating|which) .*|(?:says|indicates|shows) (?:if|whether) .*",),
    ),
    (
        "type",
        _one_of(f"{_TIMES} boolean uuid {_COUNTS}"),
        (
            rf"{_LEAD}(?:free[ -]text|e-?mail address|url)"
            rf"(?: (?:of|for|from|to|that|about|entered|written|typed) {_NO_VERB})?",
        ),
    ),
    (
        "type",
        _one_of(f"{_TIMES} boolean uuid"),
        (
            r"(?:(?:it |this )?(?:is|holds) )?a number",
            rf"{_LEAD}(?:(?<!\ba )number of (?:\w+ )?\w+s|json(?: (?:object|array|document))?)(?: {_NO_VERB})?",
        ),
    ),
    (
        "type",
        _one_of(f"{_TIMES} boolean uuid whole wide"),
        (rf"{_LEAD}(?:decimal|fractional) (?:number|value)(?: {_NO_VERB})?",),
    ),
    (
        "unit",
        _one_of(f"{_TIMES} boolean uuid {_COUNTS}"),
        (
            r"(?:(?:it|this) )?(?:is )?(?:stored|kept|saved|held|entered) as (?:an? )?(?:free )?(?:text|string)",
            r"as free text",
        ),
    ),
    ("type", _one_of(f"{_TIMES} boolean whole"), (rf"{_LEAD}(?:uuid|guid)(?: (?:of|for) .*)?",)),
    (
        "unit",
        _one_of(f"{_TIMES} boolean uuid json scaled"),
        (rf"{_S}{_LEAD}(?:always )?(?:an? )?(?:(?:whole|integer) numbers?|integers?)(?: (?:of|in) .*)?",),
    ),
    # A time may have a precision in seconds, and a date in days.
    ("unit", _one_of("boolean date text uuid"), (rf"{_UNIT}(?:milliseconds|ms|seconds|minutes|hours)",)),
    ("unit", _one_of("boolean text uuid"), (rf"{_UNIT}(?:days|weeks|months|years)",)),
    (
        "unit",
        _one_of(f"{_TIMES} boolean uuid"),
        (
            rf"{_UNIT}(?:(?:kilo|centi|milli)?met(?:er|re)s|km|kilograms|kg|grams|tons"
            r"|percent|cents|euros?|dollars|(?:kilo|mega)?bytes)",
            r"(?:the )?(?:duration|length|delay)(?: of (?:\w+ ){1,4}?| )in (?:whole )?"
            r"(?:milliseconds|ms|seconds|minutes|hours|days|weeks)",
        ),
    ),
    (
        "decimals",
        _one_of("scaled whole wide"),
        (
            rf"{_S}(?:(?:is|are|has|have|with|to|in|rounded|stored|kept|given|recorded|precise|accurate"
            rf"|always) )*{NUMBER} {_DECIMALS}",
            rf"(?P<gloss>(?:(?!\w+ed\b)[\w-]+ ){{1,4}})with {NUMBER} {_DECIMALS}",
        ),
    ),
    (
        "length",
        _one_of("text"),
        (
            rf"{_S}(?:(?:is|are|has|have|with|of|consists of|always) )*{NUMBER}(?: \w+)? (?:characters?"
            rf"|chars?|letters?|digits?)"
            r"(?: (?:long|in length|wide))?",
            rf"{_S}{_BE}(?:of |has (?:an? )?|an? )?length (?:of )?{NUMBER}",
            rf"(?P<gloss>(?:the |an? )?){NUMBER}-(?:letter|character|digit)(?: [\w-]+){{0,3}}(?: (?:of"
            rf"|for) [\w ]{{1,40}})?",
        ),
    ),
    (
        "choices",
        _always,
        (
            rf"{_S}(?:(?:is|are|has|have|can have|takes|knows|uses|allows|holds|distinguishes|with|there are"
            rf"|there exist|one of|out of|the|of|it|comes? in|measured in|divided into) )*{NUMBER}"
            r" (?:(?P<possible>allowed|possible|valid) |(?:different|distinct|known) )*(?P<noun>(?:(?!(?:in"
            r"|of|per|and|or)\b)[a-z]+ )?[a-z]+)"
            r"(?: of (?P<of>[\w ]{1,40}))?(?: (?:exist|(?:are|is) (?:allowed|possible|used|known|valid)))?",
        ),
    ),
    (
        "range",
        _always,
        (
            rf"{_S}(?:(?:is|are|goes|go|ranges?|runs?|counts?|lies?|a|an?|on a scale|scale|number|value"
            rf"|rating|of|whole) )*"
            r"(?:(?:from )?(?P<low>-?\d{1,6})(?: to | through |\u2013|-|\.\.)(?P<high>-?\d{1,6})"
            r"|from (?P<first>[a-z]) to (?P<last>[a-z])"
            r"|between (?P<from>-?\d{1,6}) and (?P<to>-?\d{1,6}))",
        ),
    ),
)
"""Kinds of claims, the columns whose catalog can contradict them, and how people write them."""
FORMS = tuple(
    Form(kind, re.compile(pattern, re.IGNORECASE), applies)
    for kind, applies, patterns in _TABLE
    for pattern in patterns
)
