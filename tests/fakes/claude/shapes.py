"""Whether what is sent and answered is in the SDK's own types, which are generated from the vendor's documentation."""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from anthropic.types.message import Message
from anthropic.types.message_create_params import MessageCreateParamsNonStreaming
from anthropic.types.shared.error_details import ErrorDetails
from anthropic.types.shared.error_response import ErrorResponse
from pydantic import BaseModel, TypeAdapter, ValidationError
from typing_extensions import TypeAliasType, get_type_hints, is_typeddict

Path = str


def faults_of_request(body: object) -> list[str]:
    """What of a request the types of `anthropic.types.message_create_params` lack, by path."""
    return list(_faults(body, MessageCreateParamsNonStreaming, "request"))


def faults_of_message(body: Mapping[str, Any]) -> list[str]:
    """What of an answer `anthropic.types.message` lacks."""
    return list(_faults_of_model(body, Message, "message"))


def faults_of_error(body: Mapping[str, Any]) -> list[str]:
    """What of an error `anthropic.types.shared.error_response` lacks; its details are types of their own."""
    error = dict(body.get("error", {}))
    details = error.pop("details", None)
    faults = list(_faults_of_model({**body, "error": error}, ErrorResponse, "error"))
    if details is not None:
        # A union whose members are told apart by `error_code`.
        adapter: TypeAdapter[Any] = TypeAdapter(ErrorDetails)
        try:
            adapter.validate_python(details)
        except ValidationError:
            faults.append(f"error.details: {details} is none of the SDK's")
    return faults


def _faults_of_model(body: Mapping[str, Any], model: type[BaseModel], path: Path) -> Iterator[str]:
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


def _faults(value: object, kind: Any, path: Path) -> Iterator[str]:
    """What of a JSON value a type for parameters does not allow."""
    if isinstance(kind, TypeAliasType):
        kind = kind.__value__
    origin = get_origin(kind)
    if origin is Annotated or getattr(origin, "__name__", "") == "Required":
        yield from _faults(value, get_args(kind)[0], path)
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
            yield from _faults(item, get_args(kind)[0], f"{path}.{number}")
    elif origin is dict and not isinstance(value, dict):
        yield f"{path}: no object"
    elif origin is not dict and kind is not object:
        yield f"{path}: {type(value).__name__} for {kind}"


def _faults_of_union(value: object, members: tuple[Any, ...], path: Path) -> Iterator[str]:
    """Nothing when one member fits; else the faults of the one that fits best."""
    tries = [list(_faults(value, member, path)) for member in members]
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
            yield from _faults(member, hints[name], f"{path}.{name}")
        else:
            yield f"{path}.{name}: no such field"


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)
