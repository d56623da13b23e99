"""`tribal status` for a local folder, a bucket or a deployed environment."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tribal.edges.cli.console import command, console, counted, print_json
from tribal.edges.cli.hints import as_typed, with_typed_commands
from tribal.edges.cli.options import Interval, Json, Project, Watch

if TYPE_CHECKING:
    from rich.console import Console

    from tribal.edges.cli.hints import Place
    from tribal.edges.cli.tools.calling import Call
    from tribal.page_data.caller.waiting import Waiting
    from tribal.ports import Application, Caller
    from tribal.runs.reports.status import StatusReport
    from tribal_contracts import Contract, RunRecord

_HERE = Path()
_LISTED_ERRORS = 20
_NAMED = 5


@dataclass(frozen=True, slots=True)
class IndexState:
    """The state of a deployed environment's index, as reported by its API."""

    data: dict[str, Any]
    """The API's response, or `{"error": reason}`."""

    def text(self, manifest_hash: str | None) -> str:
        """One line of text, given the hash of the published manifest."""
        if "error" in self.data:
            return f"unknown: {self.data['error']}"
        if not self.data.get("ready"):
            return "none yet" + ("; it is built automatically from the published documents" if manifest_hash else "")
        made = f"built {self.data.get('indexed_at')}"
        indexed_hash = self.data.get("manifest_hash")
        if indexed_hash is None or manifest_hash is None:
            return f"ready, {made}"
        if indexed_hash == manifest_hash:
            return f"up to date, {made}"
        return f"ready, {made}, from older documents; new ones are indexed automatically some minutes after a run"


@command
def status(
    project: Project = _HERE,
    watch: Watch = False,
    interval: Interval = 1.0,
    as_json: Json = False,
) -> None:
    """Show how far the last run has come.

    Shows progress by work unit, indexing, who holds the lease, when decisions were synced, and what waits for you.
    """
    from tribal.app.local import local_application
    from tribal.edges.cli.tools.calling import local_call
    from tribal.edges.local_caller import local_caller
    from tribal.settings import load_settings

    settings = load_settings(project=project, needs_databases=False)
    app, caller = local_application(settings), local_caller(settings)
    call = local_call(app, caller, limited=False)
    show_status(app, caller, project, call, watch=watch, interval=interval, as_json=as_json)


def show_status(
    app: Application,
    caller: Caller,
    place: Place,
    call: Call,
    *,
    watch: bool,
    interval: float,
    as_json: bool,
    index: Callable[[], IndexState] | None = None,
) -> None:
    """Print the status, once or, with `watch`, whenever it changes.

    Args:
        app: provides the store, and the clock to check whether the lease has expired.
        caller: sees what waits for a person.
        place: the folder, or the profile, where the user types commands.
        call: calls a tool.
        watch: whether to continue until the run has ended.
        interval: seconds between two reads.
        as_json: whether to print JSON.
        index: returns the state of a deployed environment's index, which is not in the store.
    """
    from dataclasses import asdict
    from threading import Event

    from tribal.edges.cli.views.model import spending_lines
    from tribal.page_data.caller.waiting import waiting
    from tribal.runs.reports.status import read_status
    from tribal.runs.workers.pool import ThreadWorkerPool

    def again(command: str) -> str:
        return as_typed(command if isinstance(place, Path) else "run", place)

    pause = Event()
    while True:
        report = read_status(app.store(), app.clock, ThreadWorkerPool())
        spent = app.run.spending() if app.run.spending is not None else None
        state = index() if index is not None else None
        waits, synced = waiting(caller, app), sync_status(call)
        if as_json:
            spending = (
                {"spending": asdict(spent)}
                if spent is not None and (spent.run_id or spent.day_usd or spent.damaged)
                else {}
            )
            more = {"waiting": waits.known_counts} if waits.known_counts else {}
            more |= {} if synced is None else {"sync": synced.model_dump(mode="json", by_alias=True)}
            print_json(_data(report) | spending | ({} if state is None else {"index": state.data}) | more)
        else:
            if watch and sys.stdout.isatty():
                console().clear()
            _print(report, state, again, all_units=not (watch and report.running))
            for line in spending_lines(spent) if spent is not None else ():
                console().print(line, markup=False)
            if synced is not None:
                _print_sync(synced, console())
            if text := _waiting_text(waits, place):
                console().print(text, markup=False)
        if not watch or not report.running:
            return
        pause.wait(interval)


def sync_status(call: Call) -> Contract | None:
    """Return the answer of `sync_status`; `None` where no decisions are synced, or no tool answers."""
    from tribal.errors import TribalError

    try:
        answer: Any = call("sync_status", {})
    except TribalError:
        return None
    is_unused = getattr(answer, "healthy", False) and answer.last_sync_at is None
    return None if is_unused else answer


def _print_sync(answer: Any, out: Console) -> None:
    from tribal.edges.cli.safe_console import escape
    from tribal.edges.cli.tools.knowledge_views import sync_text
    from tribal.tools.registry import EVERYTHING

    error = EVERYTHING.group_of("sync_status").error_of(answer)
    if error is not None:
        out.print(f"decisions: unknown: {escape(error.message)}")
        return
    out.print(f"decisions: {sync_text(answer)}")
    for warning in answer.warnings or ():
        out.print(f"    [yellow]{escape(warning)}[/]")


