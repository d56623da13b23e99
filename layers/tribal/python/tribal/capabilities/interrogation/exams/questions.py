"""Read the questions of an exam: one per line, from the `question` column of a table, or from JSON lines."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator

from tribal.capabilities.interrogation.errors import ExamInvalid, HypothesisInvalid
from tribal.capabilities.interrogation.sessions.hypotheses import require_hypothesis
from tribal.encodings import marked_encoding
from tribal_contracts.interrogation.exams import MAX_QUESTIONS

COLUMN = "question"
_COMMENT = "#"
_TABLES = ("csv", "tsv", "tab")
_SEPARATORS = ",;\t|"
_NO_SEPARATOR = "\x1f"
"""A character that occurs in no question."""
_NAMED_SEPARATOR = re.compile(r'"?sep=(?P<separator>[^"\r\n])"?[,;\t|]*(?:\r\n?|\n|\Z)', re.IGNORECASE)
"""First line of a file that tells Excel the separator."""


def read_questions(name: str, data: bytes) -> list[str]:
    """Return the questions in a file in order, without duplicates.

    Args:
        name: name of the file. `.jsonl` files have JSON lines. Other files are tables if their first line names the
            column, which `.csv` and `.tsv` files must do; otherwise each line is a question.
        data: content of the file, in UTF-8, or in UTF-16 with a byte order mark.

    Raises:
        ExamInvalid: when a line is not a question, or the file has no questions or more than 5,000. The message names
            the line.
    """
    text = _decoded(name, data)
    suffix = name.rpartition(".")[2].casefold()
    if suffix in ("jsonl", "ndjson"):
        rows = _json_lines(name, text)
    elif suffix in _TABLES or _has_column(text):
        rows = _table(name, text)
    else:
        rows = _lines(text)
    questions: dict[str, None] = {}
    for line, row in rows:
        try:
            questions[require_hypothesis(row)] = None
        except HypothesisInvalid as error:
            raise ExamInvalid(f"{name}:{line}: {error.message.replace('hypothesis', 'question')}") from error
        if len(questions) > MAX_QUESTIONS:
            raise ExamInvalid(f"{name}:{line}: an exam has at most {MAX_QUESTIONS:,} questions; split the file")
    if not questions:
        raise ExamInvalid(f"{name} has no questions; write one per line")
    return list(questions)


def _decoded(name: str, data: bytes) -> str:
    try:
        return data.decode(marked_encoding(data))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ExamInvalid(f"{name}:{line}: the line is not UTF-8; save the file as UTF-8") from error


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip() and not line.lstrip().startswith(_COMMENT):
            yield number, line


def _has_column(text: str) -> bool:
    return _NAMED_SEPARATOR.match(text) is not None or any(
        _place(_heading(text, each)) is not None for each in _SEPARATORS
    )


def _table(name: str, text: str) -> Iterator[tuple[int, str]]:
    named = _NAMED_SEPARATOR.match(text)
    start, separator = (named.end(), named["separator"]) if named is not None else (0, _separator(text))
    reader = csv.reader(io.StringIO(text[start:], newline=""), delimiter=separator, strict=True)
    before = text.count("\n", 0, start)
    place: int | None = None
    try:
        for row in reader:
            if place is None:
                place = _column(name, row, reader.line_num + before)
            elif any(cell.strip() for cell in row):
                yield reader.line_num + before, row[place] if place < len(row) else ""
    except csv.Error as error:
        raise ExamInvalid(f"{name}:{reader.line_num + before}: the line is not valid CSV: {error}") from error


def _separator(text: str) -> str:
    """Return the separator of the table. A table with one column has no separator."""
    found = next((each for each in _SEPARATORS if _place(_heading(text, each)) is not None), ",")
    return found if len(_heading(text, found)) > 1 else _NO_SEPARATOR


def _heading(text: str, separator: str) -> list[str]:
    try:
        return next(csv.reader(io.StringIO(text, newline=""), delimiter=separator), [])
    except csv.Error:
        return []


def _column(name: str, heading: list[str], line: int) -> int:
    place = _place(heading)
    if place is None:
        raise ExamInvalid(f"{name}:{line}: there is no `{COLUMN}` column; the first line must name it")
    return place


def _place(heading: list[str]) -> int | None:
    return next((place for place, cell in enumerate(heading) if cell.strip().casefold() == COLUMN), None)


def _json_lines(name: str, text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ExamInvalid(f"{name}:{number}: the line is not valid JSON") from error
        question = value.get(COLUMN) if isinstance(value, dict) else value
        if not isinstance(question, str):
            raise ExamInvalid(f"{name}:{number}: the line has no `{COLUMN}` field with text")
        yield number, question
