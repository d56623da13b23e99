"""The state that is shown to people: what a file calls failed or running may have been stopped."""

from __future__ import annotations

from tests.cases import each_case
from tests.fakes import FixedClock, MemoryStore
from tribal.runs.records import RunLog
from tribal.runs.reports.status import StatusReport
from tribal.runs.signals import interrupted
from tribal_contracts import AgentError, RunRecord, agent_error

NOW = FixedClock().published()


def ended(*errors: AgentError) -> RunRecord:
    return RunLog(MemoryStore(), FixedClock(), "r1", "run").finish("failed", errors=errors)


def report(run: RunRecord | None, *, running: bool = False) -> StatusReport:
    return StatusReport(running, None, run, None, None, None)


def test_a_run_that_was_asked_to_stop_is_stopped_and_so_are_its_parts() -> None:
    stopped = report(ended(interrupted().to_agent_error(NOW)))
    assert stopped.state == "stopped"
    assert stopped.shown("running") == "stopped"
    assert stopped.shown("pending") == "pending"


def test_a_run_that_died_without_a_word_is_stopped() -> None:
    assert report(RunLog(MemoryStore(), FixedClock(), "r1", "run").start()).state == "stopped"


@each_case("context", [{"error": "StoreUnwritable"}, {"error": "States.Timeout"}])
def test_an_execution_that_failed_is_not_called_stopped(context: dict[str, str]) -> None:
    error = agent_error("DOC_RUN_INTERRUPTED", "the run ended early", timestamp=NOW, context={**context})
    assert report(ended(error)).state == "failed"


def test_a_run_in_progress_is_running() -> None:
    under_way = report(RunLog(MemoryStore(), FixedClock(), "r1", "run").start(), running=True)
    assert (under_way.state, under_way.shown("running")) == ("running", "running")
    assert report(None, running=True).state == "running"
    assert report(None).state is None
