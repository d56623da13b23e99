"""Parse the files of sessions and exams as strictly as the specification demands.

Types are always checked; the rules of the specification are also checked for sessions.
Source: data model of the detective's interrogation, validation rules.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TypeVar

from pydantic import ValidationError

from tribal.errors import ObjectDamaged
from tribal.store import is_sealed, require_seal
from tribal.store.sealing import FIELD
from tribal_contracts import Contract
from tribal_contracts.interrogation.exams import ExamResult
from tribal_contracts.interrogation.marks import Mark
from tribal_contracts.interrogation.rules import broken_specification
from tribal_contracts.interrogation.sessions import InterrogationSession

Record = TypeVar("Record", InterrogationSession, ExamResult, Mark)


def parse_file(key: str, data: bytes, kind: type[Record]) -> Record:
    """Return the record in a file.

    Raises:
        ObjectDamaged: when it breaks a rule of the specification or its checksum is wrong. The message names the field.
    """
    try:
        require_seal(key, data)
    except ObjectDamaged as error:
        raise ObjectDamaged(f"{FIELD} is wrong") from error
    try:
        # A number such as 5.0 is an integer in JSON Schema.
        values = json.loads(data, parse_float=_number)
    except (ValueError, RecursionError) as error:
        raise ObjectDamaged("its content is not valid JSON") from error
    if not isinstance(values, dict):
        raise ObjectDamaged("its content is not a JSON object")
    if FIELD in values and not is_sealed(data):
        raise ObjectDamaged(f"{FIELD} belongs to a different file")
    try:
        record = kind.model_validate_json(json.dumps(values), strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        # Of an optional field, the place names the class as well.
        place = [each for each in first["loc"] if isinstance(each, int) or not each[:1].isupper()]
        raise ObjectDamaged(f"{_path(*place) or 'it'}: {first['msg']}") from error
    problems = [f"{path} must not be null" for path in _nulls(record)]
    if isinstance(record, InterrogationSession):
        problems += broken_specification(record)
    if record.id.lower() not in key:
        problems.append("id does not match the name of the file")
    if problems:
        raise ObjectDamaged(problems[0])
    return record


def _number(text: str) -> float:
    number = float(text)
    return int(number) if number.is_integer() else number


def _nulls(value: object, *path: str | int) -> Iterator[str]:
    """Yield the paths of optional fields that are null instead of absent."""
    if isinstance(value, Contract):
        for name in value.model_fields_set:
            field = type(value).model_fields.get(name)
            if field is not None:
                yield from _nulls(getattr(value, name), *path, field.alias or name)
    elif isinstance(value, list):
        for number, each in enumerate(value):
            yield from _nulls(each, *path, number)
    elif value is None:
        yield _path(*path)


def _path(*parts: str | int) -> str:
    """Return a path such as `qaPairs[0].gapAnalysis`."""
    return "".join(f"[{each}]" if isinstance(each, int) else f".{each}" for each in parts).removeprefix(".")
