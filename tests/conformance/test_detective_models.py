"""A detective over the clients of OpenAI and Anthropic keeps the port's contract."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.capabilities.interrogation.asking_models.made import (
    claude_party,
    detective_of,
    openai_party,
    witness_of,
    works,
)
from tests.conformance.detective import *  # noqa: F403
from tribal.capabilities.interrogation.asking_models.detective import ModelDetective
from tribal.capabilities.interrogation.asking_models.witness import ModelWitness
from tribal.models.chain import OpenModel


@pytest.fixture(params=["openai", "anthropic"])
def party(request: pytest.FixtureRequest, open_vendor: Callable[[str], Any]) -> OpenModel:
    if request.param == "openai":
        server = open_vendor("openai")
        server.mind = works
        return openai_party(server)
    claude = request.getfixturevalue("claude")
    claude.mind = works
    return claude_party(claude)


@pytest.fixture
def detective(party: OpenModel) -> ModelDetective:
    return detective_of(party)


@pytest.fixture
def witness(party: OpenModel) -> ModelWitness:
    return witness_of(party)
