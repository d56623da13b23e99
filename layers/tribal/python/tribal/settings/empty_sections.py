"""Gives sections of a settings file that have nothing in them their defaults."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args, get_origin

from pydantic import BaseModel


def with_empty_sections(data: Any, annotation: Any) -> Any:
    """The data with `{}` or `[]` for each key of a section or a list that has no value.

    Args:
        data: what YAML says.
        annotation: the type that it is validated as.
    """
    for kind in _sections(annotation):
        arguments = get_args(kind)
        if get_origin(kind) is list and isinstance(data, list | None):
            return [with_empty_sections(each, arguments[0]) for each in data or ()]
        if get_origin(kind) is dict and isinstance(data, dict | None):
            return {key: with_empty_sections(value, arguments[1]) for key, value in (data or {}).items()}
        if isinstance(kind, type) and isinstance(data, dict | None):
            return {key: _field(kind, key, value) for key, value in (data or {}).items()}
    return data


def _field(model: type[BaseModel], name: str, value: Any) -> Any:
    field = model.model_fields.get(name)
    return value if field is None else with_empty_sections(value, field.annotation)


def _sections(annotation: Any) -> Iterator[Any]:
    """The lists, mappings and models among the alternatives of a type."""
    is_model = isinstance(annotation, type) and issubclass(annotation, BaseModel)
    if is_model or get_origin(annotation) in (list, dict):
        yield annotation
    else:
        for each in get_args(annotation):
            yield from _sections(each)