def _waiting_text(waits: Waiting, place: Place) -> str:
    """One line that says what waits, and which command shows it; empty if nothing does."""
    said = (
        (waits.proposals, "proposal", "`tribal proposals`"),
        (waits.contributions, "approval", "`tribal contribute status`"),
        (waits.uploads, "upload", "`tribal jobs`"),
    )
    parts = [f"{counted(number, noun)} ({with_typed_commands(shown, place)})" for number, noun, shown in said if number]
    return f"waiting: {', '.join(parts)}" if parts else ""


def _data(report: StatusReport) -> dict[str, Any]:
    def dump(contract: Any) -> Any:
        return contract.model_dump(mode="json") if contract is not None else None

    return {
        "running": report.running,
        "state": report.state,
        "lease": dump(report.lease),
        "run": dump(report.run),
        "documenter": dump(report.documenter),
        "indexer": dump(report.indexer),
        "manifest_hash": report.manifest_hash,
    }


def _print_last_run(out: Console, run: RunRecord, state: str, again: str, *, with_errors: bool) -> None:
    from tribal.edges.cli.safe_console import escape
    from tribal.runs.sinks import one_line

    tables = (
        f", {counted(run.tables_documented, 'table')} documented, {run.tables_unchanged} unchanged, "
        f"{run.tables_failed} failed"
    )
    ended = state + ("" if run.command in ("plan", "index") else tables)
    if run.completed_at is None:
        ended = "stopped without a recorded result"
    resume = f"; {again} resumes it" if state == "stopped" else ""
    out.print(f"last run: {run.run_id} ({escape(run.command)}) {ended}{escape(resume)}")
    for error in run.errors[:_LISTED_ERRORS] if with_errors or state == "failed" else ():
        out.print(f"    [yellow]{error.code}[/] {escape(one_line(error.message))}")


def _by_reason(left_to_rules: Mapping[str, str]) -> dict[str, list[str]]:
    """The first tables of each reason."""
    reasons: dict[str, list[str]] = {}
    for name, why in left_to_rules.items():
        reasons.setdefault(why, []).append(name)
    return {
        why: [*names[:_NAMED], *([f"{len(names) - _NAMED} more"] * (len(names) > _NAMED))]
        for why, names in reasons.items()
    }


def _print(report: StatusReport, state: IndexState | None, again: Callable[[str], str], *, all_units: bool) -> None:
    """Print the report; while watching, only the units of interest."""
    from tribal.documenting import WAITING
    from tribal.edges.cli.safe_console import escape
    from tribal.edges.cli.views.model import usage_text, waiting_lines
    from tribal.jobs.lease_file import holder_text

    out = console()
    if report.lease is not None and report.running:
        out.print(f"[bold]running[/]: run {report.lease.run_id} by {escape(holder_text(report.lease))}")
    elif report.run is not None:
        _print_last_run(out, report.run, report.state or "", again(report.run.command), with_errors=state is not None)
    for name in report.damaged:
        out.print(f"[yellow]{escape(name)}[/] is damaged; the next run rebuilds it")
    documenter = report.documenter
    if documenter is None and report.damaged:
        return
    if documenter is None:
        out.print(f"nothing is planned yet; start with {escape(again('run'))}")
        return
    stats = documenter.stats
    out.print(
        f"documenting: {report.shown(documenter.status)}, {stats.completed_tables} of {stats.total_tables} tables, "
        f"{stats.failed_tables} failed"
    )
    for unit_id, unit in sorted(documenter.work_units.items()):
        if not all_units and unit.status in ("pending", "completed"):
            continue
        failed = f", {unit.tables_failed} failed" if unit.tables_failed else ""
        waits = sum(error.code in WAITING for error in unit.errors)
        failed += f", {waits} described by rules" if waits else ""
        failed += f"; {usage_text(unit.usage)}" if unit.usage is not None else ""
        out.print(
            f"  {escape(unit_id)}: {report.shown(unit.status)}, {unit.tables_completed} of {unit.tables_total}{failed}"
        )
        for why, names in _by_reason(unit.left_to_rules or {}).items():
            out.print(f"    described by rules: {escape(', '.join(names))} ({escape(why)})")
        for error in unit.errors:
            if error.code not in WAITING:
                out.print(f"    [yellow]{error.code}[/] {escape(error.message)}")
    for line in waiting_lines(documenter.work_units.values()):
        out.print(line, markup=False)
    if state is not None:
        out.print(f"index: {escape(state.text(report.manifest_hash))}")
        return
    indexer = report.indexer
    if indexer is None:
        out.print(f"indexing: not yet; run {escape(again('index'))}")
    else:
        out.print(
            f"indexing: {report.shown(indexer.status)}, {indexer.files_indexed} of {indexer.files_total} files, "
            f"{indexer.files_failed} failed"
            + f", from older documents; run {escape(again('index'))}"
            * report.index_is_older
        )
        for error in indexer.errors:
            out.print(f"    [yellow]{error.code}[/] {escape(error.message)}")
