"""What an area of the attack is given, and what it gives back."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from random import Random


@dataclass(frozen=True, slots=True)
class Attack:
    """One attack: its seed, how much of the full number of tries is made, and a folder of its own."""

    seed: int
    effort: float
    scratch: Path

    def times(self, full: int, *, least: int = 1) -> int:
        """The number of tries, of `full` in a whole attack, but at least `least`."""
        return max(least, round(full * self.effort))

    def random(self, name: str) -> Random:
        """Randomness that depends on the seed and the name alone."""
        return Random(f"{self.seed} {name}")


@dataclass(frozen=True, slots=True)
class Outcome:
    """How often one class of tries broke through; `goal` is the largest share of `tried` that may."""

    name: str
    tried: int
    failed: int
    goal: float = 0.0
    example: str = ""

    @property
    def holds(self) -> bool:
        """Whether something was tried, and no larger share than the goal broke through."""
        return self.tried > 0 and self.failed <= self.goal * self.tried

    def __str__(self) -> str:
        share = self.failed / self.tried if self.tried else 0.0
        line = f"{self.name}: {self.failed} of {self.tried} ({share:.1%}), goal at most {self.goal:.0%}"
        return f"{line}, e.g. {self.example}" if self.example and not self.holds else line
