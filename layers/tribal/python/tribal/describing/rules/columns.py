"""Describes columns: by their comment, else by keys, types, checks and naming conventions."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tribal.catalog.identity import format_name
from tribal.describing.rules.column_facts import ColumnFacts
from tribal.describing.rules.conventions import describe_attribute, describe_by_ending, describe_well_known_number
from tribal.describing.rules.numeric_columns import describe_money, describe_quantity
from tribal.describing.rules.phrases import (
    COLUMN_COMMENT_CHARS,
    CONVENTION,
    DECLARED,
    GUESS,
    LIKELY,
    PARTLY_KNOWN,
    DerivedText,
    clean_comment,
    commented,
    derived,
    suggested,
    values_list,
)
from tribal.describing.rules.temporal_columns import describe_soft_delete_mark, describe_time, is_participle
from tribal.describing.rules.texts import describe_content
from tribal.masking import redact_expression
from tribal.naming import is_acronym, segment_all, split_identifier
from tribal.rendering.words import listing, row_noun, with_article
from tribal_contracts import CatalogForeignKey, Description

Rule = Callable[[ColumnFacts], DerivedText | None]

_KEY_WORDS = frozenset("id ids code number key uuid guid identifier fk ref reference".split())
_ORDINALS = frozenset("line seq sequence position pos number index ordinal rank step version revision".split())
# A role that is not a noun: nothing can be said to identify it.
_ADJECTIVES = frozenset(
    """
    a as at by for from in of on to via with actual alternate alternative base bill current default destination final
    first foreign initial internal external last local main new next old original other parent previous primary prior
    second secondary ship third
    """.split()
)
_ASKS = {"is": "is", "has": "has", "was": "was", "can": "can", "may": "may", "must": "must", "needs": "needs"}
_QUALITIES = {"default": "the default", "preference": "preferred", "main": "the main one", "primary": "the primary one"}
_STATES = frozenset(
    """
    active approved archived blocked cancelled closed confirmed current default disabled enabled external hidden
    internal locked mandatory open optional paid primary private public published valid verified visible
    """.split()
)
_YES_NO = ({"Y", "N"}, {"y", "n"}, {"T", "F"}, {"yes", "no"}, {"true", "false"})


def describe_columns(columns: Iterable[ColumnFacts]) -> dict[str, Description]:
    """Describe every column of a table."""
    return {facts.column.name: describe_column(facts) for facts in columns}


def describe_column(facts: ColumnFacts) -> Description:
    """Describe one column; the text says so if nothing is known."""
    comment = clean_comment(facts.column.comment, COLUMN_COMMENT_CHARS)
    if comment:
        return commented(comment)
    if facts.origin:
        return derived(f"Taken unchanged from {facts.origin}.", DECLARED)
    for rule in _RULES:
        found = rule(facts)
        if found is not None:
            text, confidence = found
            return derived(" ".join([text, *_facts(facts)]), confidence)
    known = _facts(facts)
    confidence = PARTLY_KNOWN if known else GUESS
    return derived(" ".join([_unknown(facts), *known]), confidence)


def _unknown(facts: ColumnFacts) -> str:
    return f"Not documented{facts.suggestion}."


def _facts(facts: ColumnFacts) -> list[str]:
    """What else is certain, one sentence each."""
    found = []
    others = [name for name in facts.key_columns if name != facts.column.name]
    if others and facts.column.name in facts.key_columns:
        found.append(f"Part of the primary key, together with {listing(others)}.")
    if facts.column.generated:
        formula = redact_expression(
            facts.column.generated, table=facts.context.table.table_name, column=facts.column.name
        )
        found.append(f"Calculated by the database: {formula}.")
    if facts.is_unique and facts.column.name not in facts.key_columns:
        found.append("Unique.")
    if facts.values and not _is_yes_no(facts):
        cryptic = all(len(value) <= 3 for value in facts.values) and facts.family != "number"
        found.append(
            f"One of {values_list(facts.values)}" + ("; what each stands for is not documented." if cryptic else ".")
        )
    elif facts.samples.values and not facts.foreign_keys and facts.family == "text":
        found.append(f"Values seen: {values_list(facts.samples.values)}.")
    low, high = facts.range
    if low is not None and high is not None:
        found.append(f"From {low} to {high}.")
    return found


def _foreign_key(facts: ColumnFacts) -> DerivedText | None:
    if not facts.foreign_keys:
        return None
    key = facts.foreign_keys[0]
    parent = row_noun(key.references_table)
    table = format_name((key.references_schema, key.references_table))
    if len(key.columns) > 1:
        others = listing([name for name in key.columns if name != facts.column.name])
        text = f"Together with {others}, identifies the {parent} ({table})."
    else:
        target = format_name((key.references_schema, key.references_table, *key.references_columns))
        itself = (key.references_schema, key.references_table) == (
            facts.context.table.schema_name,
            facts.context.table.table_name,
        )
        role = _role(facts, key)
        if role and not itself and set(role) <= set(facts.noun.lower().split()):
            text = f"Identifies the {parent} of the {facts.noun} ({target})."
        else:
            text = _identifies(role, parent, target, itself=itself)
    if facts.column.nullable:
        text += " Empty where there is none."
    if facts.key_columns == [facts.column.name]:
        text += f" Also the primary key: at most one {facts.noun} for each."
    return text, DECLARED


def _identifies(role: list[str], parent: str, target: str, *, itself: bool) -> str:
    if not role:
        return f"Identifies {'another' if itself else 'the'} {parent} ({target})."
    if _ADJECTIVES.isdisjoint(role) and not role[-1].endswith(("ed", "ing", "ly")):
        kind = f"another {parent}" if itself else with_article(parent)
        return f"Identifies the {' '.join(role)}: {kind} ({target})."
    return f"Identifies {'another' if itself else 'the'} {parent} in the role '{' '.join(role)}' ({target})."


def _role(facts: ColumnFacts, key: CatalogForeignKey) -> list[str]:
    """The words of the column's name that do not name the referenced table."""
    target = split_identifier(key.references_table) + split_identifier(key.references_columns[0])
    explained = {*_KEY_WORDS, *target, *segment_all(target), *row_noun(key.references_table).lower().split()}
    rest = [word for word in facts.words if word not in explained]
    return [word.upper() if is_acronym(word) else word for word in rest]


