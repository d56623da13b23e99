"""Models of interrogations as the application builds them: caps, order, timeouts, and what is kept from them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.capabilities.interrogation.asking_models.made import (
    OPENAI_KEY,
    Setting,
    context,
    resolve,
    works,
)
from tests.cases import each_case
from tests.fakes.application import application
from tests.fakes.fixed_clock import FixedClock
from tests.fakes.interrogation import ScriptedWitness
from tests.fakes.openai import FakeOpenAI
from tribal.adapters.local.folder import FolderStore
from tribal.adapters.local.secrets import EnvironmentSecrets
from tribal.answering.documentation import Documentation
from tribal.app.asking.configured_models import ConfiguredModels
from tribal.app.interrogation import party_models as built_party_models
from tribal.app.interrogation import place_in_environment, place_in_file
from tribal.app.models import Models
from tribal.app.options import options_of
from tribal.app.parts import text_in_folder
from tribal.app.project_text import ProjectText
from tribal.capabilities.interrogation.asking_models.model_parties import (
    ModelParties,
    PartyModels,
    without_databases,
)
from tribal.capabilities.interrogation.errors import ConfigurationInvalid
from tribal.identity.scope import EVERYTHING, Scope
from tribal.jobs.clock import SystemClock
from tribal.models import read_spending
from tribal.ports import Caller, Provider, RunParameters
from tribal.settings import load_settings
from tribal.settings.deployment import load_deployment
from tribal.settings.prompt_files import prompts_in_folder
from tribal_contracts.answering.answers import AnswerSource
from tribal_contracts.interrogation.sessions import InterrogationSession

pytestmark = pytest.mark.slow

PRICES = "price: {input_usd: 1, output_usd: 10}"
FILE = """databases:
  - {{name: shop, dsn: "${{NOT_SET}}"}}
  - {{name: hr, describer: rules}}
models:
  large:
    provider: openai
    name: gpt-6-luna
    api_key_secret: OPENAI
    base_url: {address}
    {prices}
  local: {{provider: ollama, name: qwen3}}
