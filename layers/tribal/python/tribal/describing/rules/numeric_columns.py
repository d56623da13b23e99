"""Describes amounts of money and measured quantities."""

from __future__ import annotations

from tribal.describing.rules.column_facts import ColumnFacts
from tribal.describing.rules.phrases import CONVENTION, LIKELY, DerivedText, suggested

_CENTS = frozenset({"cent", "cents"})
_MONEY = frozenset(
    "amount price cost fee salary balance revenue charge wage payment turnover subtotal msrp credit debit".split()
)
_MONEY_TAILS = frozenset("due paid total net gross".split())
# By the last word of the name as written; short units only where they cannot be anything else.
_UNITS = {
    **dict.fromkeys(("pct", "percent", "percentage", "perc"), "percent"),
    **dict.fromkeys(("g", "grams", "gram"), "grams"),
    **dict.fromkeys(("kg", "kgs", "kilograms"), "kilograms"),
    **dict.fromkeys(("lb", "lbs", "pounds"), "pounds"),
    "mm": "millimetres",
    "cm": "centimetres",
    "km": "kilometres",
    **dict.fromkeys(("ms", "millis", "milliseconds"), "milliseconds"),
    **dict.fromkeys(("sec", "secs", "seconds"), "seconds"),
    **dict.fromkeys(("mins", "minutes"), "minutes"),
    **dict.fromkeys(("hrs", "hours"), "hours"),
    "days": "days",
    "weeks": "weeks",
    "months": "months",
    "years": "years",
    "bytes": "bytes",
    "kb": "kilobytes",
    "mb": "megabytes",
    "gb": "gigabytes",
}


def holds_cents(facts: ColumnFacts) -> bool:
    """Whether the column holds whole cents, so that its sum has to be divided by 100."""
    return facts.family == "number" and not _CENTS.isdisjoint(facts.tokens)


def describe_money(facts: ColumnFacts) -> DerivedText | None:
    """Describe an amount of money."""
    if facts.family != "number":
        return None
    if holds_cents(facts):
        rest = " ".join(word for word in facts.words if word not in _CENTS)
        suggestion = f"; {suggested(rest)}" if rest else ""
        return f"Amount of money in cents{_currency(facts)}{suggestion}.", CONVENTION
    if not _is_money(facts.words) or facts.foreign_keys:
        return None
    unit = _currency(facts) or "; neither currency nor unit is documented"
    return f"Amount of money{unit}{facts.suggestion}.", LIKELY


def _is_money(words: list[str]) -> bool:
    ends_so = words[-1:] and words[-1] in _MONEY
    return bool(ends_so) or (len(words) == 2 and words[0] in _MONEY and words[1] in _MONEY_TAILS)


def _currency(facts: ColumnFacts) -> str:
    for column in facts.context.table.columns:
        if "currency" in column.name.lower() or column.name.lower() in ("curr_cd", "curr_code", "ccy", "curr"):
            return f", in the currency of {column.name}"
    return ""


def describe_quantity(facts: ColumnFacts) -> DerivedText | None:
    """Describe a quantity with a unit in its name, or a count."""
    if facts.family != "number" or not facts.tokens:
        return None
    unit = _UNITS.get(facts.tokens[-1])
    if unit is not None and len(facts.tokens) > 1:
        rest = facts.words[:-1]
        return f"Measured in {unit}; {suggested(' '.join(rest))}.", LIKELY
    if "quantity" in facts.words:
        return f"How many{facts.suggestion}.", LIKELY
    if facts.words[-1] == "count" or facts.words[:2] == ["number", "of"] or facts.tokens[0] == "num":
        return f"A count{facts.suggestion}.", LIKELY
    return None
