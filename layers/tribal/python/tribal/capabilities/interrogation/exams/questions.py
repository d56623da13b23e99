"""Reads the questions of an exam: one a line, CSV with a column `question`, or JSON lines with a field `question`."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator

from tribal.capabilities.interrogation.errors import ExamInvalid, HypothesisInvalid
from tribal.capabilities.interrogation.sessions.hypotheses import require_hypothesis
from tribal_contracts.interrogation.exams import MAX_QUESTIONS

COLUMN = "question"
_COMMENT = "#"


def read_questions(name: str, data: bytes) -> list[str]:
    """The questions of a file, each once, in order.

    Args:
        name: the file's name; `.csv` and `.jsonl` say how to read it, any other file has one question a line.
        data: its content, in UTF-8.

    Raises:
        ExamInvalid: when a line is not a question, or there is not one to 5,000 of them; the message names the line.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ExamInvalid(f"{name}:{line}: the line is not UTF-8; save the file as UTF-8") from error
    suffix = name.rpartition(".")[2].casefold()
    rows = {"csv": _csv, "jsonl": _json_lines, "ndjson": _json_lines}.get(suffix, _lines)(name, text)
    questions: dict[str, None] = {}
    for line, row in rows:
        try:
            questions[require_hypothesis(row)] = None
        except HypothesisInvalid as error:
            raise ExamInvalid(f"{name}:{line}: {error.message.replace('hypothesis', 'question')}") from error
        if len(questions) > MAX_QUESTIONS:
            raise ExamInvalid(f"{name}:{line}: an exam has at most {MAX_QUESTIONS:,} questions; split the file")
    if not questions:
        raise ExamInvalid(f"{name} has no questions; write one a line")
    return list(questions)


def _lines(_: str, text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip() and not line.lstrip().startswith(_COMMENT):
            yield number, line


def _csv(name: str, text: str) -> Iterator[tuple[int, str]]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    place: int | None = None
    try:
        for row in reader:
            if place is None:
                place = _column(name, row)
            elif any(cell.strip() for cell in row):
                yield reader.line_num, row[place] if place < len(row) else ""
    except csv.Error as error:
        raise ExamInvalid(f"{name}:{reader.line_num}: the line is not CSV: {error}") from error


def _column(name: str, heading: list[str]) -> int:
    found = [place for place, cell in enumerate(heading) if cell.strip().casefold() == COLUMN]
    if not found:
        raise ExamInvalid(f"{name}:1: there is no column {COLUMN!r}; name it in the first line")
    return found[0]


def _json_lines(name: str, text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ExamInvalid(f"{name}:{number}: the line is not JSON") from error
        question = value.get(COLUMN) if isinstance(value, dict) else value
        if not isinstance(question, str):
            raise ExamInvalid(f"{name}:{number}: the line has no text {COLUMN!r}")
        yield number, question
