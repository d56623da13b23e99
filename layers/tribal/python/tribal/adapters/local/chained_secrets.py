"""Secrets of two places, of which the first that has one is asked."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import SecretStr

    from tribal.ports import Secrets


class ChainedSecrets:
    """The `Secrets` of one place, and of another one for those that it lacks.

    Args:
        first: asked always.
        build: makes the other one, when the first lacks something.
    """

    def __init__(self, first: Secrets, build: Callable[[], Secrets]) -> None:
        self._first = first
        self._build = build

    def get(self, name: str) -> SecretStr | None:
        """The secret of that name; `None` when neither has it."""
        return self._first.get(name) or self._second.get(name)

    def refresh(self, name: str) -> SecretStr | None:
        """The same, read anew."""
        return self._first.refresh(name) or self._second.refresh(name)

    @cached_property
    def _second(self) -> Secrets:
        return self._build()
