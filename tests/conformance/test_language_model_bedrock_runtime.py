"""Claude on bedrock-runtime, held to what holds of every `LanguageModel`."""

from __future__ import annotations

import pytest

from tests.conformance.language_model import *  # noqa: F403
from tests.conformance.language_model import REQUEST, failed
from tests.fakes.claude import FakeClaude, failures
from tribal.adapters.bedrock.model import bedrock_model
from tribal.describing.model.known_models import model_facts
from tribal.ports import LanguageModel
from tribal_contracts import ModelSettings


@pytest.fixture
def model(claude: FakeClaude, aws_account: None) -> LanguageModel:
    settings = ModelSettings(
        provider="bedrock", name="global.anthropic.claude-haiku-5-5", base_url=claude.address, endpoint="runtime"
    )
    return bedrock_model(settings, model_facts(settings), "eu-central-1")


def test_an_overload_comes_as_a_service_that_is_unavailable(claude: FakeClaude, model: LanguageModel) -> None:
    claude.fail(failures.OVERLOADED)
    outcome = failed(model.ask(REQUEST))
    assert (outcome.kind, outcome.unseen) == ("unavailable", False)
    assert "(503)" in outcome.message
