"""Several processes at once, and one that is killed at any step."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.capabilities.proposals.shop import (
    AGENT,
    EDITOR,
    TEXT,
    accepted,
    asked,
    caller,
    listed,
    opened,
    project,
    proposed,
)
from tribal.ports import Application, Provider
from tribal_contracts.proposals import ProposalClosing

PROCESSES = 6


@pytest.fixture(name="shared", scope="module")
def shared_fixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shop")
    project(folder).close()
    return folder


@pytest.fixture(name="folder")
def folder_fixture(shared: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(shared, tmp_path / "shop"))


@pytest.fixture(name="apps")
def apps_fixture(folder: Path) -> Iterator[list[Application]]:
    """As good as processes of their own."""
    apps = [opened(folder) for _ in range(PROCESSES)]
    yield apps
    for app in apps:
        app.close()


class _Killed(BaseException):
    """The process ends here."""


class _Fatal:
    """A store that ends the process at a step of its writing, before or after the step."""

    def __init__(self, store: Any, step: int, *, after: bool) -> None:
        self._store, self._left, self._after = store, step, after

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def put(self, *given: Any, **options: Any) -> str:
        self._left -= 1
        if self._left < 0 and not self._after:
            raise _Killed
        etag: str = self._store.put(*given, **options)
        if self._left < 0:
            raise _Killed
        return etag


def test_processes_that_propose_the_same_at_once_make_one_proposal(apps: list[Application]) -> None:
    with ThreadPoolExecutor(PROCESSES) as threads:
        answers = [*threads.map(proposed, apps)]
    assert len({each["id"] for each in answers}) == 1
    assert [each["id"] for each in listed(apps[0])] == [answers[0]["id"]]


def test_of_processes_that_decide_at_once_one_decides(apps: list[Application]) -> None:
    proposal = proposed(apps[0])["id"]

    def decide(number: int) -> tuple[int, Any]:
        by = caller(f"editor{number}", "annotations:write")
        if number % 2:
            return asked(apps[number], by, "DELETE", f"/v1/proposals/{proposal}")
        return accepted(apps[number], by, proposal, f"{TEXT} {number}")

    with ThreadPoolExecutor(PROCESSES) as threads:
        answers = [*threads.map(decide, range(PROCESSES))]
    store = apps[0].store()
    closing_of = ProposalClosing.from_json(store.get(f"proposals/closed/{proposal}.json").data)
    assert listed(apps[0]) == []
    assert {status for status, _ in answers} <= {200, 409}
    was_rejected = any(status == 200 for number, (status, _) in enumerate(answers) if number % 2)
    assert was_rejected == (closing_of.outcome == "rejected")
    # A text that was written stays, even if someone rejected the proposal in the same moment.
    was_written = any(status == 200 for number, (status, _) in enumerate(answers) if number % 2 == 0)
    assert was_written == bool([*store.keys("annotations/")])


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_killed_at_any_step_accepting_again_ends_cleanly(folder: Path, *, after: bool) -> None:
    with closing(opened(folder)) as app:
        proposal = proposed(app)["id"]
    for step in range(4):
        copy = Path(shutil.copytree(folder, folder.parent / f"{after}-{step}"))
        with closing(opened(copy)) as app:
            store = _Fatal(app.store(), step, after=after)
            try:
                accepted(replace(app, store=Provider.of(store)), EDITOR, proposal)
            except _Killed:
                was_killed = True
            else:
                was_killed = False
        with closing(opened(copy)) as later:
            is_open = bool(listed(later))
            if is_open:
                assert accepted(later, EDITOR, proposal)[0] == 200
            assert listed(later) == []
            assert later.store().get("annotations/shop.yaml").data.decode().count(TEXT) == 1
            found = ProposalClosing.from_json(later.store().get(f"proposals/closed/{proposal}.json").data)
            assert found.outcome == "accepted"
        if not was_killed:
            assert step == 2
            return
    pytest.fail("it never ended")


def test_killed_while_proposing_the_next_call_proposes(folder: Path) -> None:
    for after in (False, True):
        with closing(opened(folder)) as app:
            store = _Fatal(app.store(), 0, after=after)
            text = f"{TEXT} {after}"
            with pytest.raises(_Killed):
                proposed(replace(app, store=Provider.of(store)), AGENT, description=text)
            answer = proposed(app, description=text)
            assert [each["id"] for each in listed(app) if each["description"] == text] == [answer["id"]]
