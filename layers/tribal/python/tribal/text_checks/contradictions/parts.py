"""Parts of a text by the column that they are about: a sentence that begins with the name of another one is its."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tribal.text_checks.contradictions.clauses import EXCEPTED, MAX_TEXT_CHARS, PRONOUNS, is_row, same_name
from tribal.text_checks.sentences import plain, split_sentences
from tribal_contracts import DocumentedColumn, TableDocument

_VERB = (
    r"is|are|can|cannot|can't|must|may|might|should|has|have|holds?|stores?|contains?|keeps?|points?"
    r"|references?|refers?"
    r"|links?|joins?|takes?|never|always|stays?|remains?|ranges?|goes|identifies|gives|shows|uniquely|was|were|will"
    r"|occurs|appears|allows|distinguishes"
)
_NAMED = re.compile(
    rf"(?P<article>the )?(?P<what>(?:column|field) )?(?P<quote>[`\"'\[]?)(?P<name>[\w.]+(?: [\w.]+){{0,4}}?)[`\"'\]]?"
    rf"(?: column| field)?(?:\s*:\s+|\s+(?={_VERB}\b))(?P<claim>.+)",
    re.IGNORECASE | re.DOTALL,
)
_OF_TABLE = re.compile(
    r"(?P<name>.+?) (?:of|in|on) (?:the |an? |each |every )?(?P<table>[\w.]+)(?: table)?"
    r"|(?P<before>[\w.]+)\.(?P<last>\w+)",
    re.IGNORECASE,
)
"""The email of an employee, or `employee.email`."""
_GOES_ON = re.compile(r"(?:it|this|they|these|its values?)\b", re.IGNORECASE)


def parts_of(
    text: str, table: TableDocument, described: DocumentedColumn | None
) -> Iterator[tuple[DocumentedColumn | None, str]]:
    """The parts of a text, each with its column; with `None` where it is about the table.

    Args:
        text: what someone wrote.
        table: what the text is about.
        described: the column that it describes, if it is not the table's.
    """
    text = text[:MAX_TEXT_CHARS]
    sentences = split_sentences(plain(text))
    named = [_named(sentence, table, described) for sentence in sentences]
    if not any(named) or EXCEPTED.search(text):
        yield described, text
        return
    kept: list[str] = []
    last: DocumentedColumn | None = None
    for sentence, other in zip(sentences, named, strict=True):
        if other:
            last = other[0]
            yield other
        elif last is None or not _GOES_ON.match(sentence):
            kept.append(sentence)
            last = None
    yield described, " ".join(kept)


def _named(
    sentence: str, table: TableDocument, described: DocumentedColumn | None
) -> tuple[DocumentedColumn, str] | None:
    """The column that a sentence begins with, if it is not the described one, and the rest of the sentence."""
    found = _NAMED.match(sentence)
    if found is None:
        return None
    name: str = found["name"]
    column = column_named(name, table)
    is_marked = found["what"] or found["quote"] or "." in name or "_" in name
    # In the text of a column, "the value" and "the name" are often its own.
    if described and not is_marked and (found["article"] or " " in name or name.lower() in PRONOUNS):
        return None
    return None if column is None or column == described else (column, found["claim"])


def column_named(name: str, table: TableDocument) -> DocumentedColumn | None:
    """The column that has exactly that name, in any case, or as words; in the plural, and with its table, too."""
    bare = re.sub(r"^(?:the |a |an )|[`\"']", "", name.strip(), flags=re.IGNORECASE)
    if found := _OF_TABLE.fullmatch(bare):
        if not is_row((found["table"] or found["before"]).rpartition(".")[2], table.table):
            return None
        bare = found["name"] or found["last"]
    exact = (each for each in table.columns if each.name.lower() == bare.lower())
    return next(exact, None) or next((each for each in table.columns if bare and same_name(each.name, bare)), None)
