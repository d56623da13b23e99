"""Asks each real API whose key is there about sample tables, and shows how its answers differ from the stand-in's."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import SecretStr

from tests.live.comparing import differences
from tests.live.requests import sample_requests
from tests.live.watching import WatchedModel, watched_model
from tribal.models.known_models import model_facts
from tribal.ports import LanguageModel, ModelAnswer, ModelFacts, ModelOutcome, ModelRequest
from tribal_contracts import NANODOLLARS, ModelEntry
from tribal_contracts.core.models import ModelProvider

SWITCH = "TRIBAL_LIVE"
MODELS: dict[str, tuple[ModelProvider, str]] = {
    "ANTHROPIC_API_KEY": ("anthropic", "claude-haiku-5-5"),
    "OPENAI_API_KEY": ("openai", "gpt-6-luna"),
    "GEMINI_API_KEY": ("gemini", "gemini-3.8-flash"),
    "GROQ_API_KEY": ("groq", "openai/gpt-oss-20b"),
    "OLLAMA_MODEL": ("ollama", ""),
}
"""Provider and model by the variable with the key; `OLLAMA_MODEL` names a model on this machine."""
CAP = NANODOLLARS // 20
"""Five cents, over all providers."""


def main(environment: Mapping[str, str], base_url: str | None = None) -> int:
    """Run, where the environment says so; returns the exit code."""
    keys = [variable for variable in MODELS if environment.get(variable)]
    if environment.get(SWITCH) != "1" or not keys:
        print(f"This asks real APIs, for at most $0.05. Set {SWITCH}=1 and one or more of: {', '.join(MODELS)}.")
        return 0
    answered = [_try(variable, environment[variable], CAP // len(keys), base_url) for variable in keys]
    return 0 if all(answered) else 1


def _try(variable: str, value: str, cap: int, base_url: str | None) -> bool:
    """Ask one provider's model; returns whether every call was answered."""
    provider, name = MODELS[variable]
    secret = {} if provider == "ollama" else {"api_key_secret": variable}
    binds = {"binds_answers": True} if provider == "openai" else {}
    settings = ModelEntry.model_validate(
        {"provider": provider, "name": name or value, "base_url": base_url, **secret, **binds}
    )
    facts = model_facts(settings)
    print(f"{provider}/{settings.name}:")
    watched = watched_model(settings, facts, SecretStr(value))
    outcomes = ask_all(watched, facts, sample_requests(), cap)
    _print(outcomes, watched.answers, provider)
    return bool(outcomes) and all(isinstance(outcome, ModelAnswer) for outcome in outcomes)


def ask_all(watched: WatchedModel, facts: ModelFacts, requests: Sequence[ModelRequest], cap: int) -> list[ModelOutcome]:
    """Ask one after the other, the last one as a stream, while the worst price of the next call fits under the cap."""
    outcomes: list[ModelOutcome] = []
    spent = 0
    for request in requests:
        worst = facts.worst_price(request)
        if spent + worst > cap:
            print(f"stopped before call {len(outcomes) + 1}: it could have led above ${cap / NANODOLLARS:.3f}")
            break
        outcome = _streamed(watched.model, request) if request is requests[-1] else watched.model.ask(request)
        outcomes.append(outcome)
        unseen = not isinstance(outcome, ModelAnswer) and outcome.unseen
        spent += worst if unseen else outcome.usage.nanodollars
    return outcomes


def _streamed(model: LanguageModel, request: ModelRequest) -> ModelOutcome:
    stream, pieces = model.stream(request), 0
    while True:
        try:
            next(stream)
        except StopIteration as end:
            print(f"A stream came in {pieces} pieces.")
            outcome: ModelOutcome = end.value
            return outcome
        pieces += 1


def _print(outcomes: Sequence[ModelOutcome], answers: Sequence[Mapping[str, Any]], provider: ModelProvider) -> None:
    for number, outcome in enumerate(outcomes, 1):
        said = outcome.value if isinstance(outcome, ModelAnswer) else f"{outcome.kind}: {outcome.message}"
        usage = outcome.usage
        print(f"{number}. {said}\n   {usage.tokens} tokens, {usage.time_ms} ms, ${usage.nanodollars / NANODOLLARS:.6f}")
    if not answers:
        print("No answer came, so there is nothing to compare.")
        return
    found = sorted({difference for answer in answers for difference in differences(answer, provider)})
    print("Fields of answers that differ from the stand-in's:" if found else "The stand-in answers in the same fields.")
    for difference in found:
        print(f"- {difference}")


if __name__ == "__main__":
    sys.exit(main(os.environ))
