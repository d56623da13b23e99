"""A witness over the clients of OpenAI and Anthropic keeps the port's contract."""

from __future__ import annotations

import pytest

from tests.capabilities.interrogation.asking_models.made import witness_of
from tests.conformance.test_detective_models import party as party
from tests.conformance.witness import *  # noqa: F403
from tribal.capabilities.interrogation.asking_models.witness import ModelWitness
from tribal.models.chain import OpenModel


@pytest.fixture
def witness(party: OpenModel) -> ModelWitness:
    return witness_of(party)


@pytest.fixture
def known() -> str:
    return "What is an order?"
