"""Claims of a text about a column or a table that the catalog contradicts: the kind, the words, and the fact."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Literal

from tribal.text_checks.contradictions.clauses import (
    HEDGED,
    NEGATED,
    Clause,
    clauses_of,
    is_about,
    is_row,
    words_of_name,
)
from tribal.text_checks.contradictions.counts import miscounted
from tribal.text_checks.contradictions.facts import FACTS, WITH_KEYS, unique_fact
from tribal.text_checks.contradictions.forms import FORMS, ClaimKind
from tribal.text_checks.contradictions.parts import column_named
from tribal.text_checks.contradictions.references import other_reference
from tribal.text_checks.contradictions.uniqueness import is_denied, labels_row, row_claim
from tribal.text_checks.contradictions.values import forbidden_values
from tribal_contracts import DocumentedColumn, TableDocument

ContradictionKind = Literal["unique", "nullable", "values", "reference", "type", "count"]
_KINDS: dict[ClaimKind, ContradictionKind] = {
    "unique": "unique",
    "mandatory": "nullable",
    "optional": "nullable",
    "type": "type",
    "unit": "type",
    "decimals": "count",
    "length": "count",
    "choices": "count",
    "range": "values",
}
_CHARACTERS = re.compile(r"\b(?:letter|digit|char|character)s?\b", re.IGNORECASE)
Found = tuple[ContradictionKind, str, str]


def of_column(
    text: str, column: DocumentedColumn, table: TableDocument, is_table: Callable[[str], bool]
) -> Iterator[Found]:
    """What a text says of a column against the catalog, each kind once.

    Args:
        text: what is said of the column.
        column: the column.
        table: its table.
        is_table: whether words mean a table of the database.
    """
    found = [each for clause in clauses_of(text) for each in _of_clause(clause, column, table, text)]
    yield from {kind: (kind, words, fact) for kind, words, fact in reversed(found)}.values()
    if values := forbidden_values(text, column):
        source = "type" if column.allowed_values_from == "enum" else "check"
        yield "values", " or ".join(values), f"its {source} does not allow that"
    keys = [key for key in table.foreign_keys if column.name in key.columns]
    if keys and (words := other_reference(text, column, keys, is_table)):
        place = f"{keys[0].references_table} ({', '.join(keys[0].references_columns)})"
        yield "reference", words, f"its foreign key references {place}"


def _of_clause(clause: Clause, column: DocumentedColumn, table: TableDocument, text: str) -> Iterator[Found]:
    for kind, fact in _facts(clause, column, table):
        if kind != "unique" or not is_denied(text, clause.text):
            yield kind, clause.text, fact


def _facts(clause: Clause, column: DocumentedColumn, table: TableDocument) -> Iterator[tuple[ContradictionKind, str]]:
    if clause.is_firm and labels_row(clause, column, table) and (fact := unique_fact(column, table)):
        yield "unique", fact
    for form in FORMS:
        if not form.can_contradict(column):
            continue
        claim = form.pattern.fullmatch(clause.text)
        if claim and _holds(form.kind, clause) and _is_about(claim, clause, column, table):
            fact = FACTS[form.kind](claim, column, table)
            if fact:
                yield _KINDS[form.kind], fact


def _holds(kind: ClaimKind, clause: Clause) -> bool:
    """Whether nothing in its sentence denies or weakens a claim of that kind."""
    if kind == "optional":
        return not (NEGATED.search(clause.before) or clause.follows_past)
    if kind in ("type", "unit"):
        weaker = HEDGED.search(clause.text) or NEGATED.search(clause.text.replace("yes/no", "")) or clause.follows_past
        # A type is stated by how a sentence begins; later it may be that of something else.
        return not weaker and not (kind == "type" and clause.before)
    if kind == "length" and len(_CHARACTERS.findall(clause.sentence)) > 1:
        # "Two letters, then four digits"
        return False
    return clause.is_firm


def _is_about(claim: re.Match[str], clause: Clause, column: DocumentedColumn, table: TableDocument) -> bool:
    parts = claim.groupdict()
    if parts.get("gloss") is not None:
        # How a sentence begins says what the column is.
        return not clause.before
    if thing := parts.get("thing"):
        return thing.split()[-1].lower() in words_of_name(column.name)
    rows = [parts[name] for name in ("entity", "all") if parts.get(name)]
    subject = parts.get("subject")
    if "two" in claim.string.lower().split() and subject and subject.lower() != "one":
        # "Two colleagues have the same phone": what the rows are may be said in other words than the table's name.
        named = {word for each in table.columns for word in words_of_name(each.name)}
        rows = [each for each in rows if not named.isdisjoint(words_of_name(each))]
    return all(is_row(each, table.table) for each in rows) and (
        is_about(subject, column.name, clause.head, table.table)
        or ("noun" in parts and is_row(subject or "", table.table))
    )


def of_table(text: str, table: TableDocument) -> Iterator[tuple[DocumentedColumn | None, Found]]:
    """What a text says of a table, or of columns that it names, against the catalog."""
    rows = row_claim(text, table) if table.kind in WITH_KEYS else ""
    if rows:
        yield None, ("unique", rows, "no key makes it so")
    if counted := miscounted(text, table):
        yield None, ("count", *counted)
    for clause in clauses_of(text):
        if clause.text == rows:
            continue
        for form in FORMS:
            claim = form.pattern.fullmatch(clause.text)
            column = column_named(_thing(claim), table) if claim else None
            if column:
                yield from ((column, found) for found in _of_clause(clause, column, table, text))
                break


def _thing(claim: re.Match[str]) -> str:
    """What a claim is about, by its own words: "email" of "no two rows have the same email"."""
    parts = claim.groupdict()
    if "noun" in parts and not parts["subject"]:
        # "Three states" may be those of a federation; "there are three states" counts those of the rows.
        return parts["noun"] if claim.start("number") else ""
    return parts.get("subject") or ""
