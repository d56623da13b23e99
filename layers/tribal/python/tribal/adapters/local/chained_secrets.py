"""Secrets from two sources, tried in order."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import SecretStr

    from tribal.ports import Secrets


class ChainedSecrets:
    """The `Secrets` of one source, with a second one as the fallback.

    Args:
        first: always tried first.
        build: builds the second source, when the first lacks a secret.
    """

    def __init__(self, first: Secrets, build: Callable[[], Secrets]) -> None:
        self._first = first
        self._build = build

    def get(self, name: str) -> SecretStr | None:
        """The secret of that name; `None` when neither source has it."""
        return self._first.get(name) or self._second.get(name)

    def refresh(self, name: str) -> SecretStr | None:
        """The same, bypassing the caches."""
        return self._first.refresh(name) or self._second.refresh(name)

    @cached_property
    def _second(self) -> Secrets:
        return self._build()
