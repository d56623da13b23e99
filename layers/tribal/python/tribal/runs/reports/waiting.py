"""Tables and domains described by rules until a model answers, grouped by reason."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from tribal.documenting import WAITING
from tribal_contracts import AgentError

_NAMED = 10
"""The most tables, and the most domains, named in a run's error."""


@dataclass(slots=True)
class Waiting:
    """Tables and domains that wait for the same reason."""

    reason: str
    errors: list[AgentError] = field(default_factory=list)

    @property
    def tables(self) -> list[str]:
        """Names of the tables."""
        return self._named("table")

    @property
    def domains(self) -> list[str]:
        """Names of the domains."""
        return self._named("domain")

    @property
    def counted(self) -> str:
        """Their number, for messages."""
        counts = [(len(self.tables), "table"), (len(self.domains), "domain")]
        return " and ".join(f"{number:,} {noun}{'s' * (number > 1)}" for number, noun in counts if number)

    def _named(self, what: str) -> list[str]:
        return [str(error.context[what]) for error in self.errors if error.context and what in error.context]


def waiting_of(errors: Iterable[AgentError]) -> list[Waiting]:
    """Tables and domains that wait for the model, by reason."""
    found: dict[tuple[str, str], Waiting] = {}
    for error in errors:
        if error.code in WAITING:
            reason = str((error.context or {}).get("reason", error.message))
            found.setdefault((error.code, reason), Waiting(reason)).errors.append(error)
    return list(found.values())


def merge_waiting(errors: Sequence[AgentError]) -> list[AgentError]:
    """Merge errors of tables and domains that wait for the model into one error per reason, with their number."""
    return [error for error in errors if error.code not in WAITING] + [_as_one(each) for each in waiting_of(errors)]


def _as_one(waiting: Waiting) -> AgentError:
    first = waiting.errors[0]
    if len(waiting.errors) == 1:
        return first
    message = f"rules describe {waiting.counted} until the next run calls the model: {waiting.reason}"
    context = {
        "tables": list(waiting.tables[:_NAMED]),
        "domains": list(waiting.domains[:_NAMED]),
        "reason": waiting.reason,
    }
    return first.model_copy(
        update={"message": message, "context": {name: value for name, value in context.items() if value}}
    )
