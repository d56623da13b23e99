"""Sessions and exams with models as users start them: from the command line and in the background of a server."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.app.openai_project import write_project
from tests.capabilities.interrogation.asking_models.made import OPENAI_KEY, data_of, works
from tests.edges.cli.tribal_command import tribal
from tests.fakes.openai import FakeOpenAI
from tests.waiting import wait_until
from tribal.answering.documentation import Documentation
from tribal.app.local import local_application
from tribal.capabilities.interrogation.interrogations import Interrogations, resume_abandoned
from tribal.capabilities.interrogation.sessions.repository import Sessions
from tribal.capabilities.interrogation.sessions.transitions import hold
from tribal.ports import Application, Caller
from tribal.ports.remembering.identity import UNIDENTIFIED
from tribal.settings import load_settings
from tribal.tools.call import call_tool
from tribal.tools.registry import offered
from tribal_contracts.interrogation.rules import broken_rules
from tribal_contracts.interrogation.sessions import InterrogationSession

pytestmark = pytest.mark.slow

HYPOTHESIS = "how many order lines does each customer have?"


@pytest.fixture
def openai(open_vendor: Callable[[str], FakeOpenAI]) -> FakeOpenAI:
    server = open_vendor("openai")
    server.keys.add(OPENAI_KEY)
    server.mind = works
    return server


@pytest.fixture
def project(tmp_path: Path, openai: FakeOpenAI) -> Path:
    return write_project(tmp_path, openai.address, "interrogation: {detectives: [large]}\n")


@pytest.fixture
def app(project: Path) -> Iterator[Application]:
    settings = load_settings(project=project, environment={"OPENAI": OPENAI_KEY}, needs_databases=False)
    with closing(local_application(settings)) as built:
        yield built


def ended(app: Application, session_id: str) -> InterrogationSession:
    """A session of the background, once it has ended."""

    def look() -> InterrogationSession | None:
        session = Sessions(app.store()).read(session_id).record
        return None if session.is_running else session

    found = wait_until(look)
    assert found is not None
    return found


def test_the_command_asks_by_model_and_the_documentation_answers(project: Path, openai: FakeOpenAI) -> None:
    done = tribal("interrogate", HYPOTHESIS, "--json", cwd=project, OPENAI=OPENAI_KEY)
    assert done.returncode == 0, done.stderr
    session = InterrogationSession.model_validate_json(done.stdout)
    assert (session.status, broken_rules(session)) == ("completed", [])
    assert {(pair.provider_used, pair.witness_used) for pair in session.qa_pairs} == {
        ("openai:gpt-6-luna", "documentation:1")
    }
    assert session.usage is not None
    assert session.usage.calls == len(openai.calls)
    assert OPENAI_KEY not in done.stdout


def test_a_tool_starts_a_session_that_ends_in_the_background(app: Application) -> None:
    tools = offered(app.sections, has_model=True)
    started: Any = call_tool("start_interrogation", {"hypothesis": HYPOTHESIS}, Caller("ada"), app, tools)
    assert (started.success, started.status, started.audit_result) == (True, "running", None)
    session = ended(app, started.session_id)
    assert (session.status, session.owner) == ("completed", "ada")


def test_a_session_that_no_process_runs_is_resumed_by_the_next_server(app: Application, openai: FakeOpenAI) -> None:
    service = Interrogations(app, Caller("ada"))
    session = service.new(HYPOTHESIS)
    killed = hold(session, "a killed process", "2026-01-01T00:00:00Z")
    service.sessions.create(killed)
    resume_abandoned(app, UNIDENTIFIED)
    assert ended(app, session.id).status == "completed"
    calls = len(openai.calls)
    resume_abandoned(app, UNIDENTIFIED)
    assert len(openai.calls) == calls


def test_the_command_resumes_a_session(app: Application, project: Path) -> None:
    service = Interrogations(app, Caller("ada"))
    session = service.new(HYPOTHESIS)
    service.sessions.create(session)
    done = tribal("interrogations", "--resume", session.id, cwd=project, OPENAI=OPENAI_KEY, TRIBAL_USER="ada")
    assert done.returncode == 0, done.stderr
    assert "Completed" in done.stdout


def test_ctrl_c_stops_a_session_and_keeps_its_pairs(
    project: Path, openai: FakeOpenAI, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = Documentation.answer

    def interrupted(self: Documentation, *given: Any) -> Any:
        if any(data_of(call.body).get("asked") for call in openai.calls):
            raise KeyboardInterrupt
        return answer(self, *given)

    monkeypatch.setattr(Documentation, "answer", interrupted)
    done = tribal("interrogate", HYPOTHESIS, "--json", cwd=project, OPENAI=OPENAI_KEY, TRIBAL_USER="ada")
    assert done.returncode == 130
    session = InterrogationSession.model_validate_json(done.stdout)
    assert (session.status, session.audit_trail[-1].reason) == ("failed", "stopped by ada")
    assert len(session.qa_pairs) == 1
    assert session.interim_audit is not None


def test_an_exam_with_models_prints_its_quote_and_sends_nothing_unless_it_is_confirmed(
    project: Path, openai: FakeOpenAI, tmp_path: Path
) -> None:
    (tmp_path / "exam.txt").write_text(f"{HYPOTHESIS}\nwhich customers visit the shop?\n")
    words = ("interrogate", "--questions", str(tmp_path / "exam.txt"), "--models")
    refused = tribal(*words, cwd=project, OPENAI=OPENAI_KEY)
    assert refused.returncode != 0
    assert "the exam ends at $5.00" in refused.stderr
    assert openai.calls == []
    offline = tribal(*words[:-1], cwd=project)
    assert offline.returncode == 0, offline.stderr
    assert openai.calls == []
    taken = tribal(*words, "--yes", "--json", cwd=project, OPENAI=OPENAI_KEY)
    assert taken.returncode == 0, taken.stderr
    assert json.loads(taken.stdout)["notAsked"] == 0
    record = json.loads((project / "progress/budget.json").read_text(encoding="utf-8"))
    assert [name for name in record["accounts"] if name.startswith("exam:")]


def test_names_are_resolved_in_any_spelling_that_is_unique(app: Application) -> None:
    documentation = Documentation(Caller("ada"), app)
    found = {name: documentation.resolve(name) for name in ("CUSTOMER", "shop.crm.customer", "nothing", "a.b.c.d.e")}
    assert found["shop.crm.customer"] == "shop.crm.customer"
    assert (found["nothing"], found["a.b.c.d.e"], found["CUSTOMER"]) == (None, None, None)  # two are called so
    assert documentation.resolve("crm.customer.NAME") == documentation.resolve("shop.crm.customer.name")
    assert documentation.resolve("shop.crm.customer.no_such_column") is None
