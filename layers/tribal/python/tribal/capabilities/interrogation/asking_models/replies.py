"""Ask the models of a party. If none answers, raise an error that a session can handle."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from tribal.capabilities.interrogation.errors import BudgetExhausted, PartyFailed
from tribal.ports.models.chains import ModelChain, ModelPrompt, NoReply, Reading, Reply

T = TypeVar("T")
_SPENT = "the budget is spent: per_session_usd, per_exam_usd or spending.per_day_usd leaves too little for another call"


def ask(
    chain: ModelChain,
    prompt: ModelPrompt,
    data: Mapping[str, Any],
    read: Callable[[Mapping[str, Any]], Reading[T]],
    unreachable: Callable[[NoReply], PartyFailed],
) -> Reply[T]:
    """Return the answer of the first model that gives one.

    Raises:
        PartyFailed: when no model answers; `unreachable` creates the error.
        BudgetExhausted: when too little of the budget is left.
        StoreError: when the budget cannot be read or written.
    """
    reply = chain.ask(prompt, data, read)
    if isinstance(reply, Reply):
        return reply
    raise BudgetExhausted(_SPENT, reply.cost.notes) if reply.is_spent else unreachable(reply)
