"""Describes columns by naming conventions that nearly everybody follows."""

from __future__ import annotations

from tribal.describing.rules.column_facts import ColumnFacts
from tribal.describing.rules.phrases import CONVENTION, LIKELY, DerivedText, suggested
from tribal.naming import is_word, singular
from tribal.naming.abbreviation_table import ABBREVIATIONS
from tribal.rendering.words import with_article

_NOT_SAID = "is not documented"
# What a number is by the last word of its name, and what that leaves open.
_NUMBERS = {
    **dict.fromkeys(("weight", "height", "length", "width", "depth", "distance", "volume", "area"), "A measure"),
    **dict.fromkeys(("speed", "temperature", "duration", "size", "thickness", "diameter", "mileage"), "A measure"),
    **dict.fromkeys(("rate", "ratio", "percentage", "share", "probability"), "A rate"),
    **dict.fromkeys(("score", "rating", "rank", "grade"), "A rating"),
}
_LEFT_OPEN = {
    "A measure": "its unit",
    "A rate": "whether per cent or a share of one, and of what,",
    "A rating": "which end of the scale is the better one",
}
_EXACT = {
    "latitude": "Degrees north of the equator; negative to the south.",
    "longitude": "Degrees east of Greenwich; negative to the west.",
    "sort order": "Place of the row in the order in which people should see it.",
    "display order": "Place of the row in the order in which people should see it.",
    "row version": "Changes with every change of the row, so that two people do not overwrite each other.",
    "lock version": "Changes with every change of the row, so that two people do not overwrite each other.",
}
# By what the code is of, and its length.
_STANDARDS = {("currency", "3"): "ISO 4217", ("country", "2"): "ISO 3166", ("country", "3"): "ISO 3166"}
_VERSIONS = frozenset({"version", "version number", "revision", "revision number"})
_WEB = frozenset({"url", "website", "homepage", "link", "uri"})
_GUID_TYPES = ("uuid", "uniqueidentifier")
_MEASURE_WORDS = frozenset({"unit", "uom"})


def describe_well_known_number(facts: ColumnFacts) -> DerivedText | None:
    """Describe a number whose whole name has one common meaning."""
    known = _EXACT.get(" ".join(facts.words)) if facts.family == "number" else None
    return (known, CONVENTION) if known is not None else None


def describe_by_ending(facts: ColumnFacts) -> DerivedText | None:
    """Describe a column by the end of its name together with its type."""
    if facts.words in (["row", "guid"], ["row", "uuid"]):
        return "Identifies the row in every copy of the database, as replication needs it.", CONVENTION
    if facts.column.type.lower().startswith(_GUID_TYPES):
        return f"A globally unique identifier (UUID){facts.suggestion}.", LIKELY
    if facts.words[1:] and facts.words[-1] == "id" and facts.family == "number":
        return _loose_reference(facts)
    if facts.family == "number":
        return _version(facts) or _number(facts)
    if facts.family in ("text", "other"):
        return _web(facts) or _source_value(facts)
    return None


def _loose_reference(facts: ColumnFacts) -> DerivedText | None:
    if facts.context.table.kind not in ("table", "partitioned_table"):
        return None
    if not all(map(is_word, facts.words[:-1])):
        return None
    what = with_article(facts.name.removesuffix(" ID"))
    return f"By its name, identifies {what}; no foreign key says in which table.", LIKELY


def _version(facts: ColumnFacts) -> DerivedText | None:
    if " ".join(facts.words) in _VERSIONS:
        return f"Which {facts.words[0]} of the {facts.noun} this is.", LIKELY
    return None


def _number(facts: ColumnFacts) -> DerivedText | None:
    last = facts.words[-1] if facts.words else ""
    kind = _NUMBERS.get(last)
    if kind is None:
        return None
    unit = _unit_column(facts, last) if kind == "A measure" else None
    if unit is not None:
        what = f"{last.capitalize()} of the {facts.noun}" if [last] == facts.words else facts.name.capitalize()
        return f"{what}, in the unit that {unit} names.", LIKELY
    name = "" if [last] == facts.words else f"; {suggested(facts.name)}"
    kind = f"{last.capitalize()} of the {facts.noun}" if not name and kind == "A measure" else kind
    return f"{kind}{name}; {_LEFT_OPEN[_NUMBERS[last]]} {_NOT_SAID}.", LIKELY


def _unit_column(facts: ColumnFacts, measure: str) -> str | None:
    for other in facts.others:
        if measure in other.words and not _MEASURE_WORDS.isdisjoint(other.words):
            return other.column.name
    return None


def _web(facts: ColumnFacts) -> DerivedText | None:
    if facts.words[-1:] and facts.words[-1] in _WEB:
        return f"Web address{facts.suggestion if len(facts.words) > 1 else ''}.", CONVENTION
    return None


def _source_value(facts: ColumnFacts) -> DerivedText | None:
    if len(facts.words) > 2 and facts.words[-2:] == ["source", "value"]:
        return f"The {' '.join(facts.words[:-2])} as it was written where the data came from.", LIKELY
    return None


def describe_attribute(facts: ColumnFacts) -> DerivedText | None:
    """Describe a name, code or number of something, if every word of the column's name is known."""
    if facts.family not in ("text", "other") or len(facts.words) < 2 or facts.words[0] in ("is", "to", "from"):
        return None
    *owner, last = facts.words
    if not all(map(is_word, owner)):
        return None
    if last == "code" and _standard(facts, owner):
        return f"Code of {with_article(owner[-1])}, by its length one of {_standard(facts, owner)}.", LIKELY
    if any(len(ABBREVIATIONS.get(token, ())) > 1 for token in facts.tokens):
        return None
    own = set(owner) <= set(facts.noun.lower().split())
    known = f"the {facts.noun}" if own else with_article(singular(facts.spoken(owner)))
    if last in ("name", "title", "label"):
        return f"{last.capitalize()} of the {facts.spoken(owner)}.", LIKELY
    if last == "code" and own:
        return f"Code by which {known} is known.", LIKELY
    if last == "code":
        return f"Code of {known}; what the codes mean {_NOT_SAID} here.", LIKELY
    if last == "number":
        return f"Number, kept as text, by which {known} is known.", LIKELY
    return None


def _standard(facts: ColumnFacts, owner: list[str]) -> str:
    """The standard that codes of this length usually follow; empty if there is none."""
    return _STANDARDS.get((owner[-1], facts.column.type.partition("(")[2].rstrip(")")), "")