spending: {{per_day_usd: 3}}
interrogation:
  detectives:
    - large
{more}
"""


def party_models(
    folder: Path, address: str = "https://api.openai.com/v1", more: str = "", prices: str = PRICES, **environment: str
) -> PartyModels:
    """As a command builds them, in a folder whose databases are not read."""
    (folder / "databases.yaml").write_text(FILE.format(address=address, more=more, prices=prices), encoding="utf-8")
    environment = {"OPENAI": OPENAI_KEY, **environment}
    settings = load_settings(project=folder, environment=environment, needs_databases=False)
    store: Provider[Any] = Provider(lambda: FolderStore(settings.store))
    models = Models(
        Provider(lambda: options_of(settings, RunParameters())),
        store,
        Provider(lambda: EnvironmentSecrets(settings.environment, None)),
        SystemClock(None),
        lambda: prompts_in_folder(settings.project),
        str(settings.project / "prompts"),
        "set it",
        named=settings.models,
        per_day_usd=settings.per_day_usd,
    )
    text = partial(text_in_folder, settings)
    found = built_party_models(settings.sections, ConfiguredModels(models, text), store, partial(place_in_file, text))
    assert found is not None
    return found()


def no_text() -> ProjectText:
    return ProjectText("databases.yaml", b"")


class OneTable(Documentation):
    """A documentation of one table."""

    __slots__ = ()

    def resolve(self, name: str) -> str | None:
        return resolve(name)

    def context(self, question: str) -> tuple[str, list[AnswerSource]]:
        text, sources = context(question)
        return text, [*sources]


def one_table(scope: Scope = EVERYTHING) -> OneTable:
    return OneTable(Caller("ada", scope), application())


def run(parties: ModelParties) -> InterrogationSession:
    """A session whose documentation answers."""
    assert parties.detective is not None
    try:
        return Setting(parties.detective, parties.witness or ScriptedWitness({})).run()
    finally:
        parties.close()


@pytest.fixture
def openai(open_vendor: Callable[[str], FakeOpenAI]) -> FakeOpenAI:
    server = open_vendor("openai")
    server.keys.add(OPENAI_KEY)
    server.mind = works
    return server


def test_a_session_is_booked_to_its_account(tmp_path: Path, openai: FakeOpenAI) -> None:
    parties = party_models(tmp_path, openai.address).open("session:abc", one_table())
    assert (parties.providers, parties.witness) == (("openai:gpt-6-luna",), None)
    session = run(parties)
    assert session.usage is not None
    assert session.usage.calls == len(openai.calls) > 3
    spending = read_spending(FolderStore(tmp_path), FixedClock())
    assert spending.reserved_usd == 0
    record = json.loads((tmp_path / "progress/budget.json").read_text(encoding="utf-8"))
    assert record["accounts"]["session:abc"]["spend"]["settled_nanodollars"] == session.usage.nanodollars


@each_case(("account", "cap"), [("session:a", "per_session_usd"), ("exam:a", "per_exam_usd")])
def test_a_spent_cap_ends_the_session_and_is_named(tmp_path: Path, account: str, cap: str) -> None:
    from tests.fakes.openai import FakeOpenAI

    server = FakeOpenAI(vendor="openai")
    server.keys.add(OPENAI_KEY)
    server.mind = works
    try:
        # At these prices a question may cost one cent, and an analysis more than two.
        session = run(party_models(tmp_path, server.address, f"  {cap}: 0.02").open(account, one_table()))
    finally:
        server.stop()
    assert session.status == "failed"
    assert session.audit_trail[-1].reason.startswith("INT_BUDGET_EXHAUSTED: the budget is spent: per_session_usd")
    assert [len(server.calls), session.qa_pairs] == [1, []]


@each_case(
    ("given", "environment", "says"),
    [
        ({}, {"OPENAI": ""}, "line 15: interrogation.detectives[0]: the secret 'OPENAI'"),
        ({}, {"OPENAI": "short"}, "line 15: interrogation.detectives[0]: the secret 'OPENAI' has fewer than 20"),
        ({"prices": "binds_answers: true"}, {}, "line 15: interrogation.detectives[0]: "),
        ({"more": "  witness: local"}, {}, ""),
    ],
)
def test_what_is_missing_is_found_before_the_first_question_with_its_line(
    tmp_path: Path, given: dict[str, str], environment: dict[str, str], says: str
) -> None:
    address = "http://gateway.internal:80/v1"
    found = party_models(tmp_path, address, **{**given, **environment})
    if "prices" in given:
        configured: Any = found.models
        entry = configured.entries["large"].model_copy(update={"name": "unknown-model"})
        models = replace(configured.models, named={**configured.entries, "large": entry})
        found = replace(found, models=replace(configured, models=models))
    if not says:
        assert found.configuration().witness is not None
        return
    with pytest.raises(ConfigurationInvalid) as caught:
        found.open("session:a", one_table())
    assert says in caught.value.message
    assert caught.value.code == "INT_CONFIG_INVALID"


def test_timeouts_are_those_of_the_place_where_a_model_runs(tmp_path: Path) -> None:
    more = "  witness: local\n  cloud_timeout_seconds: 20\n  local_timeout_seconds: 300"
    parties = party_models(tmp_path, more=more).open("session:a", one_table())
    detective: Any = parties.detective
    witness: Any = parties.witness
    assert [each.opened().timeout_seconds for each in detective._chain.links] == [20]
    assert [each.opened().timeout_seconds for each in witness._chain.links] == [300]
    assert parties.providers == ("openai:gpt-6-luna", "ollama:qwen3")
    assert parties.step_seconds == 20 + 300 + 20 + 20  # the last for reading the documentation


def test_nothing_of_a_database_described_by_rules_is_within_the_scope_of_a_session(tmp_path: Path) -> None:
    found = party_models(tmp_path)
    asked = Scope(frozenset({"shop", "hr"}), frozenset({("hr", "public"), ("lab", "public")}))
    parties: Any = found.open("session:a", one_table(asked))
    narrowed = Scope(frozenset({"shop"}), frozenset({("lab", "public")}))
    assert (parties.scope, parties.detective._resolve.__self__.caller.scope) == (narrowed, narrowed)
    # Without a manifest nothing is documented, and nothing may be seen.
    assert found.sendable(EVERYTHING) == Scope(frozenset())


@each_case(
    ("scope", "expected"),
    [
        (EVERYTHING, Scope(frozenset({"shop", "lab"}))),
        (Scope(frozenset({"hr"})), Scope(frozenset())),
        (Scope(None, frozenset({("hr", "public")})), Scope(None, frozenset())),
        (Scope(frozenset({"shop"})), Scope(frozenset({"shop"}))),
    ],
)
def test_a_scope_without_databases_never_becomes_everything(scope: Scope, expected: Scope) -> None:
    assert without_databases(scope, ["hr", "shop", "lab"], lambda name: name == "hr") == expected
    assert not expected.allows("hr", "public")


def test_a_quote_grows_with_questions_and_iterations_and_sends_nothing(tmp_path: Path, openai: FakeOpenAI) -> None:
    found = party_models(tmp_path, openai.address, "  witness: local")
    one, more = found.quote(1, 5), found.quote(100, 5)
    assert one.calls == 5 * 3 + 1
    assert (more.calls, more.nanodollars) == (100 * one.calls, 100 * one.nanodollars)
    assert found.quote(1, 10).nanodollars > 2 * one.nanodollars > 0
    assert openai.calls == []
    # What a session that asks as often costs is less than twice of that, and not much less than half.
    actual = run(
        replace(found, section=found.section.model_copy(update={"witness": None})).open("session:a", one_table())
    )
    assert actual.usage is not None
    per_call = actual.usage.nanodollars / actual.usage.calls
    quoted = found.quote(1, 5)
    assert per_call < 3 * quoted.nanodollars / quoted.calls


def test_a_file_of_the_project_replaces_the_prompt_of_the_analysis(tmp_path: Path, openai: FakeOpenAI) -> None:
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts/detective_analysis.md").write_text("Judge it our way.", encoding="utf-8")
    (tmp_path / "prompts/table.md").write_text("{{table}}", encoding="utf-8")
    run(party_models(tmp_path, openai.address).open("session:a", one_table()))
    systems = {message["content"] for call in openai.calls for message in call.body["messages"][:1]}
    assert [system for system in systems if system.startswith("Judge it our way.")]


def test_the_shipped_analysis_prompt_has_the_sentence_of_the_specification(tmp_path: Path, openai: FakeOpenAI) -> None:
    run(party_models(tmp_path, openai.address).open("session:a", one_table()))
    wanted = "Analyze this answer for gaps. List missing facts, ambiguities, inconsistencies."
    assert [call for call in openai.calls if wanted in call.body["messages"][0]["content"]]


def test_an_environment_names_models_spending_and_section_in_variables() -> None:
    models = {"large": {"provider": "bedrock", "name": "anthropic.claude-haiku-5-5", "region": "eu-central-1"}}
    values: Mapping[str, str] = {
        "AWS_REGION": "eu-central-1",
        "TRIBAL_STORE": "s3://bucket/main",
        "TRIBAL_MODELS": json.dumps(models),
        "TRIBAL_SPENDING": '{"per_day_usd": 7}',
        "TRIBAL_INTERROGATION": '{"detectives": ["large"]}',
    }
    deployment = load_deployment(values)
    assert deployment.per_day_usd == 7
    store: Provider[Any] = Provider(lambda: None)
    secrets: Provider[Any] = Provider(lambda: EnvironmentSecrets({}, None))
    options: Provider[Any] = Provider(lambda: None)
    models_of = Models(
        options,
        store,
        secrets,
        SystemClock(None),
        dict,
        "",
        "",
        deployment.region,
        deployment.models,
        deployment.per_day_usd,
    )
    configured: Any = ConfiguredModels(models_of, no_text)
    found = built_party_models(deployment.sections, configured, store, place_in_environment)
    assert found is not None
    assert [(each.provider, each.api_key) for each in found().configuration().detectives] == [("anthropic", None)]
    broken = replace(configured, models=replace(models_of, named={}))
    missing = built_party_models(deployment.sections, broken, store, place_in_environment)
    assert missing is not None
    with pytest.raises(ConfigurationInvalid, match=r"interrogation\.detectives\[0\] in the environment file: 'large'"):
        missing().configuration()
    assert built_party_models({}, configured, store, place_in_environment) is None


def test_opening_the_parties_loads_no_sdk(tmp_path: Path) -> None:
    script = tmp_path / "opens.py"
    script.write_text(
        "import sys\n"
        "from pathlib import Path\n"
        "from tribal.app.local import local_application\n"
        "from tribal.answering.documentation import Documentation\n"
        "from tribal.capabilities.interrogation.parts import InterrogationParts\n"
        "from tribal.ports import Caller\n"
        "from tribal.settings import load_settings\n"
        "settings = load_settings(project=Path(sys.argv[1]), environment={'OPENAI': 'x' * 40}, needs_databases=False)\n"
        "app = local_application(settings)\n"
        "parts = app.part(InterrogationParts)\n"
        "parts.parties('session:a', Documentation(Caller('ada'), app)).close()\n"
        "print([name for name in ('openai', 'anthropic', 'boto3') if name in sys.modules])\n",
        encoding="utf-8",
    )
    party_models(tmp_path)
    ran = subprocess.run([sys.executable, script, tmp_path], capture_output=True, text=True, check=False)
    assert ran.stdout.strip() == "[]", ran.stderr
