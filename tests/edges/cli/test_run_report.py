"""The exit code that a run has for anyone who followed it."""

from __future__ import annotations

from tests.cases import each_case
from tests.fakes import FixedClock, MemoryStore
from tribal.edges.cli.views.run_report import record_exit_code
from tribal.runs.records import RunLog
from tribal_contracts import AgentStatus, agent_error


@each_case(
    ("status", "failed", "error", "code"),
    [
        ("completed", 0, None, 0),
        ("partial", 1, None, 1),
        ("failed", 3, None, 1),
        ("failed", 0, None, 70),
        ("failed", 0, "ConfigurationError", 2),
        ("failed", 0, "DatabaseUnreachable", 3),
        ("failed", 0, "LoginRefused", 3),
        ("failed", 0, "LeaseLost", 4),
        ("failed", 0, "StoreUnwritable", 5),
        ("failed", 0, "PlanError", 6),
        ("failed", 0, "TableNotFound", 7),
        ("failed", 0, "States.Timeout", 70),
        ("failed", 0, "SelectionUnknown", 2),
        ("failed", 0, "RunInterrupted", 130),
    ],
)
def test_a_run_elsewhere_ends_with_the_code_that_the_same_error_has_here(
    status: AgentStatus, failed: int, error: str | None, code: int
) -> None:
    clock = FixedClock()
    errors = [
        agent_error("DOC_RUN_INTERRUPTED", "the run ended early", timestamp=clock.published(), context={"error": error})
    ]
    log = RunLog(MemoryStore(), clock, "r1", "states")
    record = log.finish(status, failed=failed, errors=errors if error else [])
    assert record_exit_code(record) == code


def test_a_run_that_failed_as_a_whole_ends_with_the_code_of_its_last_error() -> None:
    clock = FixedClock()
    error = agent_error("IDX_FILE_INVALID", "no file could be read", timestamp=clock.published())
    assert record_exit_code(RunLog(MemoryStore(), clock, "r1", "index").finish("failed", errors=[error])) == 5
