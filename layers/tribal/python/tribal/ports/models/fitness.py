"""The test of the model that describes tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from tribal.ports.models.calls import ModelFailure
from tribal_contracts import ModelTest, ModelUsage


@dataclass(frozen=True, slots=True)
class ModelTestOutcome:
    """How a test of a model ended: with a result, or with an outage that says nothing of the model."""

    test: ModelTest | None
    """`None` if the test could not be finished."""
    usage: ModelUsage
    failure: ModelFailure | None = None
    """Why it could not be finished, or why an answer could not be read."""


class ModelTester(Protocol):
    """Tests the model of a run with built-in tables, and records the result."""

    @property
    def version(self) -> str:
        """The version of the test; recorded results of others do not count."""
        ...

    @property
    def most_nanodollars(self) -> int:
        """What a test may cost at most."""
        ...

    @property
    def usual_nanodollars(self) -> int:
        """What a test usually costs, estimated."""
        ...

    def test(self) -> ModelTestOutcome:
        """Ask about the built-in tables. A finished test is recorded.

        Raises:
            StoreError: when the result cannot be recorded.
        """
        ...
