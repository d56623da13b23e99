"""Reads verified queries: SQL files whose header says which questions they answer."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import NoReturn

from tribal.yaml_lines import at_line

MAX_QUERY_BYTES = 64 * 1024
"""Source: docs/contracts.md, Context."""
_MAX_QUESTIONS, _QUESTION_CHARS, _OWNER_CHARS = 20, 500, 100
_KEYS = ("question", "owner", "verified", "database")
_PAIR = re.compile(r"--\s*([A-Za-z_]+)\s*:\s*(.*?)\s*\Z")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}\Z", re.ASCII)
_CODE = "DOC_QUERY_INVALID"


@dataclass(frozen=True, slots=True)
class QueryFile:
    """A file with a header: what it says, and the SQL below it."""

    file: str
    line: int
    """Of the first question."""
    questions: tuple[str, ...]
    sql: str
    sql_line: int
    """The line on which the SQL begins."""
    owner: str | None = None
    verified: str | None = None
    database: str | None = None


def parse_query_file(file: str, data: bytes) -> QueryFile | None:
    """Parse a file; `None` if it has no header.

    Raises:
        ConfigurationError: when the header is incomplete; the message names file and line, and says what to write.
    """
    text = _text(file, data)
    lines = text.replace("\r\n", "\n").split("\n")
    head = _head_length(lines)
    values: dict[str, list[tuple[str, int]]] = {key: [] for key in _KEYS}
    for key, value, line in _pairs(file, lines[:head]):
        if not value:
            _refuse(file, line, f"`-- {key}:` is empty; complete or delete it")
        values[key].append((value, line))
    first = min((line for given in values.values() for _, line in given), default=None)
    if first is None:
        return None
    if not values["question"]:
        _refuse(file, first, "the header has no question; add `-- question: ` and the question that the SQL answers")
    for key in _KEYS[1:]:
        if len(values[key]) > 1:
            _refuse(file, values[key][1][1], f"the header has `-- {key}:` twice; keep one of the two")
    _check_lengths(file, values)
    body = head
    while body < len(lines) and not lines[body].strip():
        body += 1
    sql = "\n".join(lines[body:]).strip()
    if not sql:
        _refuse(file, first, "there is no SQL below the header; add the query")
    return QueryFile(
        file=file,
        line=values["question"][0][1],
        questions=tuple(dict.fromkeys(question for question, _ in values["question"])),
        sql=sql,
        sql_line=body + 1,
        **{key: values[key][0][0] for key in _KEYS[1:] if values[key]},
    )


def with_verified(data: bytes, day: str) -> bytes:
    """The bytes of a file that parses, with the day in its header: no other line changes."""
    lines = data.decode("utf-8-sig").split("\n")
    known = [_pair(line) for line in lines[: _head_length(lines)]]
    places = {pair[0]: number for number, pair in enumerate(known) if pair is not None}
    number = places.get("verified")
    if number is None:
        number = places["question"] + 1
        lines.insert(number, lines[number - 1])
    lines[number] = f"-- verified: {day}" + ("\r" if lines[number].endswith("\r") else "")
    start = b"\xef\xbb\xbf" if data.startswith(b"\xef\xbb\xbf") else b""
    return start + "\n".join(lines).encode()


def _text(file: str, data: bytes) -> str:
    if len(data) > MAX_QUERY_BYTES:
        _refuse(file, None, f"is larger than {MAX_QUERY_BYTES:,} bytes; shorten it")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise at_line(
            file, data[: error.start].count(b"\n") + 1, "is not UTF-8; save it as UTF-8", code=_CODE
        ) from None


def _head_length(lines: list[str]) -> int:
    """The number of lines above the SQL: comments and blank lines."""
    return next((n for n, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("--")), len(lines))


def _pairs(file: str, head: list[str]) -> Iterator[tuple[str, str, int]]:
    for number, text in enumerate(head, start=1):
        found = _PAIR.match(text.strip())
        if found is None:
            continue
        key = found[1].lower()
        if key in _KEYS:
            yield key, found[2], number
        elif close := difflib.get_close_matches(key, _KEYS, n=1, cutoff=0.8):
            _refuse(file, number, f"the header has an unknown key {found[1]!r}; did you mean {close[0]!r}?")


def _pair(line: str) -> tuple[str, str] | None:
    found = _PAIR.match(line.strip())
    return (found[1].lower(), found[2]) if found is not None and found[1].lower() in _KEYS else None


def _check_lengths(file: str, values: dict[str, list[tuple[str, int]]]) -> None:
    if len(values["question"]) > _MAX_QUESTIONS:
        _refuse(file, values["question"][_MAX_QUESTIONS][1], f"has more than {_MAX_QUESTIONS} questions; delete some")
    for question, line in values["question"]:
        if len(question) > _QUESTION_CHARS:
            _refuse(file, line, f"the question has more than {_QUESTION_CHARS} characters; shorten it")
    for owner, line in values["owner"]:
        if len(owner) > _OWNER_CHARS:
            _refuse(file, line, f"the owner has more than {_OWNER_CHARS} characters; shorten it")
    for day, line in values["verified"]:
        if not _is_day(day):
            _refuse(file, line, "the day is not a date; write `-- verified: YYYY-MM-DD`")


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return _DAY.match(text) is not None


def _refuse(file: str, line: int | None, problem: str) -> NoReturn:
    raise at_line(file, line, problem, code=_CODE)
