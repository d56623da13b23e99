"""What the commands say about a model, and what they ask before it costs something."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.edges.cli.terminal import Dialogue, on_real_terminal
from tests.edges.cli.tribal_command import tribal, tribal_process
from tests.fakes.claude import KEY, FakeClaude
from tests.fakes.model_servers.minds import asked_numbers
from tests.plugins.postgres import FreshDatabase

SQL = """
CREATE TABLE crate (crate_id int PRIMARY KEY, grade text, sealed boolean);
CREATE TABLE pallet (pallet_id int PRIMARY KEY, crate_id int REFERENCES crate, kind text);
CREATE TABLE truck (truck_id int PRIMARY KEY, kind text, pallet_id int REFERENCES pallet);
INSERT INTO crate SELECT n, 'xx', n % 2 = 0 FROM generate_series(1, 40) n;
"""
SPENT = re.compile(r"(\d+) calls? to the model, ([\d,]+) tokens, (\$\d\.\d+), \d+\.\d s of waiting")
WITHOUT_THE_SDK = """
import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("anthropic", "httpx2"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Hidden())
"""


@dataclass
class Yard:
    """A project whose tables a model describes."""

    folder: Path
    dsn: str
    claude: FakeClaude

    def write(self, *entry: str, **model: Any) -> None:
        """Write `databases.yaml`, with more lines of the entry and settings of the model."""
        settings = {"provider": "anthropic", "name": "claude-haiku-5-5", "api_key_secret": "CLAUDE_KEY"}
        settings["accept_unfit"] = "true"
        lines = ["databases:", "  - name: yard", f"    dsn: '{self.dsn}'", *(f"    {line}" for line in entry), "model:"]
        for name, value in {**settings, "base_url": self.claude.address, **model}.items():
            lines.append(f"  {name}: {value}")
        (self.folder / "databases.yaml").write_text("\n".join(lines) + "\n")

    def tribal(self, *arguments: object, key: str = KEY, **environment: str) -> Any:
        """Run a command."""
        return tribal(*arguments, cwd=self.folder, CLAUDE_KEY=key, **environment)

    def without_its_package(self, *arguments: object, hiding: Path) -> Any:
        """Run a command in a process that cannot import the SDK, by means of a file in an empty folder."""
        (hiding / "sitecustomize.py").write_text(WITHOUT_THE_SDK)
        return tribal_process(*arguments, cwd=self.folder, CLAUDE_KEY=KEY, PYTHONPATH=str(hiding))

    def pages(self) -> str:
        """All Markdown."""
        return "".join(path.read_text() for path in sorted((self.folder / "docs").rglob("*.md")))


@pytest.fixture
def yard(fresh_database: FreshDatabase, tmp_path: Path, claude: FakeClaude) -> Yard:
    def mind(body: Mapping[str, Any]) -> Mapping[str, Any]:
        columns = [{"n": number, "text": "Tells how good it is."} for number in asked_numbers(body)]
        return {"title": "Goods on their way", "text": "Holds what was ordered.", "columns": columns}

    claude.mind = mind
    made = Yard(tmp_path, fresh_database(SQL), claude)
    made.write()
    return made


def test_a_plan_tells_calls_tokens_and_cost_and_sends_nothing(yard: Yard) -> None:
    planned = yard.tribal("plan")
    assert planned.returncode == 0, planned.stderr
    heading, row = planned.stdout.splitlines()[:2]
    assert heading.split()[-4:] == ["calls", "tokens", "cost", "minutes"]
    assert row.split()[-4] == "4", "three tables and their domain"
    assert re.search(
        r"^about 4 calls to the model, [\d,]+ tokens, \$0\.\d{4} and 0\.\d min;", planned.stdout, re.MULTILINE
    )
    assert "per_run_usd" not in planned.stdout
    yard.write(per_run_usd=0.0001)
    assert "this exceeds per_run_usd, $0.0001" in yard.tribal("plan").stdout
    assert yard.claude.calls == []


def test_a_run_tells_what_the_model_has_cost_and_status_tells_it_again(yard: Yard) -> None:
    ran = yard.tribal("run")
    assert ran.returncode == 0, ran.stderr
    told = SPENT.search(ran.stdout)
    assert told is not None, ran.stdout
    assert told[1] == str(len(yard.claude.calls)) == "4"
    assert told[3] == f"${yard.claude.nanodollars / 1e9:.4f}"
    status = yard.tribal("status").stdout
    assert re.search(rf"^model: \{told[3]} spent today \(UTC\); \{told[3]} in run \S+$", status, re.MULTILINE)
    spending = json.loads(yard.tribal("status", "--json").stdout)["spending"]
    assert round(spending["day_usd"] * 1e9) == round(spending["run_usd"] * 1e9) == yard.claude.nanodollars
    assert "model" in yard.pages()
    again = yard.tribal("run", "--force")
    assert (again.returncode, len(yard.claude.calls)) == (0, 4)
    assert SPENT.search(again.stdout) is None, "kept prose costs nothing"
    assert "about 4 calls" in yard.tribal("plan", "--new-prose").stdout
    assert "calls" not in yard.tribal("plan").stdout
    anew = yard.tribal("run", "--new-prose")
    assert (anew.returncode, len(yard.claude.calls)) == (0, 8)
    assert SPENT.search(anew.stdout) is not None


QUESTION = "for the rest? [y/N]: "


def test_on_a_terminal_someone_is_asked_above_the_budget_and_no_ends_it(yard: Yard) -> None:
    with Dialogue("run", "--budget", "0.0001", cwd=yard.folder, CLAUDE_KEY=KEY) as run:
        asked = run.until(QUESTION)
        assert re.search(r"This run would take about 4 calls .* \$0\.\d{4} .*, which exceeds --budget \$0\.0001", asked)
        run.type("n\n")
        code, said = run.end()
    assert (code, yard.claude.calls) == (0, [])
    assert "Planned only: no table was documented and no model was called." in said
    assert not (yard.folder / "docs").exists()


def test_on_a_terminal_yes_spends_what_the_budget_pays_for(yard: Yard) -> None:
    with Dialogue("run", "--budget", "0.0006", cwd=yard.folder, CLAUDE_KEY=KEY) as run:
        run.until(QUESTION)
        run.type("y\n")
        code, said = run.end()
    assert code == 0
    assert said.rindex(QUESTION) < said.rindex("3 tables documented")
    assert "until the next run calls the model: the budget is spent" in said
    assert 0 < yard.claude.nanodollars <= 600_000
    assert 0 < len(yard.claude.calls) < 4


def test_ctrl_c_at_the_question_ends_the_run_at_once(yard: Yard) -> None:
    with Dialogue("run", "--budget", "0.0001", cwd=yard.folder, CLAUDE_KEY=KEY) as run:
        run.until(QUESTION)
        run.interrupt()
        code, said = run.end()
    assert (code, yard.claude.calls) == (130, [])
    assert "the same command resumes it" in said
    assert "stopped" in yard.tribal("status").stdout


def test_on_a_terminal_no_one_is_asked_below_the_budget(yard: Yard) -> None:
    shown = on_real_terminal("run", "--budget", "1", cwd=yard.folder, width=120, with_errors=True, CLAUDE_KEY=KEY)
    assert "[y/N]" not in shown
    assert len(yard.claude.calls) == 4


def test_elsewhere_a_run_keeps_to_the_budget_unasked_and_strict_makes_that_an_error(yard: Yard) -> None:
    ran = yard.tribal("run", "--budget", "0.0001")
    assert (ran.returncode, yard.claude.calls) == (0, [])
    [warning] = [line for line in ran.stderr.splitlines() if "warning" in line]
    assert "rules describe 3 tables and 1 domain until the next run calls the model: the budget is spent" in warning
    assert yard.tribal("run", "--budget", "0.0001", "--strict").returncode == 1
    assert yard.tribal("document", "--budget", "0.0001", "--strict").returncode == 1
    status = yard.tribal("status").stdout
    assert "3 of 3 tables" in status
    assert "rules describe 3 tables until the next run calls the model: the budget is spent" in status
    assert "  yard.public.crate, yard.public.pallet, yard.public.truck\n" in status
    done = yard.tribal("run", "--strict")
    assert (done.returncode, len(yard.claude.calls)) == (0, 4)
    assert "rules describe" not in yard.tribal("status").stdout


def test_a_title_that_waits_for_the_model_is_an_error_under_strict(yard: Yard) -> None:
    yard.tribal("run")
    written = len(yard.claude.calls)
    yard.claude.keys = set()
    kept = _kept_of_the_domain(yard)
    kept.unlink()
    (yard.folder / "docs" / "yard" / kept.stem / "domain.json").unlink()
    ran = yard.tribal("run", "--strict")
    assert len(yard.claude.calls) > written
    assert "rules describe the domain" in ran.stderr
    assert ran.returncode == 1


def _kept_of_the_domain(yard: Yard) -> Path:
    kept = (yard.folder / "prose").rglob("*.json")
    (path,) = [path for path in kept if '"title": "Goods on their way"' in path.read_text()]
    return path


def test_a_refused_key_is_reported_once_with_what_to_do_and_status_repeats_it(yard: Yard) -> None:
    ran = yard.tribal("run", key="wrong")
    assert ran.returncode == 0
    [warning] = [line for line in ran.stderr.splitlines() if "rules describe" in line]
    assert "refused the key" in warning
    assert "model.api_key_secret" in warning
    status = yard.tribal("status")
    assert re.search(r"^model: \$0\.00 spent today \(UTC\); \$0\.00 in run", status.stdout, re.MULTILINE)
    assert re.search(r"^model: no more calls in that run: .*model\.api_key_secret", status.stdout, re.MULTILINE)
    assert "refused" in json.loads(yard.tribal("status", "--json").stdout)["spending"]["stopped"]
    assert yard.tribal("run", "--strict").returncode == 0, "the right key mends it"


def test_a_damaged_budget_is_reported_with_what_to_do(yard: Yard) -> None:
    yard.tribal("run")
    budget = yard.folder / "progress" / "budget.json"
    budget.write_text(budget.read_text().replace("nanodollars", "nanodollar", 1))
    assert "model: progress/budget.json is damaged, so no model is called" in yard.tribal("status").stdout
    assert json.loads(yard.tribal("status", "--json").stdout)["spending"]["damaged"] is True


def test_without_its_package_one_message_says_what_to_install(
    yard: Yard, tmp_path_factory: pytest.TempPathFactory
) -> None:
    hiding = tmp_path_factory.mktemp("hiding")
    ran = yard.without_its_package("run", hiding=hiding)
    assert ran.returncode == 0, ran.stderr
    [warning] = [line for line in ran.stderr.splitlines() if "rules describe" in line]
    assert "pip install 'tribal-knowledge[model]'" in warning
    assert "3 tables documented, 0 unchanged, 0 failed" in ran.stdout
    shown = yard.without_its_package("check", "--prompt", "crate", hiding=hiding)
    assert shown.returncode == 2
    assert "pip install 'tribal-knowledge[model]'" in shown.stderr


def test_a_check_says_whether_the_model_could_be_asked_and_asks_nothing(yard: Yard) -> None:
    checked = yard.tribal("check")
    assert checked.returncode == 0, checked.stderr
    [line] = [line for line in checked.stdout.splitlines() if "model" in line]
    assert line.startswith("✓ model anthropic/claude-haiku-5-5: prices from https://platform.claude.com/")
    assert re.search(r"read on \d+ \w+ \d{4}; the package and the key are available; nothing was sent$", line)
    told = json.loads(yard.tribal("check", "--json").stdout)["models"][0]
    assert (told["name"], told["missing"]) == ("anthropic/claude-haiku-5-5", "")
    assert yard.claude.calls == []


def test_a_check_says_what_the_model_lacks(yard: Yard, tmp_path_factory: pytest.TempPathFactory) -> None:
    without_package = yard.without_its_package("check", hiding=tmp_path_factory.mktemp("hiding"))
    assert "pip install 'tribal-knowledge[model]'" in without_package.stdout
    yard.write(api_key_secret="NOT_SET")
    without_key = yard.tribal("check")
    assert "the secret 'NOT_SET' with the key of the model is missing" in without_key.stdout
    yard.write(name="claude-of-next-year", base_url="https://gateway.example.com")
    without_price = yard.tribal("check")
    assert "the price of 'claude-of-next-year' is unknown" in without_price.stdout
    assert [each.returncode for each in (without_package, without_key, without_price)] == [1, 1, 1]
    assert all("✗ model anthropic/" in each.stdout for each in (without_package, without_key, without_price))
    told = json.loads(yard.tribal("check", "--json").stdout)
    assert told["success"] is False
    assert "price of 'claude-of-next-year' is unknown" in told["models"][0]["missing"]


def test_a_prompt_is_printed_as_it_is_sent(yard: Yard) -> None:
    missing = yard.tribal("check", "--prompt", "crate")
    assert (missing.returncode, missing.stdout) == (6, "")
    assert "`tribal plan`" in missing.stderr
    yard.tribal("plan")
    shown = yard.tribal("check", "--prompt", "public.crate", key="")
    assert shown.returncode == 0, shown.stderr
    assert yard.claude.calls == []
    assert re.fullmatch(
        r"note: nothing was sent; 1 request about yard\.public\.crate, [\d,]+ bytes, to \S+\n", shown.stderr
    )
    bare = yard.tribal("check", "--prompt", "CRATE", "--no-samples")
    assert len(bare.stdout) < len(shown.stdout)
    as_json = json.loads(yard.tribal("check", "--prompt", "yard.public.crate", "--json").stdout)
    assert as_json["requests"] == [{"address": f"{yard.claude.address}/v1/messages", "body": shown.stdout[:-1]}]
    yard.tribal("run")
    assert shown.stdout[:-1].encode() in [call.sent for call in yard.claude.calls]
    kept = yard.tribal("check", "--prompt", "crate")
    assert "--new-prose" in kept.stderr
    yard.tribal("run", "--new-prose")
    assert kept.stdout[:-1].encode() in [call.sent for call in yard.claude.calls]


def test_where_nothing_would_be_sent_one_line_says_why(yard: Yard) -> None:
    yard.write("describer: rules")
    yard.tribal("plan")
    kept_from = yard.tribal("check", "--prompt", "crate")
    assert (kept_from.returncode, kept_from.stdout) == (0, "")
    assert (
        kept_from.stderr == "note: nothing would be sent: `describer: rules` excludes database 'yard' from the model\n"
    )
    whole = (yard.folder / "databases.yaml").read_text()
    (yard.folder / "databases.yaml").write_text(whole.partition("model:")[0].replace("describer: rules", ""))
    without = yard.tribal("check", "--prompt", "crate")
    assert (without.returncode, without.stdout) == (0, "")
    assert without.stderr == "note: nothing would be sent: databases.yaml has no `model`\n"
