"""Record units that could not be documented, so that Finish reports them and publishes the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tribal.errors import TribalError, describe_unexpected
from tribal.identity import locations
from tribal.masking import redact_text
from tribal.store import put_record, read_record, require_record
from tribal_contracts import AgentError, UnitFailure, UnitResult, WorkUnit, agent_error

if TYPE_CHECKING:
    from tribal.ports import Clock, ObjectStore, RunContext
    from tribal.runs.workers.units import DocumentUnit

CAUSE_CHARS = 500
"""Maximum length of a recorded failure's cause."""


def record_unit_failure(
    run_id: str, unit_id: str, *, error: str, cause: str, store: ObjectStore, clock: Clock
) -> AgentError:
    """Record why a unit failed, for Finish; `error` is the class, `cause` the message."""
    failure = agent_error(
        "DOC_UNIT_FAILED",
        f"work unit {unit_id!r} could not be documented: {error}: {cause[:CAUSE_CHARS]}",
        timestamp=clock.published(),
        context={"work_unit": unit_id, "error": error},
    )
    put_record(store, locations.run_failure_file(run_id, unit_id), UnitFailure(unit_id=unit_id, error=failure))
    return failure


class ContainedUnits:
    """Documents units; an unexpected failure is recorded and does not stop the others. A `DocumentUnit`."""

    def __init__(self, document: DocumentUnit, run: RunContext) -> None:
        self._document = document
        self._run = run
        self.failures: list[AgentError] = []

    def document(self, unit_id: str, /, *, postpone: bool = True) -> UnitResult:
        """Document a unit; after an unexpected error, its result has the status `failed`."""
        try:
            return self._document(unit_id, postpone=postpone)
        except TribalError:
            raise
        except Exception as error:  # noqa: BLE001 - one unit must not lose the others
            return self._failed(unit_id, error)

    def _failed(self, unit_id: str, error: Exception) -> UnitResult:
        run = self._run
        kind = type(error).__name__
        cause = redact_text(describe_unexpected(error).removeprefix(f"{kind}: "))
        self.failures.append(
            record_unit_failure(run.run_id, unit_id, error=kind, cause=cause, store=run.store, clock=run.clock)
        )
        earlier = read_record(run.store, locations.unit_result_file(unit_id), UnitResult)
        if earlier is not None:
            return earlier.model_copy(update={"status": "failed", "tables": []})
        unit = require_record(run.store, locations.run_unit_file(run.run_id, unit_id), WorkUnit)
        return UnitResult(
            schema_version="1.0",
            work_unit_id=unit.id,
            database=unit.database,
            domain=unit.domain,
            output_directory=unit.output_directory,
            status="failed",
            tables=[],
        )