def _primary_key(facts: ColumnFacts) -> DerivedText | None:
    if facts.column.name not in facts.key_columns:
        return None
    if len(facts.key_columns) == 1:
        numbered = " Numbered by the database." if facts.column.identity else ""
        return f"Identifies the {facts.noun}: the primary key.{numbered}", DECLARED
    others = [name for name in facts.key_columns if name != facts.column.name]
    parents = [key for key in facts.context.table.foreign_keys if set(key.columns) <= set(others)]
    if parents and not _ORDINALS.isdisjoint(facts.words) and facts.family == "number":
        return f"Numbers the rows of one {row_noun(parents[0].references_table)}.", DECLARED
    return None


def _is_yes_no(facts: ColumnFacts) -> bool:
    return set(facts.values) in _YES_NO


def _flag(facts: ColumnFacts) -> DerivedText | None:
    marked = facts.words[-1:] == ["flag"] and facts.family == "other"
    if facts.family != "boolean" and not marked and not _is_yes_no(facts):
        return None
    words = [word for word in facts.words if word not in ("flag", "indicator")]
    if len(words) > 1 and words[0] in _ASKS and set(words).isdisjoint(facts.noun.lower().split()):
        return f"Whether the {facts.noun} {_ASKS[words[0]]} {_spoken_quality(facts, words[1:])}.", LIKELY
    if len(words) == 1 and (words[0] in _STATES or is_participle(words[0])):
        return f"Whether the {facts.noun} is {words[0]}.", LIKELY
    suggestion = f"; {suggested(' '.join(words))}" if words and (len(words) > 1 or words != facts.words) else ""
    return f"Yes or no{suggestion}.", GUESS


def _spoken_quality(facts: ColumnFacts, words: list[str]) -> str:
    return _QUALITIES.get(" ".join(words)) or facts.spoken(words)


def _author(facts: ColumnFacts) -> DerivedText | None:
    if facts.words[-1:] != ["by"] or len(facts.words) != 2:
        return None
    if facts.words[0] in ("created", "inserted", "added"):
        return "Who created the row.", CONVENTION
    if facts.words[0] in ("updated", "modified", "changed", "edited"):
        return "Who changed the row last.", CONVENTION
    return None


def _code(facts: ColumnFacts) -> DerivedText | None:
    if not facts.values:
        return None
    *owner, last = facts.words or [""]
    about_the_row = set(owner) <= set(facts.noun.lower().split())
    if last in ("status", "state", "stage", "phase") and about_the_row:
        return f"How far the {facts.noun} has come.", LIKELY
    if last in ("type", "kind", "category", "class") and about_the_row:
        return f"Which sort of {facts.noun} the row is.", LIKELY
    return f"A fixed set of values{facts.suggestion}.", LIKELY


_RULES: tuple[Rule, ...] = (
    _foreign_key,
    describe_soft_delete_mark,
    _primary_key,
    describe_time,
    _flag,
    _author,
    describe_quantity,
    describe_money,
    describe_well_known_number,
    describe_content,
    _code,
    describe_by_ending,
    describe_attribute,
)
