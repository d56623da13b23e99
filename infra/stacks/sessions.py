"""Interrogations with models: the state machine that runs their sessions."""

from __future__ import annotations

from constructs import Construct

from infra.environment import Environment
from infra.stacks.functions import Function
from infra.stacks.permissions import allow
from infra.stacks.session_definition import session_definition
from infra.stacks.state_machines import state_machine

INTERROGATOR = "interrogator"


class Sessions(Construct):
    """The state machine that calls the interrogator, which starts it."""

    def __init__(self, scope: Construct, name: str, *, environment: Environment, interrogator: Function) -> None:
        super().__init__(scope, name)
        timeout = getattr(environment.functions, INTERROGATOR).timeout_seconds
        self.machine = state_machine(
            self,
            "Machine",
            environment,
            "interrogation",
            session_definition(interrogator.arn, timeout),
            [allow("CallInterrogator", ["lambda:InvokeFunction"], interrogator.arn)],
        )
