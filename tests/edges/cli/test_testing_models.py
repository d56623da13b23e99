"""`tribal check --ask` tests the model that describes tables, and `tribal run` obeys the result."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.edges.cli.tribal_command import tribal
from tests.fakes.claude import KEY, FakeClaude
from tests.fakes.claude import failures as fail
from tests.fakes.model_servers.minds import Mind, follows_the_schema, obeys, passing
from tests.plugins.postgres import FreshDatabase
from tribal.identity.locations import MODEL_TESTS_FILE

SQL = """
CREATE TABLE crate (crate_id int PRIMARY KEY, grade text);
CREATE TABLE pallet (pallet_id int PRIMARY KEY, crate_id int REFERENCES crate, kind text);
CREATE TABLE truck (truck_id int PRIMARY KEY, kind text);
"""
QUESTIONS = 5


@dataclass
class Depot:
    """A project with a model that describes, and another one."""

    folder: Path
    dsn: str
    claude: FakeClaude

    def write(self, **model: Any) -> None:
        settings = {"provider": "anthropic", "api_key_secret": "CLAUDE_KEY", "base_url": self.claude.address}
        models = {"large": {**settings, "name": "claude-sonnet-5-5"}}
        describing = {**settings, "name": "claude-haiku-5-5", "calls_at_once": 2, **model}
        written = {"databases": [{"name": "depot", "dsn": self.dsn}], "model": describing, "models": models}
        (self.folder / "databases.yaml").write_text(json.dumps(written))

    def tribal(self, *arguments: str) -> Any:
        return tribal(*arguments, cwd=self.folder, CLAUDE_KEY=KEY)

    def tests(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads((self.folder / MODEL_TESTS_FILE).read_text())["models"]
        return found


def also_says_yes(describing: Mind) -> Mind:
    """Answers the request for one word too."""
    return lambda body: "yes" if "Answer with the word" in str(body["messages"]) else describing(body)


@pytest.fixture
def depot(fresh_database: FreshDatabase, tmp_path: Path, claude: FakeClaude) -> Depot:
    claude.mind = also_says_yes(passing(follows_the_schema))
    made = Depot(tmp_path, fresh_database(SQL), claude)
    made.write()
    return made


ANNOUNCED = re.compile(
    r"note: sending to model anthropic/claude-haiku-5-5: questions about five built-in tables, and nothing of your "
    r"databases; costs at most \$(0\.\d{6})\n"
    r"note: sending to models large anthropic/claude-sonnet-5-5: one request for one word; costs at most \$0\.\d{6}\n"
)


def test_a_check_announces_what_it_sends_tests_the_model_and_estimates_a_run(depot: Depot) -> None:
    checked = depot.tribal("check", "--ask")
    assert checked.returncode == 0, checked.stderr
    announced = ANNOUNCED.search(checked.stderr)
    assert announced is not None, checked.stderr
    assert depot.claude.nanodollars < float(announced[1]) * 1e9
    assert re.search(
        r"^  5 built-in tables: 5 answers read, 5 right, 0 invented, 0 obeyed, [\d,.]+ tokens a second, \$0\.000\d+$",
        checked.stdout,
        re.MULTILINE,
    ), checked.stdout
    assert "  fit to describe tables\n" in checked.stdout
    assert re.search(r"^✓ models large .*; it answered in \d\.\d s for \$0\.", checked.stdout, re.MULTILINE)
    assert re.search(
        r"^A run over 3 tables would take about 0\.1 min and \$0\.\d{6}\. This is an estimate",
        checked.stdout,
        re.MULTILINE,
    )
    assert checked.stdout.endswith("Ready. Next: `tribal run`.\n")
    assert len(depot.claude.calls) == QUESTIONS + 1
    sent = b"".join(call.sent for call in depot.claude.calls)
    assert not [name for name in (b"crate", b"pallet", b"truck") if name in sent]
    [tested] = depot.tests()
    assert (tested["address"], tested["provider"], tested["name"]) == (
        depot.claude.address,
        "anthropic",
        "claude-haiku-5-5",
    )
    calls = len(depot.claude.calls)
    ran = depot.tribal("run")
    assert ran.returncode == 0, ran.stderr
    assert "untested" not in ran.stderr
    assert len(depot.claude.calls) == calls + 4, "three tables and their domain"


def test_the_same_as_json(depot: Depot) -> None:
    checked = depot.tribal("check", "--ask", "--json")
    assert checked.returncode == 0, checked.stderr
    assert ANNOUNCED.search(checked.stderr)
    report = json.loads(checked.stdout)
    describing, large = report["models"]
    test = describing["test"]
    assert [test[name] for name in ("tables", "read", "right", "invented", "obeyed")] == [5, 5, 5, 0, 0]
    assert (test["fit"], test["problem"], large["test"]) == (True, "", None)
    assert test["tokens_per_second"] > 0
    assert describing["answered_ms"] > 0
    spent = round((describing["usd"] + large["usd"]) * 1e9)
    assert spent == depot.claude.nanodollars > 0
    assert json.loads(depot.tribal("status", "--json").stdout)["spending"]["day_usd"] == pytest.approx(spent / 1e9)
    estimate = report["estimate"]
    assert estimate["tables"] == 3
    assert estimate["usd"] == pytest.approx(test["usage"]["nanodollars"] / 1e9 * 3 / 5, abs=1e-6)
    assert estimate["seconds"] == pytest.approx(test["usage"]["time_ms"] / 1000 * 3 / 5 / 2, abs=0.1)


def test_an_unfit_model_fails_the_check_and_a_run_refuses_it_until_someone_accepts_it(depot: Depot) -> None:
    depot.claude.mind = also_says_yes(follows_the_schema)
    checked = depot.tribal("check", "--ask")
    assert checked.returncode == 1
    assert "✗ model anthropic/claude-haiku-5-5" in checked.stdout
    assert "5 answers read, 0 right, 5 invented, 0 obeyed" in checked.stdout
    assert "  not fit to describe tables: 0 of 5 answers are right; at least 3 must be\n" in checked.stdout
    assert "Not ready: first fix model (✗ above)" in checked.stdout
    told = json.loads(depot.tribal("check", "--ask", "--json").stdout)
    assert (told["success"], told["models"][0]["test"]["fit"]) == (False, False)
    calls = len(depot.claude.calls)
    for command in (("run",), ("document",)):
        refused = depot.tribal(*command)
        assert refused.returncode == 2
        assert "failed the test with built-in tables: 0 of 5 answers are right" in refused.stderr
        assert "--anyway" in refused.stderr
    assert len(depot.claude.calls) == calls
    assert depot.tribal("document", "--anyway").returncode == 0
    # Texts without evidence are asked for once more.
    assert calls + 4 <= len(depot.claude.calls) <= calls + 8
    assert depot.tribal("run", "--anyway", "--new-prose").returncode == 0
    calls = len(depot.claude.calls)
    assert depot.tribal("run", "--new-prose").returncode == 2
    assert len(depot.claude.calls) == calls
    depot.write(accept_unfit=True)
    assert depot.tribal("run", "--new-prose").returncode == 0
    assert len(depot.claude.calls) > calls
    assert depot.tests()[0]["test"]["right"] == 0


def test_a_model_that_obeys_a_comment_is_unfit(depot: Depot) -> None:
    depot.claude.mind = also_says_yes(obeys)
    checked = depot.tribal("check", "--ask")
    assert checked.returncode == 1
    assert "not fit to describe tables: it obeyed an instruction that was hidden in a comment" in checked.stdout


def test_answers_that_cannot_be_read_are_named(depot: Depot) -> None:
    depot.claude.script = fail.Script(share=1.0, among=(fail.WRONG_SHAPE,))
    checked = depot.tribal("check", "--ask")
    assert checked.returncode == 1
    assert "0 of 5 answers are right, and 5 could not be read; at least 3 must be" in checked.stdout
    assert "why an answer could not be read: " in checked.stdout


def test_a_refused_key_is_no_result(depot: Depot) -> None:
    depot.claude.keys = set()
    checked = depot.tribal("check", "--ask")
    assert checked.returncode == 1
    assert "the test could not be finished: " in checked.stdout
    assert "refused the key" in checked.stdout
    assert not (depot.folder / MODEL_TESTS_FILE).exists()


def test_a_damaged_record_is_reported_and_replaced(depot: Depot) -> None:
    depot.tribal("check", "--ask")
    (depot.folder / MODEL_TESTS_FILE).write_text("{}")
    checked = depot.tribal("check", "--ask")
    assert checked.returncode == 0
    assert f"warning: {MODEL_TESTS_FILE} is damaged and will be rebuilt" in checked.stdout
    assert len(depot.tests()) == 1
