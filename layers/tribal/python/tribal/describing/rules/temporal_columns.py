"""Describes dates and times, and marks of soft deletes."""

from __future__ import annotations

from tribal.describing.rules.column_facts import ColumnFacts
from tribal.describing.rules.phrases import CONVENTION, GUESS, LIKELY, DerivedText
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
_BOUNDS = {**dict.fromkeys(("start", "begin", "starting"), "starts"), **dict.fromkeys(("end", "ending"), "ends")}
_DONE = {"ship": "shipped", "hire": "hired", "release": "released"}
_ADJECTIVES = frozenset({"actual", "scheduled", "real"})
_ORDER = frozenset("first last".split())


def is_soft_delete_mark(facts: ColumnFacts) -> bool:
    """Whether the column marks rows that are deleted but kept."""
    if facts.family != "boolean" and facts.family not in _TIMES:
        return False
    words = [word for word in facts.words if word not in ("is", "flag", "indicator")]
    alone = bool(words) and words[0] in DELETED_WORDS and set(words[1:]) <= _TAILS
    return alone and (facts.family == "boolean" or (facts.family in _TIMES and facts.column.nullable))


def describe_soft_delete_mark(facts: ColumnFacts) -> DerivedText | None:
    """Describe the mark of a soft delete."""
    if not is_soft_delete_mark(facts):
        return None
    done = next(word for word in facts.words if word in DELETED_WORDS)
    if facts.family == "boolean":
        return f"Whether the {facts.noun} counts as {done} while its row is kept.", CONVENTION
    return f"When the {facts.noun} was marked as {done}; empty while it is live.", CONVENTION


def describe_time(facts: ColumnFacts) -> DerivedText | None:
    """Describe a date or time by the verb in its name."""
    words = [word for word in facts.words if word not in _TAILS]
    if facts.column.type.lower().startswith("time") and facts.family == "other":
        return _named(facts, words, "Time of day at which", "")
    if facts.family not in _TIMES:
        return None
    if words and set(words) <= _CREATED | {"row", "record", "on"}:
        return "When the row was created.", CONVENTION
    if facts.sensitive is SensitiveKind.BIRTH_DATE:
        return "Date of birth.", CONVENTION
    if _is_log(facts):
        return f"When it happened{facts.suggestion}.", LIKELY
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
    if words and is_participle(words[-1]) and set(words[:-1]) <= _ORDER:
        return f"{when} the {facts.noun} was {' '.join(words)}.{until}", LIKELY
    named = _named(facts, words, when, until)
    if named is not None:
        return named
    kind = "A date" if facts.family == "date" else "A point in time"
    return f"{kind}{facts.suggestion}.", GUESS


def _named(facts: ColumnFacts, words: list[str], when: str, until: str) -> DerivedText | None:
    """Starts, ends, and nouns that stand for a verb."""
    if not words:
        return None
    *owner, last = words
    verb = _BOUNDS.get(last)
    if verb is not None and not _AHEAD.union(_ADJECTIVES).isdisjoint(owner):
        return f"{' '.join(words).capitalize()} of the {facts.noun}.", LIKELY
    if verb is not None and not owner and not _LOGS.isdisjoint(facts.noun.lower().split()):
        applies = "starts to apply" if verb == "starts" else "ceases to apply"
        open_end = " Empty where no end is recorded." if verb == "ends" and facts.column.nullable else ""
        return f"{when} the entry {applies}.{open_end}", LIKELY
    if verb is not None:
        open_end = " Empty where no end is recorded." if verb == "ends" and facts.column.nullable else ""
        return f"{when} the {' '.join(owner) or facts.noun} {verb}.{open_end}", LIKELY
    if not owner and last in facts.noun.lower().split():
        return f"Date{'' if facts.family == 'date' else ' and time'} of the {facts.noun}.", LIKELY
    done = _DONE.get(last)
    if done is not None and not owner:
        return f"{when} the {facts.noun} was {done}.{until}", LIKELY
    return None


def _is_log(facts: ColumnFacts) -> bool:
    """Whether rows record what happened to something else, so that `changed_at` is not about the row itself."""
    return not _LOGS.isdisjoint(split_identifier(facts.context.table.table_name))


def is_participle(word: str) -> bool:
    """Whether a word says what was done to something: `shipped`, `paid`."""
    return (len(word) > 4 and word.endswith("ed")) or word in _IRREGULAR


def _validity(facts: ColumnFacts) -> DerivedText | None:
    words = set(facts.words)
    if words.isdisjoint({"valid", "effective"}):
        return None
    if not words.isdisjoint({"from", "start", "since", "begin"}) or facts.words == ["effective", "date"]:
        return f"From when on the {facts.noun} applies.", CONVENTION
    if not words.isdisjoint({"to", "until", "end", "thru", "through", "till"}):
        endless = "; empty where no end is set" if facts.column.nullable else ""
        return f"Until when the {facts.noun} applies{endless}.", CONVENTION
    return None
