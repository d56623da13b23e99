"""What the synthesised templates hold of decisions and policies."""

from __future__ import annotations

import json
from typing import Literal, get_args, get_origin

import pytest

from functions.syncer import handler as syncer
from infra.knowledge import Knowledge
from tests.infra.synthesis import BEHIND_THE_API, Template
from tests.infra.test_templates import LAMBDA
from tribal.settings.deployment import load_deployment
from tribal_contracts import KnowledgeSettings, SyncSettings

pytestmark = pytest.mark.xdist_group("infra")


def test_functions_behind_the_api_know_of_knowledge_where_the_environment_has_it(template: Template) -> None:
    knowledge = template.environment.knowledge
    for each in template.of_type(LAMBDA).values():
        variables, package = (
            each["Environment"]["Variables"],
            each["Environment"]["Variables"]["POWERTOOLS_SERVICE_NAME"],
        )
        told = knowledge is not None and package in {*BEHIND_THE_API, "mcp"}
        assert ("TRIBAL_KNOWLEDGE" in variables, "TRIBAL_SYNC_STALE_HOURS" in variables) == (told, told)
        if told:
            assert knowledge is not None
            deployment = load_deployment({"TRIBAL_STORE": "s3://bucket", "AWS_REGION": "x", **plain(variables)})
            own = knowledge.model_dump(exclude={"schedule", "stale_hours"}, exclude_none=True)
            assert deployment.sections["knowledge"] == KnowledgeSettings.model_validate(own)
            assert deployment.sync_stale_hours == knowledge.stale_hours


def plain(variables: dict[str, object]) -> dict[str, str]:
    """The variables of knowledge, which are text."""
    return {name: str(variables[name]) for name in ("TRIBAL_KNOWLEDGE", "TRIBAL_SYNC_STALE_HOURS")}


def test_the_part_knowledge_has_the_keys_that_databases_yaml_has() -> None:
    here = {name: field for name, field in Knowledge.model_fields.items() if name != "schedule"}
    there = KnowledgeSettings.model_fields | SyncSettings.model_fields
    assert here.keys() == there.keys()
    for name, field in there.items():
        assert here[name].get_default() == field.get_default(), name
        assert {*literals(here[name].annotation)} == {*literals(field.annotation)}, name
    assert here["stale_hours"].metadata == there["stale_hours"].metadata
    assert here["folder"].metadata == there["folder"].metadata


def literals(annotation: object) -> list[str]:
    """The texts that a field admits, if it lists them."""
    if get_origin(annotation) is Literal:
        return [str(each) for each in get_args(annotation)]
    return [text for part in get_args(annotation) for text in literals(part)]


def test_decisions_are_synced_by_a_schedule_that_the_syncer_knows(template: Template) -> None:
    found = [each for each in template.of_type("AWS::Scheduler::Schedule").values() if each["Name"].endswith("-sync")]
    knowledge = template.environment.knowledge
    if knowledge is None:
        assert found == []
        return
    (schedule,) = found
    assert schedule["ScheduleExpression"] == knowledge.schedule.expression
    assert schedule["State"] == ("ENABLED" if knowledge.schedule.enabled else "DISABLED")
    assert {*json.loads(schedule["Target"]["Input"])} == {syncer.SCHEDULED}
    assert schedule["Target"]["Arn"]["Fn::GetAtt"][0].startswith("ApiSyncerFunction")


def test_syncs_that_fail_or_do_not_happen_and_faults_of_checks_raise_alarms(template: Template) -> None:
    alarms = {
        alarm["AlarmName"].removeprefix(f"{template.environment.prefix}-"): alarm
        for alarm in template.of_type("AWS::CloudWatch::Alarm").values()
    }
    knowledge = template.environment.knowledge
    told = {"sync-failed", "sync-items-failed", "check-faults"} & alarms.keys()
    assert len(told) == (0 if knowledge is None else 3)
    assert ("sync-missing" in alarms) == (knowledge is not None and knowledge.schedule.enabled)
    if "sync-missing" in alarms:
        assert knowledge is not None
        missing = alarms["sync-missing"]
        assert (missing["Period"], missing["TreatMissingData"]) == (3600, "breaching")
        assert missing["EvaluationPeriods"] == min(knowledge.stale_hours, 168)


def test_an_alarm_waits_for_whole_hours_and_no_longer_than_cloudwatch_looks_back() -> None:
    part = Knowledge(repository="https://a.example.com/b")
    told = [part.model_copy(update={"stale_hours": hours}).alarm_hours for hours in (0.1, 2.5, 5_000)]
    assert told == [1, 3, 168]
