"""What the synthesised templates hold of interrogation, with and without models."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.infra.synthesis import DETECTIVES, Assembly, Template
from tests.infra.test_roles import listed, objects_of, statements
from tests.infra.test_run_definition import definitions, states
from tests.infra.test_templates import LAMBDA
from tribal.settings.deployment import load_deployment
from tribal_contracts.interrogation.tasks import InterrogationTask

pytestmark = pytest.mark.xdist_group("infra")

SNAPSHOT = {"knowledge/manifest.json", "knowledge/projections/*"}
OF_MODELS = {"config/*", "catalog/databases.json", "progress/budget.json"}


def variables_of(template: Template, function: str) -> dict[str, Any]:
    (found,) = (
        each["Environment"]["Variables"]
        for each in template.of_type(LAMBDA).values()
        if each["Environment"]["Variables"]["POWERTOOLS_SERVICE_NAME"] == function
    )
    return {name: value if isinstance(value, str) else template.flat(value) for name, value in found.items()}


def test_the_interrogator_reads_what_it_answers_from_and_writes_sessions_and_what_models_cost(
    template: Template,
) -> None:
    environment = template.environment
    in_files = environment.index == "sqlite"
    read = {"docs/definitions.json", "sessions/*"} | (SNAPSHOT if environment.knowledge else set())
    read |= {"data/*", *(["memory/*"] if environment.memory else [])} if in_files else set()
    has_models = environment.name == "detectives"
    assert objects_of(template, "Interrogator", "s3:GetObject") == read | (OF_MODELS if has_models else set())
    written = {"sessions/*"} | ({"progress/budget.json"} if has_models else set())
    assert objects_of(template, "Interrogator", "s3:PutObject") == written
    assert objects_of(template, "Interrogator", "s3:DeleteObject") == {"sessions/*"}


def test_nothing_else_may_touch_sessions(template: Template) -> None:
    touching = {
        name.partition("Role")[0]
        for name, statement in statements(template)
        for resource in listed(statement["Resource"])
        if "/sessions" in template.flat(resource) and not template.flat(resource).endswith("/open-gaps.json")
    }
    assert touching == {"ApiInterrogator"}


def test_it_asks_the_models_that_the_section_names_alone(assembly: Assembly) -> None:
    template = assembly.templates["detectives"]
    found = {
        statement["Sid"]: ([template.flat(each) for each in listed(statement["Resource"])], statement.get("Condition"))
        for name, statement in statements(template)
        if name.startswith("ApiInterrogatorRole") and statement["Sid"].startswith(("ReadModelKey", "AskModel"))
    }
    secret = "arn:<AWS::Partition>:secretsmanager:eu-central-1:111122223333:secret:tribal/openai/key-??????"
    project = "arn:<AWS::Partition>:bedrock-mantle:eu-central-1:111122223333:project/default"
    only = {"StringEquals": {"bedrock-mantle:Model": "anthropic.claude-haiku-5-5"}}
    assert found == {"ReadModelKey1": ([secret], None), "AskModel2": ([project], only)}
    asking = {
        name.partition("Role")[0]
        for name, statement in statements(template)
        for action in listed(statement["Action"])
        if action.startswith(("secretsmanager", "bedrock")) and statement["Sid"] != "ReadSecrets"
    }
    assert asking == {"ApiInterrogator"}


def test_models_and_their_caps_are_given_to_the_interrogator_alone(assembly: Assembly) -> None:
    template = assembly.templates["detectives"]
    variables = variables_of(template, "interrogator")
    deployment = load_deployment({**variables, "AWS_REGION": "eu-central-1", "TRIBAL_STORE": "s3://bucket"})
    assert (sorted(deployment.models), deployment.per_day_usd) == (["claude", "own", "small"], 7)
    assert deployment.models == {name: DETECTIVES.models[name] for name in deployment.models}
    machine = "arn:<AWS::Partition>:states:eu-central-1:111122223333:stateMachine:tribal-detectives-interrogation"
    assert deployment.state_machine == machine
    given = ("TRIBAL_MODELS", "TRIBAL_SPENDING", "TRIBAL_STATE_MACHINE")
    for each in template.of_type(LAMBDA).values():
        own = each["Environment"]["Variables"]
        told = own["POWERTOOLS_SERVICE_NAME"] == "interrogator"
        assert [name in own for name in given] == [told] * 3
        assert len(json.dumps(own)) < 4_096


def test_the_functions_behind_the_api_know_who_asks_and_which_rights_signers_have(assembly: Assembly) -> None:
    for function in ("retriever", "interrogator", "mcp", "memory"):
        variables = variables_of(assembly.templates["detectives"], function)
        assert json.loads(variables["TRIBAL_INTERROGATION"])["detectives"] == ["small", "claude"]
        assert variables["TRIBAL_IAM_RIGHTS"] == "interrogation:start"
        plain = variables_of(assembly.templates["inside"], function)
        assert not {"TRIBAL_INTERROGATION", "TRIBAL_IAM_RIGHTS", "TRIBAL_MODELS"} & plain.keys()


def test_a_state_machine_runs_sessions_where_models_take_part_in_them(template: Template) -> None:
    machines = definitions(template)
    assert ("interrogation" in machines) == (template.environment.name == "detectives")
    starting = [
        name
        for name, statement in statements(template)
        if statement["Sid"] == "StartMachine" and template.flat(statement["Resource"]).endswith("-interrogation")
    ]
    assert len(starting) == ("interrogation" in machines)
    assert all(name.startswith("ApiInterrogatorRole") for name in starting)
    if "interrogation" not in machines:
        return
    definition = machines["interrogation"]
    (call,) = [state for _, state in states(definition) if state["Type"] == "Task"]
    assert {name.removesuffix(".$") for name in call["Parameters"]} == {*InterrogationTask.model_fields}
    assert call["TimeoutSeconds"] == 900 + 30
    assert definition["TimeoutSeconds"] == 12 * 3600
    role = {name.partition("Role")[0] for name, each in statements(template) if each["Sid"] == "CallFunction"}
    assert role == {"InterrogatorMachine"}


def test_failed_and_stuck_sessions_raise_alarms(template: Template) -> None:
    names = {
        alarm["AlarmName"].removeprefix(f"{template.environment.prefix}-")
        for alarm in template.of_type("AWS::CloudWatch::Alarm").values()
    }
    of_models = {"sessions-failed", "sessions-stuck"} if template.environment.name == "detectives" else set()
    assert names & {"interrogation-faults", "sessions-failed", "sessions-stuck"} == {"interrogation-faults", *of_models}
