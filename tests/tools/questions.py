"""Tools that ask a model, which only the tests have: one only reads, one starts something."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from pydantic import Field

from tests.waiting import LONGEST_SECONDS
from tribal.ports import Application, Caller, Effect, ToolGroup, ToolSpec
from tribal_contracts import AgentError, ClosedContract, Contract, Unset
from tribal_contracts.core.shape import optional

ASK_RIGHT = "chat:ask"
START_RIGHT = "interrogation:start"


class Question(ClosedContract):
    """What to ask."""

    question: str = Field(description="What to ask.")


class Reply(Contract):
    """An answer, and whether a model gave it."""

    success: bool
    by_model: bool = False
    error: AgentError | Unset = optional()


class Questions:
    """The tools, whose model answers once `may_answer` is set."""

    def __init__(self) -> None:
        self.may_answer = threading.Event()
        self._changed = threading.Condition()
        self.asked = 0
        self.group = ToolGroup(
            name="questions",
            tools=(
                self._tool("ask_model", "documentation:read", ASK_RIGHT, Effect()),
                self._tool("start_asking", START_RIGHT, START_RIGHT, Effect(read_only=False)),
            ),
            failed=_failed,
            invalid_input_code="RET_QUERY_INVALID",
            internal_code="RET_INTERNAL",
            access_denied_code="RET_ACCESS_DENIED",
        )

    def wait_for(self, asked: int) -> None:
        """Wait until the model was asked this often."""
        with self._changed:
            assert self._changed.wait_for(lambda: self.asked >= asked, LONGEST_SECONDS)

    def _answer(self, _: Question, caller: Caller, __: Application) -> Reply:
        if not caller.may(ASK_RIGHT):
            return Reply(success=True)
        with self._changed:
            self.asked += 1
            self._changed.notify_all()
        assert self.may_answer.wait(LONGEST_SECONDS)
        return Reply(success=True, by_model=True)

    def _tool(self, name: str, right: str, spends: str, effect: Effect) -> ToolSpec:
        return ToolSpec(
            name=name,
            title="Ask",
            summary="Ask a model.",
            description="Use it to ask a model.",
            models=lambda: (Question, Reply),
            handler=self._answer,
            right=right,
            spends=spends,
            effect=effect,
        )


def _failed(spec: ToolSpec, _: Mapping[str, Any], error: AgentError) -> Contract:
    return Reply(success=False, error=error)
