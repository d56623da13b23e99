"""Finds error classes by code and by name, those of all capabilities included."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from itertools import chain

from tribal.capabilities import capabilities
from tribal.errors import TribalError
from tribal_contracts import ERROR_CODES, AgentError


@cache
def error_classes() -> tuple[type[TribalError], ...]:
    """All error classes, more general ones first."""
    for capability in capabilities():
        import_module(capability.errors)
    return tuple(_kinds())


def error_class_of(code: str) -> type[TribalError]:
    """The most general class with a code; its attributes say how each edge reports the code."""
    usual = (kind for kind in error_classes() if kind.default_code == code and "default_code" in vars(kind))
    particular = (kind for kind in error_classes() if code in vars(kind).get("codes_while", {}).values())
    return next(chain(usual, particular), TribalError)


def error_from_name(name: str, message: str) -> TribalError:
    """Rebuild an error that a function reported by class name; an unknown name counts as an internal fault."""
    found = next((kind for kind in error_classes() if kind.__name__ == name), None)
    return TribalError(f"{name}: {message}") if found is None else found(message)


def error_from(error: AgentError) -> TribalError:
    """Rebuild an error that another process reported as data."""
    found = error_class_of(error.code)(error.message)
    TribalError.__init__(
        found, error.message, code=error.code if error.code in ERROR_CODES else None, context=error.context
    )
    return found


def _kinds() -> Iterator[type[TribalError]]:
    pending = [TribalError]
    while pending:
        kind = pending.pop(0)
        yield kind
        pending.extend(kind.__subclasses__())
