"""The areas of the attack, in the order of the table."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tests.attack import scope
from tests.attack.outcome import Attack, Outcome

AREAS: dict[str, Callable[[Attack], Iterator[Outcome]]] = {"scope": scope.attack}
"""Title of an area, and what tries its classes one after the other."""
