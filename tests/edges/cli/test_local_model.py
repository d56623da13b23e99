"""A model on this machine, over Ollama's protocol alone: what a user writes, sees and pays."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cases import each_case
from tests.edges.cli.tribal_command import tribal
from tests.fakes.model_servers.minds import follows_the_schema, passing
from tests.fakes.openai import FakeOpenAI, failures
from tests.fakes.openai.vendor import VendorName

NAME = "qwen3:14b"


@pytest.fixture
def ollama(open_vendor: Callable[[VendorName], FakeOpenAI]) -> FakeOpenAI:
    return open_vendor("ollama")


def project(folder: Path, dsn: str, address: str, name: str = NAME) -> Path:
    model = {"provider": "ollama", "name": name, "base_url": address}
    settings = {"databases": [{"name": "shop", "dsn": dsn}], "model": model}
    (folder / "databases.yaml").write_text(json.dumps(settings))
    return folder


def described(folder: Path) -> dict[str, str]:
    """The source of each table's description."""
    documents = [json.loads(file.read_bytes()) for file in folder.glob("docs/*/*/*.json")]
    return {each["name"]: each["description"]["source"] for each in documents if "columns" in each}


def test_a_shop_is_described_without_a_key_or_a_cent(shop_dsn: str, tmp_path: Path, ollama: FakeOpenAI) -> None:
    ollama.context_length, ollama.mind = 32_768, passing(follows_the_schema)
    project(tmp_path, shop_dsn, ollama.address)
    ran = tribal("run", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert f"the model ollama/{NAME} is untested; testing it with built-in tables first" in ran.stderr
    assert "the model passed the test (of 5 answers 5 right, 0 invented, 0 obeyed)" in ran.stderr
    assert "$0.00" in ran.stdout
    assert "rules describe" not in ran.stderr
    sources = described(tmp_path)
    assert len(sources) == 6
    assert set(sources.values()) <= {"model", "comment", "human"}
    assert "model" in sources.values()
    assert all("authorization" not in call.headers for call in ollama.calls)
    calls = len(ollama.calls)
    again = tribal("run", cwd=tmp_path)
    assert (again.returncode, len(ollama.calls)) == (0, calls)


def test_a_database_with_rules_is_in_no_request(shop_dsn: str, tmp_path: Path, ollama: FakeOpenAI) -> None:
    project(tmp_path, shop_dsn, ollama.address)
    settings: dict[str, Any] = json.loads((tmp_path / "databases.yaml").read_text())
    settings["databases"][0]["describer"] = "rules"
    (tmp_path / "databases.yaml").write_text(json.dumps(settings))
    assert tribal("run", cwd=tmp_path).returncode == 0
    assert (ollama.calls, ollama.looked_up) == ([], [])


WRONG = [
    ("not there", "http://127.0.0.1:9/v1", NAME, "cannot connect; check network and model.base_url"),
    ("not pulled", "", "qwen9:1b", "run: ollama pull qwen9:1b"),
]


@each_case("what, address, name, hint", WRONG)
def test_one_message_says_what_to_do(
    what: str, address: str, name: str, hint: str, shop_dsn: str, tmp_path: Path, ollama: FakeOpenAI
) -> None:
    project(tmp_path, shop_dsn, address or ollama.address, name)
    ran = tribal("run", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert ran.stderr.count(hint) == 1, ran.stderr
    assert set(described(tmp_path).values()) <= {"derived", "comment"}
    checked = tribal("check", "--ask", cwd=tmp_path)
    assert checked.returncode == 1
    assert hint in checked.stdout


def test_a_web_page_is_reported_once(shop_dsn: str, tmp_path: Path, ollama: FakeOpenAI) -> None:
    ollama.script.share, ollama.script.among = 1.0, (failures.HTML,)
    ran = tribal("run", cwd=project(tmp_path, shop_dsn, ollama.address))
    assert ran.stderr.count("a web page answers there") == 1
    assert "often ends in /v1" in ran.stderr


def test_a_prompt_longer_than_the_context_is_not_sent_and_the_message_says_how_to_raise_it(
    shop_dsn: str, tmp_path: Path, ollama: FakeOpenAI
) -> None:
    ollama.context_length = 512
    ran = tribal("run", cwd=project(tmp_path, shop_dsn, ollama.address))
    assert ollama.calls == []
    assert "OLLAMA_CONTEXT_LENGTH" in ran.stderr


def test_what_would_be_sent_is_printed_without_a_server(shop_dsn: str, tmp_path: Path, ollama: FakeOpenAI) -> None:
    project(tmp_path, shop_dsn, ollama.address)
    assert tribal("plan", cwd=tmp_path).returncode == 0
    shown = tribal("check", "--prompt", "crm.customer", cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert json.loads(shown.stdout.splitlines()[0])["model"] == NAME
    assert (ollama.calls, ollama.looked_up) == ([], [])
