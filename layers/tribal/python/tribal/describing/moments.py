"""Columns that say when something happened."""

from __future__ import annotations

from tribal.describing.column_facts import ColumnFacts
from tribal.describing.phrases import CONVENTION, GUESS, LIKELY
from tribal.masking import SensitiveKind
from tribal.naming import split_identifier

DELETED_WORDS = frozenset({"deleted", "removed", "archived"})
_TIMES = ("date", "instant", "local_time")
_TAILS = frozenset("at on date time timestamp datetime ts utc day".split())
_CREATED = frozenset("created create inserted insert creation added".split())
_CHANGED = frozenset("updated update modified modification changed edited".split())
_HAPPENS = frozenset("happened occurred expired arrived departed ended started began failed".split())
_IRREGULAR = frozenset("sent paid seen read done held made sold bought won lost begun given taken written".split())
_AHEAD = frozenset("due expected planned scheduled estimated promised".split())
_LOGS = frozenset("log logs history audit journal trail".split())
_ORDER = frozenset("first last".split())


def is_deleted_mark(facts: ColumnFacts) -> bool:
    """Whether the column marks rows that only look as if they were still there."""
    if facts.family != "boolean" and facts.family not in _TIMES:
        return False
    words = [word for word in facts.words if word not in ("is", "flag", "indicator")]
    alone = bool(words) and words[0] in DELETED_WORDS and set(words[1:]) <= _TAILS
    return alone and (facts.family == "boolean" or (facts.family in _TIMES and facts.column.nullable))


def deleted_mark(facts: ColumnFacts) -> tuple[str, float] | None:
    """Soft deletes."""
    if not is_deleted_mark(facts):
        return None
    done = next(word for word in facts.words if word in DELETED_WORDS)
    if facts.family == "boolean":
        return f"Whether the {facts.noun} counts as {done} while its row is kept.", CONVENTION
    return f"When the {facts.noun} was marked as {done}; empty while it is live.", CONVENTION


def moment(facts: ColumnFacts) -> tuple[str, float] | None:
    """Times and dates, by the verb in the name."""
    if facts.family not in _TIMES:
        return None
    words = [word for word in facts.words if word not in _TAILS]
    if words and set(words) <= _CREATED | {"row", "record", "on"}:
        return "When the row was created.", CONVENTION
    if facts.sensitive is SensitiveKind.BIRTH_DATE:
        return "Date of birth.", CONVENTION
    if _is_log(facts):
        return f"When it happened{facts.hint}.", LIKELY
    if words and set(words) <= _CHANGED | _ORDER | {"row", "record"} and not _CHANGED.isdisjoint(words):
        return "When the row was last changed.", CONVENTION
    validity = _validity(facts)
    if validity is not None:
        return validity
    when = "Day on which" if facts.family == "date" else "When"
    until = " Empty until then." if facts.column.nullable else ""
    if len(words) == 1 and words[0] in _HAPPENS:
        return f"{when} the {facts.noun} {words[0]}.{until}", LIKELY
    if len(words) == 1 and words[0] in _AHEAD:
        return f"{when} the {facts.noun} is {words[0]}.", LIKELY
    if words and _is_participle(words[-1]) and set(words[:-1]) <= _ORDER:
        return f"{when} the {facts.noun} was {' '.join(words)}.{until}", LIKELY
    kind = "A date" if facts.family == "date" else "A point in time"
    return f"{kind}{facts.hint}.", GUESS


def _is_log(facts: ColumnFacts) -> bool:
    """Whether the rows record what happened to others: there `changed_at` says nothing about the row itself."""
    return not _LOGS.isdisjoint(split_identifier(facts.context.table.table_name))


def _is_participle(word: str) -> bool:
    return (len(word) > 4 and word.endswith("ed")) or word in _IRREGULAR


def _validity(facts: ColumnFacts) -> tuple[str, float] | None:
    words = set(facts.words)
    if words.isdisjoint({"valid", "effective"}):
        return None
    if not words.isdisjoint({"from", "start", "since", "begin"}) or facts.words == ["effective", "date"]:
        return f"From when on the {facts.noun} applies.", CONVENTION
    if not words.isdisjoint({"to", "until", "end", "thru", "through", "till"}):
        endless = "; empty where no end is set" if facts.column.nullable else ""
        return f"Until when the {facts.noun} applies{endless}.", CONVENTION
    return None
