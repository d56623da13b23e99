"""What the synthesised templates hold of contribution: who prepares, who publishes, and what neither may do."""

from __future__ import annotations

import json

import pytest

from functions.contribution import handler
from tests.infra.synthesis import CONTRIBUTING, OF_CONTRIBUTION, Assembly, Template
from tests.infra.test_chat_template import actions_of, keys
from tests.infra.test_interrogation_template import variables_of
from tests.infra.test_run_definition import definitions, states
from tests.infra.test_templates import LAMBDA
from tribal.settings.deployment import load_deployment
from tribal_contracts.contribution.cycles import ContributionTask
from tribal_contracts.contribution.settings import ContributionSettings

pytestmark = pytest.mark.xdist_group("infra")

STATE = {"contribution/*", "progress/leases/contribution.json"}
OF_MODELS = {"config/*", "progress/budget.json"}


@pytest.fixture(name="contributing")
def contributing_fixture(assembly: Assembly) -> Template:
    return assembly.templates["contributing"]


def secrets_of(template: Template, function: str) -> set[str]:
    """The names of the secrets that a function may read, but models' keys."""
    found = actions_of(template, f"Api{function}Role").get("secretsmanager:GetSecretValue", set())
    return {each.partition(":secret:")[2].removesuffix("-??????") for each in found} - {"tribal/openai/key"}


def test_its_functions_are_deployed_where_an_environment_names_repositories(template: Template) -> None:
    names = {each["Environment"]["Variables"]["POWERTOOLS_SERVICE_NAME"] for each in template.of_type(LAMBDA).values()}
    has_contribution = template.environment.name == "contributing"
    assert names & OF_CONTRIBUTION == (OF_CONTRIBUTION if has_contribution else set())
    assert {"preparation", "publication"} & definitions(template).keys() == (
        {"preparation", "publication"} if has_contribution else set()
    )


def test_the_publisher_alone_reads_what_writes_to_repositories(contributing: Template) -> None:
    assert secrets_of(contributing, "Contributor") == {"tribal/shop/read"}
    assert secrets_of(contributing, "Publisher") == {"tribal/shop/read", "tribal/shop/write", "tribal/shop/app"}
    others = {
        name for name, each in contributing.of_type("AWS::IAM::Role").items() if "tribal/shop" in json.dumps(each)
    }
    assert {name.partition("Role")[0] for name in others} == {"ApiContributor", "ApiPublisher"}


def test_the_contributor_alone_asks_a_model(contributing: Template) -> None:
    given = {name: "TRIBAL_MODELS" in variables_of(contributing, name) for name in OF_CONTRIBUTION}
    assert given == {"contributor": True, "publisher": False}
    asking = {
        name.partition("Role")[0]
        for name, each in contributing.of_type("AWS::IAM::Role").items()
        if "tribal/openai/key" in json.dumps(each) or "bedrock" in json.dumps(each)
    }
    assert asking == {"ApiContributor"}


def test_both_write_contributions_and_nothing_else(contributing: Template) -> None:
    contributor, publisher = (actions_of(contributing, f"Api{name}Role") for name in ("Contributor", "Publisher"))
    assert keys(contributor["s3:PutObject"]) == {*STATE, "progress/budget.json"}
    assert keys(publisher["s3:PutObject"]) == STATE
    assert keys(contributor["s3:DeleteObject"]) == keys(publisher["s3:DeleteObject"]) == {"contribution/*"}
    read = {"annotations/*", "catalog/*", "docs/*", "sessions/open-gaps.json"}
    assert keys(contributor["s3:GetObject"]) == STATE | OF_MODELS | read
    assert keys(publisher["s3:GetObject"]) == {*STATE, "catalog/*"}


def test_each_starts_its_own_state_machine_which_calls_no_other_function(contributing: Template) -> None:
    for function, machine in (("Contributor", "preparation"), ("Publisher", "publication")):
        (started,) = actions_of(contributing, f"Api{function}Role")["states:StartExecution"]
        assert started.endswith(f":stateMachine:tribal-contributing-{machine}")
        assert variables_of(contributing, function.lower())["TRIBAL_STATE_MACHINE"] == started
        (called,) = actions_of(contributing, f"{function}MachineRole")["lambda:InvokeFunction"]
        assert called.startswith(f"<Api{function}Function")
        definition = definitions(contributing)[machine]
        (call,) = [state for _, state in states(definition) if state["Type"] == "Task"]
        assert {name.removesuffix(".$") for name in call["Parameters"]} == {*ContributionTask.model_fields}


def test_one_schedule_of_the_section_calls_both(contributing: Template) -> None:
    found = {
        each["Name"].removeprefix("tribal-contributing-"): each
        for each in contributing.of_type("AWS::Scheduler::Schedule").values()
    }
    for name, function in (("contribute", "Contributor"), ("publish", "Publisher")):
        assert found[name]["ScheduleExpression"] == "rate(2 hours)"
        assert found[name]["Target"]["Arn"]["Fn::GetAtt"][0].startswith(f"Api{function}Function")
        event = json.loads(found[name]["Target"]["Input"])
        assert event == {handler.SCHEDULED: "<aws.scheduler.scheduled-time>", handler.PREPARE: True}


def test_functions_get_the_section_as_databases_yaml_has_it(contributing: Template) -> None:
    assert CONTRIBUTING.contribution is not None
    for function in ("contributor", "publisher", "retriever", "mcp"):
        variables = {"TRIBAL_CONTRIBUTION": variables_of(contributing, function)["TRIBAL_CONTRIBUTION"]}
        section = load_deployment({"TRIBAL_STORE": "s3://bucket", "AWS_REGION": "x", **variables}).sections
        own = CONTRIBUTING.contribution.model_dump(include={*ContributionSettings.model_fields})
        assert section["contribution"] == ContributionSettings.model_validate(own)


def test_failures_and_silence_raise_alarms(contributing: Template) -> None:
    prefix = contributing.environment.prefix
    alarms = {
        alarm["AlarmName"].removeprefix(f"{prefix}-"): alarm
        for alarm in contributing.of_type("AWS::CloudWatch::Alarm").values()
    }
    expected = {"contributions-failed", "publishing-failed", "contributions-stuck", "contribution-faults"}
    assert expected <= alarms.keys()
    silent = alarms["contributions-not-followed"]
    assert (silent["EvaluationPeriods"], silent["TreatMissingData"]) == (24, "breaching")
