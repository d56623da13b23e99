"""An environment with a model: who gets its layer, its settings and the right to ask it, and that no one else does."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import ValidationError

from infra.environment import Environment
from infra.model import obstacles_of
from tests.cases import each_case
from tests.infra.synthesis import CLAUDE, OPENAI, Assembly, Template
from tests.infra.test_roles import listed, statements
from tribal.settings.deployment import load_deployment
from tribal_contracts import ModelSettings

pytestmark = pytest.mark.xdist_group("infra")

LAMBDA = "AWS::Lambda::Function"
ASKED = ["claude", "bedrock", "profile", "openai"]


@each_case("name", ASKED)
def test_the_run_gets_the_model_of_the_environments_file(assembly: Assembly, name: str) -> None:
    template = assembly.templates[name]
    told = {
        each["Environment"]["Variables"]["POWERTOOLS_SERVICE_NAME"]: each["Environment"]["Variables"]["TRIBAL_MODEL"]
        for each in template.of_type(LAMBDA).values()
        if "TRIBAL_MODEL" in each["Environment"]["Variables"]
    }
    assert set(told) == {"planner", "documenter", "finisher"}
    (text,) = set(told.values())
    deployed = load_deployment({"AWS_REGION": "eu-central-1", "TRIBAL_STORE": "s3://bucket", "TRIBAL_MODEL": text})
    assert deployed.model == template.environment.active_model is not None


def test_a_named_model_has_the_keys_of_its_entry_and_the_caps_of_the_sections() -> None:
    model = OPENAI.active_model
    assert model is not None
    assert (model.provider, model.name, model.per_run_usd, model.per_day_usd) == ("openai", "gpt-6-luna", 3, 7)
    content = OPENAI.model_dump(mode="json", exclude_unset=True)
    for model_section, problem in (
        ({"use": "smal"}, "'smal' is not under `models`; did you mean 'small'?"),
        ({"use": "small", "per_day_usd": 1}, "older spelling of spending.per_day_usd"),
    ):
        with pytest.raises(ValidationError, match=problem):
            Environment.model_validate(content | {"model": model_section})


def test_a_server_on_the_functions_own_machine_is_an_obstacle() -> None:
    assert obstacles_of(ModelSettings(provider="ollama", name="qwen3:14b"))
    assert not obstacles_of(ModelSettings(provider="ollama", name="qwen3:14b", base_url="http://ollama.internal:11434"))


def test_without_a_model_nothing_of_it_is_deployed(assembly: Assembly) -> None:
    for template in assembly.templates.values():
        if template.environment.name not in (*ASKED, "detectives", "chatting", "contributing"):
            text = template.path.read_text(encoding="utf-8")
            assert not [
                word for word in ("TRIBAL_MODEL", "deps-model", "deps-openai", "prose/*", "bedrock") if word in text
            ]


def test_a_model_is_switched_off_by_one_word_and_by_that_alone() -> None:
    content = CLAUDE.model_dump(mode="json", exclude_unset=True)
    assert Environment.model_validate(content).active_model is not None
    assert Environment.model_validate(content | {"describer": "model"}).active_model is not None
    assert Environment.model_validate(content | {"describer": "rules"}).active_model is None


def rights(template: Template, *services: str) -> dict[str, list[dict[str, Any]]]:
    """The statements of each role about services, without those about secrets of databases."""
    found: dict[str, list[dict[str, Any]]] = {}
    for name, statement in statements(template):
        actions = listed(statement["Action"])
        if any(action.split(":")[0] in services for action in actions) and statement["Sid"] != "ReadSecrets":
            shown = {
                "actions": actions,
                "resources": [template.flat(each) for each in listed(statement["Resource"])],
                **({"only": statement["Condition"]} if "Condition" in statement else {}),
            }
            role = next(each for each in ("Planner", "Documenter", "Finisher", "Retriever", "Indexer") if each in name)
            found.setdefault(role, []).append(shown)
    return found


@each_case("name", ["claude", "openai"])
def test_documenter_and_finisher_alone_read_the_key_of_the_model_that_they_ask(assembly: Assembly, name: str) -> None:
    key = {
        "actions": ["secretsmanager:GetSecretValue"],
        "resources": [
            f"arn:<AWS::Partition>:secretsmanager:<AWS::Region>:<AWS::AccountId>:secret:tribal/{name}/key-??????"
        ],
    }
    assert rights(assembly.templates[name], "secretsmanager", "bedrock", "bedrock-mantle") == {
        "Documenter": [key],
        "Finisher": [key],
    }


@each_case(("name", "layer"), [("claude", "deps-model"), ("openai", "deps-openai")])
def test_an_environment_has_the_sdk_of_its_model_alone(assembly: Assembly, name: str, layer: str) -> None:
    layers = assembly.templates[name].of_type("AWS::Lambda::LayerVersion").values()
    names = {each["LayerName"].removeprefix(f"{name}-").removeprefix(f"tribal-{name}-") for each in layers}
    assert (
        {each for each in names if each.endswith(("deps-model", "deps-openai"))}
        == {each for each in names if each.endswith(layer)}
        != set()
    )


def test_on_bedrock_they_may_ask_the_configured_model_alone_where_it_is(assembly: Assembly) -> None:
    ask = {
        "actions": ["bedrock-mantle:CreateInference"],
        "resources": ["arn:<AWS::Partition>:bedrock-mantle:eu-west-1:111122223333:project/default"],
        "only": {"StringEquals": {"bedrock-mantle:Model": "anthropic.claude-haiku-5-5"}},
    }
    assert rights(assembly.templates["bedrock"], "secretsmanager", "bedrock", "bedrock-mantle") == {
        "Documenter": [ask],
        "Finisher": [ask],
    }


def test_behind_an_inference_profile_its_model_may_be_asked_through_that_profile_alone(assembly: Assembly) -> None:
    found = rights(assembly.templates["profile"], "bedrock", "bedrock-mantle")
    assert set(found) == {"Documenter", "Finisher"}
    for direct, behind in found.values():
        (profile,) = direct["resources"]
        assert profile.endswith(
            ":bedrock:eu-central-1:111122223333:inference-profile/eu.anthropic.claude-haiku-4-5-v1:0"
        )
        assert behind["resources"] == [
            "arn:<AWS::Partition>:bedrock:*::foundation-model/anthropic.claude-haiku-4-5-v1:0"
        ]
        assert list(behind["only"]["StringEquals"]) == ["bedrock:InferenceProfileArn"]
        for each in (direct, behind):
            assert each["actions"] == ["bedrock:InvokeModel", "bedrock:InvokeModelWithResponseStream"]


@each_case("name", ASKED)
def test_prose_is_written_by_those_who_ask_and_read_by_the_planner_too(assembly: Assembly, name: str) -> None:
    template = assembly.templates[name]
    found: dict[str, set[str]] = {}
    for role, statement in statements(template):
        for resource in listed(statement["Resource"]):
            if template.flat(resource).endswith("/prose/*"):
                found.setdefault(role.removeprefix("Pipeline")[:8], set()).update(listed(statement["Action"]))
    assert found == {
        "Planner" + ("d" if name in ("claude", "openai") else "o"): {"s3:GetObject"},
        "Document": {"s3:GetObject", "s3:PutObject"},
        "Finisher": {"s3:GetObject", "s3:PutObject"},
    }


def test_the_finisher_reads_which_databases_are_kept_from_the_model(assembly: Assembly) -> None:
    def read(name: str) -> set[str]:
        template = assembly.templates[name]
        return {
            template.flat(resource).partition(">/")[2]
            for role, statement in statements(template)
            for resource in listed(statement["Resource"])
            if "Finisher" in role and statement["Sid"] == "ReadObjects"
        }

    assert read("claude") - read("dev") == {"prose/*"}
    (finisher,) = (
        each["Environment"]["Variables"]
        for each in assembly.templates["claude"].of_type(LAMBDA).values()
        if "finisher" in each["Handler"]
    )
    assert (finisher["TRIBAL_CONFIG_VARIABLES"], finisher["COMPANY"]) == ("COMPANY", "Example")


def test_a_vpc_reaches_bedrock_through_endpoints_of_its_own(assembly: Assembly) -> None:
    template = assembly.templates["bedrock"]
    endpoints = template.of_type("AWS::EC2::VPCEndpoint").values()
    assert sorted(template.flat(each["ServiceName"]) for each in endpoints) == [
        "com.amazonaws.eu-central-1.bedrock-mantle",
        "com.amazonaws.eu-central-1.bedrock-runtime",
    ]
    assert all(each["PrivateDnsEnabled"] for each in endpoints)


def test_the_variables_of_a_function_stay_below_what_lambda_takes(assembly: Assembly) -> None:
    for name in ASKED:
        for each in assembly.templates[name].of_type(LAMBDA).values():
            assert len(json.dumps(each["Environment"]["Variables"])) < 4_096
