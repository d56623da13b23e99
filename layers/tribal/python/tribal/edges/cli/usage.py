"""Keeps passwords from the command line out of messages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import typer

_LOGIN = re.compile(r"(?<=://)(?!user(?::password)?@host)\S*@")
"""A login in a URL, except in our own examples."""
_DSN = re.compile(r"\s*(?:postgres(?:ql)?|snowflake)://", re.IGNORECASE)
_UNSHOWN = (
    "Cannot read the command line. It is not shown, since it may contain a password. A DSN goes after the "
    "command, in single quotes: tribal run 'postgresql://user@host:5432/database'"
)


def without_logins(text: str) -> str:
    """A text without the users and passwords in its URLs."""
    return _LOGIN.sub("…@", text)


def require_no_dsn(name: str, command: Any, arguments: Sequence[str]) -> None:
    """Refuse a DSN for a command that takes none; the command would print it.

    Raises:
        typer.BadParameter: when there is one.
    """
    takes_one = any(parameter.name == "dsn" for parameter in getattr(command, "params", ()))
    if not takes_one and any(_DSN.match(argument) for argument in arguments):
        raise typer.BadParameter(f"tribal {name} takes no DSN; it reads this folder, or the one given with --project")


@contextmanager
def unquoted(arguments: Sequence[str]) -> Iterator[None]:
    """Keep usage errors from repeating arguments that may be a DSN.

    The shell or a missing quote may have split the DSN into several arguments, so none of them is shown.
    """
    try:
        yield
    except typer.TyperException as error:
        if any(map(_may_be_dsn, arguments)) and any(piece in error.message for piece in _pieces(arguments)):
            error.message = _UNSHOWN
        raise


def _may_be_dsn(argument: str) -> bool:
    return (not argument.startswith("-") and any(mark in argument for mark in ":@=")) or "://" in argument


def _pieces(arguments: Sequence[str]) -> Iterator[str]:
    """The words of the arguments, without names of options and commands."""
    for argument in arguments[1:] if len(arguments) > 1 else arguments:
        value = argument.partition("=")[2] if argument.startswith("-") else argument
        yield from re.findall(r"\w{3,}", value)
