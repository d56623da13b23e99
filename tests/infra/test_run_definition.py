"""What is written in the state machine of a documentation run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from infra.stacks.looping import LAMBDA_ERRORS, NEVER_RETRIED, RETRYABLE_ERRORS
from tests.infra.synthesis import Template
from tribal.errors import ForgeRateLimited, ForgeUnreachable, MemoryRefused, SourceFailed, TribalError

pytestmark = pytest.mark.xdist_group("infra")


def definitions(template: Template) -> dict[str, dict[str, Any]]:
    """The state machines of an environment, by name."""
    return {
        machine["StateMachineName"].removeprefix(f"{template.environment.prefix}-"): json.loads(
            template.flat(machine["DefinitionString"])
        )
        for machine in template.of_type("AWS::StepFunctions::StateMachine").values()
    }


def states(definition: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every state, those of maps and branches included."""
    for name, state in definition["States"].items():
        yield name, state
        for inner in [*state.get("Branches", ()), *filter(None, [state.get("ItemProcessor")])]:
            yield from states(inner)


def kinds(root: type[TribalError]) -> Iterator[type[TribalError]]:
    """A class and all that derive from it."""
    yield root
    for kind in root.__subclasses__():
        yield from kinds(kind)


def test_the_errors_that_are_tried_again_are_those_that_our_table_calls_retryable() -> None:
    ours = [kind for kind in kinds(TribalError) if kind.__module__ in ("tribal.errors.base", "tribal.errors.kinds")]
    # Memory, sources of decisions and contributions are not used in a run.
    others = MemoryRefused | SourceFailed | ForgeUnreachable | ForgeRateLimited
    of_runs = [kind for kind in ours if not issubclass(kind, others)]
    retryable = {kind.__name__ for kind in of_runs if kind.retryable}
    assert set(RETRYABLE_ERRORS) == retryable
    assert set(NEVER_RETRIED) <= retryable


def test_every_task_retries_named_errors_alone_and_has_a_time_limit(template: Template) -> None:
    tasks = [state for _, state in states(definitions(template)["run"]) if state["Type"] == "Task"]
    assert tasks
    for task in tasks:
        never, again = task["Retry"]
        assert (never["ErrorEquals"], never["MaxAttempts"]) == (list(NEVER_RETRIED), 0)
        assert set(again["ErrorEquals"]) == (set(RETRYABLE_ERRORS) - set(NEVER_RETRIED)) | set(LAMBDA_ERRORS)
        assert task["TimeoutSeconds"] > 0


def test_every_group_of_networks_has_a_state_to_read_and_one_to_document(template: Template) -> None:
    names = [name for name, _ in states(definitions(template)["run"])]
    for group in template.environment.networks:
        assert {f"Read-{group}", f"Document-{group}"} <= set(names)


def test_no_state_of_one_machine_has_the_name_of_another(template: Template) -> None:
    for definition in definitions(template).values():
        names = [name for name, _ in states(definition)]
        assert len(names) == len(set(names))


def test_every_next_state_is_there(template: Template) -> None:
    for definition in definitions(template).values():
        assert list(_broken(definition)) == []


def test_units_are_mapped_from_the_store_with_the_concurrency_of_the_plan(template: Template) -> None:
    (mapped,) = [state for name, state in states(definitions(template)["run"]) if name == "DocumentUnits"]
    assert mapped["ItemProcessor"]["ProcessorConfig"] == {"Mode": "DISTRIBUTED", "ExecutionType": "STANDARD"}
    assert mapped["ItemReader"]["ReaderConfig"] == {"InputType": "JSON"}
    assert mapped["MaxConcurrencyPath"] == "$.plan.units_at_once"
    assert mapped["ResultPath"] is None


def test_the_definition_is_jsonpath_throughout(template: Template) -> None:
    for definition in definitions(template).values():
        assert "QueryLanguage" not in json.dumps(definition)
        assert "{%" not in json.dumps(definition)


def test_the_run_may_start_children_of_itself_and_read_nothing_but_waves(template: Template) -> None:
    (role,) = [role for name, role in template.of_type("AWS::IAM::Role").items() if name.startswith("PipelineRunRole")]
    statements = {each["Sid"]: each for each in role["Policies"][0]["PolicyDocument"]["Statement"]}
    assert template.flat(statements["StartChildren"]["Resource"]).endswith(
        f":stateMachine:{template.environment.prefix}-run"
    )
    assert template.flat(statements["FollowChildren"]["Resource"]).endswith(
        f":execution:{template.environment.prefix}-run/*"
    )
    assert template.flat(statements["ReadWaves"]["Resource"]).endswith("/progress/runs/*/waves/*")


def _broken(definition: dict[str, Any]) -> Iterator[str]:
    there = set(definition["States"])
    for state in definition["States"].values():
        following = [state.get("Next"), state.get("Default"), *(each["Next"] for each in state.get("Choices", ()))]
        following += [each["Next"] for each in state.get("Catch", ())]
        yield from {name for name in following if name is not None} - there
        for inner in [*state.get("Branches", ()), *filter(None, [state.get("ItemProcessor")])]:
            yield from _broken(inner)
