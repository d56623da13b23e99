"""Asks the real API about five sample tables, and shows how its answers differ from those of the stand-in."""

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
from tribal.ports import ModelAnswer, ModelFacts, ModelOutcome, ModelRequest
from tribal_contracts import NANODOLLARS, ModelSettings

SWITCH = "TRIBAL_LIVE"
KEY = "ANTHROPIC_API_KEY"
MODEL = "claude-haiku-5-5"
CAP = NANODOLLARS // 20
"""Five cents."""


def main(environment: Mapping[str, str], base_url: str | None = None) -> int:
    """Run, where the environment says so; returns the exit code."""
    if environment.get(SWITCH) != "1" or not environment.get(KEY):
        print(f"This asks the real API, for at most $0.05. Set {KEY} to a key and {SWITCH}=1.")
        return 0
    settings = ModelSettings(provider="anthropic", name=MODEL, api_key_secret=KEY, base_url=base_url)
    facts = model_facts(settings)
    watched = watched_model(settings, facts, SecretStr(environment[KEY]))
    outcomes = ask_all(watched, facts, sample_requests())
    _print(outcomes, watched.answers)
    return 0 if outcomes and all(isinstance(outcome, ModelAnswer) for outcome in outcomes) else 1


def ask_all(watched: WatchedModel, facts: ModelFacts, requests: Sequence[ModelRequest]) -> list[ModelOutcome]:
    """Ask one after the other, as long as the worst price of the next call fits under the cap."""
    outcomes: list[ModelOutcome] = []
    spent = 0
    for request in requests:
        worst = facts.worst_price(request)
        if spent + worst > CAP:
            print(f"stopped before call {len(outcomes) + 1}: it could have led above $0.05")
            break
        outcome = watched.model.ask(request)
        outcomes.append(outcome)
        unseen = not isinstance(outcome, ModelAnswer) and outcome.unseen
        spent += worst if unseen else outcome.usage.nanodollars
    return outcomes


def _print(outcomes: Sequence[ModelOutcome], answers: Sequence[Mapping[str, Any]]) -> None:
    for number, outcome in enumerate(outcomes, 1):
        said = outcome.value if isinstance(outcome, ModelAnswer) else f"{outcome.kind}: {outcome.message}"
        usage = outcome.usage
        print(f"{number}. {said}\n   {usage.tokens} tokens, {usage.time_ms} ms, ${usage.nanodollars / NANODOLLARS:.6f}")
    if not answers:
        print("No answer came, so there is nothing to compare.")
        return
    found = sorted({difference for answer in answers for difference in differences(answer)})
    print("Fields of answers that differ from the stand-in's:" if found else "The stand-in answers in the same fields.")
    for difference in found:
        print(f"- {difference}")


if __name__ == "__main__":
    sys.exit(main(os.environ))
