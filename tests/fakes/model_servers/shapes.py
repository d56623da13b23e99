"""Whether what is sent and answered is in an SDK's own types, which are generated from a vendor's documentation."""

from __future__ import annotations

import types
from collections.abc import Iterator
from functools import cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from typing_extensions import TypeAliasType, get_type_hints, is_typeddict

Path = str


def faults_of_model(body: object, model: type[BaseModel], path: Path) -> Iterator[str]:
    """What of a JSON value a type for answers lacks, by path."""
    try:
        read = model.model_validate(body)
    except ValidationError as exc:
        for error in exc.errors():
            yield f"{path}.{'.'.join(map(str, error['loc']))}: {error['msg']}"
        return
    yield from _extras(read, path)


def _extras(value: object, path: Path) -> Iterator[str]:
    """Fields that a model was given and does not declare, at any depth."""
    if isinstance(value, BaseModel):
        for name in value.model_extra or ():
            yield f"{path}.{name}: no such field"
        for name in type(value).model_fields:
            yield from _extras(getattr(value, name), f"{path}.{name}")
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _extras(item, f"{path}.{number}")


def faults_of_parameters(value: object, kind: Any, path: Path) -> Iterator[str]:
    """What of a JSON value a type for parameters does not allow."""
    if isinstance(kind, TypeAliasType):
        kind = kind.__value__
    origin = get_origin(kind)
    if origin is Annotated or getattr(origin, "__name__", "") == "Required":
        yield from faults_of_parameters(value, get_args(kind)[0], path)
    elif origin in (Union, types.UnionType):
        yield from _faults_of_union(value, get_args(kind), path)
    elif is_typeddict(kind):
        yield from _faults_of_dict(value, kind, path)
    elif origin is Literal:
        if value not in get_args(kind):
            yield f"{path}: {value!r} is none of {get_args(kind)}"
    elif kind in (str, int, float, bool) or kind is types.NoneType:
        if type(value) is not kind:
            yield f"{path}: {type(value).__name__} for {kind.__name__}"
    elif isinstance(value, list) and get_args(kind) and origin is not dict:
        for number, item in enumerate(value):
            yield from faults_of_parameters(item, get_args(kind)[0], f"{path}.{number}")
    elif origin is dict and not isinstance(value, dict):
        yield f"{path}: no object"
    elif origin is not dict and kind is not object:
        yield f"{path}: {type(value).__name__} for {kind}"


def _faults_of_union(value: object, members: tuple[Any, ...], path: Path) -> Iterator[str]:
    """Nothing when one member fits; else the faults of the one that fits best."""
    tries = [list(faults_of_parameters(value, member, path)) for member in members]
    if all(tries):
        same_type = [
            found for found in tries if not any(fault.startswith((f"{path}.type:", f"{path}:")) for fault in found)
        ]
        yield from min(same_type or tries, key=len)


def _faults_of_dict(value: object, kind: Any, path: Path) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{path}: {type(value).__name__} for {kind.__name__}"
        return
    hints = _hints(kind)
    for name in kind.__required_keys__ - value.keys():
        yield f"{path}.{name}: missing"
    for name, member in value.items():
        if name in hints:
            yield from faults_of_parameters(member, hints[name], f"{path}.{name}")
        else:
            yield f"{path}.{name}: no such field"


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)
