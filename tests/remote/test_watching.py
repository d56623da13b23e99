"""Work of an environment that a command waits for: it is shown as it comes, and Ctrl-C stops only what it should."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.edges.cli.tribal_command import start_tribal, tribal
from tests.edges.mcp.asked import index_project
from tests.remote.signed_api import STAGE, TOKEN, Api, serving
from tests.waiting import wait_until
from tribal_contracts.chat.jobs import UploadAccepted, UploadedFile, UploadJob
from tribal_contracts.contribution.tools import ContributionOutput
from tribal_contracts.interrogation.sessions import InterrogationSession
from tribal_contracts.interrogation.tools import (
    GetInterrogationOutput,
    SessionWithoutPairs,
    StartInterrogationOutput,
    StopInterrogationOutput,
)

NOW = "2026-11-30T00:00:00Z"
HYPOTHESIS = "how many order lines does each customer have?"


@dataclass
class Environment:
    """An environment whose work goes one step further each time that it is looked at, until `last`."""

    api: Api
    folder: Path
    session: InterrogationSession
    looked: int = 0
    last: int = 1_000
    """At which look the work has ended."""
    asked: list[str] = field(default_factory=list)
    """Methods and paths, in order."""

    @property
    def variables(self) -> dict[str, str]:
        """The environment of a shell with the profile `dev`."""
        file = self.folder / "profiles.yaml"
        file.write_text(f"profiles: {{dev: {{api: '{self.api.address}{STAGE}', token: {TOKEN}}}}}\n")
        return {"TRIBAL_PROFILES": str(file)}

    def ask(self, *arguments: object) -> subprocess.CompletedProcess[str]:
        """`tribal --profile dev ...`."""
        return tribal("--profile", "dev", *arguments, cwd=self.folder, **self.variables)

    def interrupted(self, *arguments: object) -> tuple[int, str, str]:
        """Exit code and outputs of a command that Ctrl-C stops while it waits."""
        process = start_tribal("--profile", "dev", *arguments, cwd=self.folder, **self.variables)
        wait_until(lambda: self.looked >= 2)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    def answer(self, method: str, path: str, body: bytes) -> tuple[int, str]:
        """Answer a request."""
        self.asked.append(f"{method} {path}")
        found = {
            "POST /v1/tools/start_interrogation": self._started,
            "POST /v1/tools/get_interrogation": lambda: self._session(json.loads(body)),
            "POST /v1/tools/stop_interrogation": self._stopped,
            "POST /api/admin/upload": lambda: UploadAccepted(job_id="j", filename="a.md", message="taken"),
            "GET /api/admin/etl/status/j": self._job,
            "POST /v1/tools/prepare_contribution": lambda: self._contribution("preparing"),
            "POST /v1/tools/get_contribution": self._look_at_contribution,
        }[f"{method} {path}"]()
        return 200, found.to_compact_json().decode()

    @property
    def has_ended(self) -> bool:
        return self.looked >= self.last

    def _started(self) -> Any:
        return StartInterrogationOutput(
            success=True,
            tokens_used=0,
            session_id=self.session.id,
            status="running",
            iteration_limit=5,
            hypothesis=HYPOTHESIS,
        )

    def _session(self, asked: Any) -> Any:
        self.looked += "cursor" not in asked
        pairs = self.session.qa_pairs[: self.looked] if not self.has_ended else self.session.qa_pairs
        place = int(asked.get("cursor", 0))
        shown = self.session if self.has_ended else self.session.model_copy(update=_RUNNING)
        return GetInterrogationOutput(
            success=True,
            tokens_used=0,
            session=SessionWithoutPairs(**shown.model_dump(by_alias=False, exclude={"qa_pairs"}))
            if not place
            else None,
            qa_pairs=pairs[place : place + 1],
            next_cursor=str(place + 1) if place + 1 < len(pairs) else None,
        )

    def _stopped(self) -> Any:
        return StopInterrogationOutput(
            success=True, tokens_used=0, session_id=self.session.id, status="running", stopping=True
        )

    def _job(self) -> Any:
        self.looked += 1
        files = [UploadedFile(filename="a.md", status="indexed", pages=1, passages=1)]
        return UploadJob(
            job_id="j",
            collection="handbook",
            filename="a.md",
            size_bytes=1,
            status="completed" if self.has_ended else "processing",
            created_at=NOW,
            updated_at=NOW,
            requested_by="x",
            files=files if self.has_ended else [],
        )

    def _look_at_contribution(self) -> Any:
        self.looked += 1
        return self._contribution("waiting" if self.has_ended else "preparing")

    def _contribution(self, state: Any) -> Any:
        return ContributionOutput(success=True, cycle=3, state=state, message="A person approves it.")


_RUNNING: dict[str, Any] = {"status": "running", "end_time": None, "audit_result": None}


@pytest.fixture(name="session", scope="module")
def session_fixture(tmp_path_factory: pytest.TempPathFactory) -> InterrogationSession:
    """A session as it ends."""
    folder = tmp_path_factory.mktemp("project")
    index_project(folder)
    done = tribal("interrogate", HYPOTHESIS, "--json", cwd=folder)
    session = InterrogationSession.from_json(done.stdout)
    assert len(session.qa_pairs) > 1
    return session


@pytest.fixture(name="there")
def there_fixture(tmp_path: Path, session: InterrogationSession) -> Iterator[Environment]:
    (tmp_path / "a.md").write_text("# A")
    with serving("jwt") as api:
        made = Environment(api, tmp_path, session)
        api.scripted = made.answer
        yield made


def test_an_interrogation_is_shown_pair_by_pair_until_it_has_ended(
    there: Environment, session: InterrogationSession
) -> None:
    there.last = 3
    shown = there.ask("interrogate", HYPOTHESIS)
    assert shown.returncode == 0, shown.stderr
    assert [f"{each.sequence}. {each.question}" in shown.stdout for each in session.qa_pairs] == [True] * len(
        session.qa_pairs
    )
    assert shown.stdout.endswith(f"session {session.id}\n")
    there.looked = 0
    whole = there.ask("interrogate", HYPOTHESIS, "--json")
    assert InterrogationSession.from_json(whole.stdout) == session
    assert there.asked.count("POST /v1/tools/start_interrogation") == 2


def test_ctrl_c_stops_an_interrogation_and_shows_what_there_is(
    there: Environment, session: InterrogationSession
) -> None:
    code, out, err = there.interrupted("interrogate", HYPOTHESIS)
    assert (code, "It stops before its next question." in err) == (130, True)
    assert f"1. {session.qa_pairs[0].question}" in out
    assert out.endswith(f"session {session.id}\n")
    assert there.asked.count("POST /v1/tools/stop_interrogation") == 1


def test_ctrl_c_stops_watching_an_upload_and_not_its_job(there: Environment) -> None:
    code, out, err = there.interrupted("upload", "a.md")
    assert (code, out) == (130, "")
    assert "the environment continues, and `tribal --profile dev jobs --watch` shows it" in err


def test_an_upload_is_watched_until_it_has_ended(there: Environment) -> None:
    there.last = 2
    shown = there.ask("upload", "a.md")
    assert shown.stdout.splitlines()[0] == "  a.md: indexed, 1 page, 1 passage", shown.stderr


def test_a_contribution_is_waited_for_and_ctrl_c_leaves_it_to_the_environment(there: Environment) -> None:
    there.last = 2
    shown = there.ask("contribute", "prepare")
    assert (shown.returncode, shown.stdout) == (0, "Contribution 3 is waiting. A person approves it.\n")
    assert "preparing contribution 3 in the environment" in shown.stderr
    there.looked, there.last = 0, 1_000
    code, _, err = there.interrupted("contribute", "prepare")
    assert code == 130
    assert "the environment continues, and `tribal --profile dev contribute show 3` shows it" in err


def test_an_answer_that_breaks_off_is_an_error_after_what_there_is(there: Environment) -> None:
    text = json.dumps({"type": "text-delta", "textDelta": "Refunds take"})
    there.api.scripted = lambda *_: (200, f"data: {text}\n\n")
    there.api.content_type = "text/event-stream"
    shown = there.ask("chat", "How long do refunds take?")
    assert (shown.returncode, shown.stdout) == (8, "Refunds take")
    assert "the answer was cut off; ask again" in shown.stderr
