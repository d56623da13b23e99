"""An environment with a model: who gets its layer, its settings and the right to ask it, and that no one else does."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from infra.environment import Environment
from infra.model import Model, ModelPrice
from tests.cases import each_case
from tests.infra.synthesis import CLAUDE, Assembly, Template
from tests.infra.test_roles import listed, statements
from tribal.settings.deployment import load_deployment
from tribal_contracts import ModelPrice as PriceContract
from tribal_contracts import ModelSettings

pytestmark = pytest.mark.xdist_group("infra")

LAMBDA = "AWS::Lambda::Function"
ASKED = ["claude", "bedrock", "profile"]
ANTHROPIC = {"provider": "anthropic", "name": "claude-haiku-5-5", "api_key_secret": "claude"}
BEDROCK = {"provider": "bedrock", "name": "anthropic.claude-haiku-5-5"}
PRICE = {"input_usd": 1, "output_usd": 5}


def taken(kind: type[BaseModel], part: dict[str, Any]) -> bool:
    try:
        kind.model_validate(part)
    except ValidationError:
        return False
    return True


@pytest.mark.parametrize(("mine", "theirs"), [(Model, ModelSettings), (ModelPrice, PriceContract)])
def test_the_part_has_the_keys_and_defaults_that_it_has_in_databases_yaml(
    mine: type[BaseModel], theirs: type[BaseModel]
) -> None:
    def defaults(kind: type[BaseModel]) -> dict[str, object]:
        return {name: field.get_default(call_default_factory=True) for name, field in kind.model_fields.items()}

    assert defaults(mine) == defaults(theirs)


@each_case(
    ("part", "right"),
    [
        (ANTHROPIC, True),
        (BEDROCK, True),
        (BEDROCK | {"endpoint": "runtime", "region": "eu-west-1"}, True),
        (ANTHROPIC | {"price": PRICE | {"effort": "low", "thinking": "disabled"}, "terms": {"SLA": "x"}}, True),
        (ANTHROPIC | {"calls_at_once": 500, "call_timeout_seconds": 300, "language": "Deutsch"}, True),
        ({}, False),
        ({"provider": "anthropic", "name": "x"}, False),
        (ANTHROPIC | {"provider": "openai"}, False),
        (ANTHROPIC | {"name": ""}, False),
        (ANTHROPIC | {"name": "x" * 201}, False),
        (ANTHROPIC | {"api_key_secret": ""}, False),
        (ANTHROPIC | {"region": "eu-west-1"}, False),
        (ANTHROPIC | {"endpoint": "runtime"}, False),
        (ANTHROPIC | {"temperature": 1}, False),
        (BEDROCK | {"api_key_secret": "x"}, False),
        (BEDROCK | {"region": ""}, False),
        (BEDROCK | {"endpoint": "converse"}, False),
        (BEDROCK | {"calls_at_once": 0}, False),
        (BEDROCK | {"calls_at_once": 501}, False),
        (BEDROCK | {"per_run_usd": 0}, False),
        (BEDROCK | {"per_day_usd": 1_000_001}, False),
        (BEDROCK | {"call_timeout_seconds": 301}, False),
        (BEDROCK | {"language": "{{x}}"}, False),
        (BEDROCK | {"language": "x" * 61}, False),
        (BEDROCK | {"terms": {"": "x"}}, False),
        (BEDROCK | {"terms": {"x" * 81: "x"}}, False),
        (BEDROCK | {"terms": {"x": "x" * 401}}, False),
        (BEDROCK | {"terms": {str(number): "x" for number in range(201)}}, False),
        (BEDROCK | {"price": {"input_usd": 1}}, False),
        (BEDROCK | {"price": PRICE | {"input_usd": 0}}, False),
        (BEDROCK | {"price": PRICE | {"effort": "most"}}, False),
        (BEDROCK | {"price": PRICE | {"thinking": "enabled"}}, False),
        (BEDROCK | {"price": PRICE | {"smallest_cached_prefix": -1}}, False),
    ],
)
def test_environments_and_databases_yaml_accept_and_refuse_the_same(part: dict[str, Any], right: bool) -> None:
    assert (taken(Model, part), taken(ModelSettings, part)) == (right, right)


@pytest.mark.parametrize("name", ASKED)
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
    model = template.environment.model
    assert model is not None
    assert deployed.model == ModelSettings.model_validate(model.model_dump(exclude_none=True))


def test_without_a_model_nothing_of_it_is_deployed(assembly: Assembly) -> None:
    for template in assembly.templates.values():
        if template.environment.name not in ASKED:
            text = template.path.read_text(encoding="utf-8")
            assert not [word for word in ("TRIBAL_MODEL", "deps-model", "prose/*", "bedrock") if word in text]


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


def test_documenter_and_finisher_alone_read_the_key_of_anthropic(assembly: Assembly) -> None:
    key = {
        "actions": ["secretsmanager:GetSecretValue"],
        "resources": [
            "arn:<AWS::Partition>:secretsmanager:<AWS::Region>:<AWS::AccountId>:secret:tribal/claude/key-??????"
        ],
    }
    assert rights(assembly.templates["claude"], "secretsmanager", "bedrock", "bedrock-mantle") == {
        "Documenter": [key],
        "Finisher": [key],
    }


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
        assert {*direct["actions"], *behind["actions"]} == {"bedrock:InvokeModel"}


@pytest.mark.parametrize("name", ASKED)
def test_prose_is_written_by_those_who_ask_and_read_by_the_planner_too(assembly: Assembly, name: str) -> None:
    template = assembly.templates[name]
    found: dict[str, set[str]] = {}
    for role, statement in statements(template):
        for resource in listed(statement["Resource"]):
            if template.flat(resource).endswith("/prose/*"):
                found.setdefault(role.removeprefix("Pipeline")[:8], set()).update(listed(statement["Action"]))
    assert found == {
        "Planner" + ("d" if name == "claude" else "o"): {"s3:GetObject"},
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

    assert read("claude") - read("dev") == {"config/*", "prose/*"}
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
