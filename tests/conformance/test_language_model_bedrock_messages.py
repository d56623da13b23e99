"""Claude on Bedrock's Messages endpoint, held to what holds of every `LanguageModel`."""

from __future__ import annotations

import pytest

from tests.conformance.language_model import *  # noqa: F403
from tests.conformance.language_model_claude import *  # noqa: F403
from tests.conformance.language_model_streams import *  # noqa: F403
from tests.conformance.language_model_without_schemas import *  # noqa: F403
from tests.fakes.claude import FakeClaude
from tribal.adapters.bedrock.model import bedrock_model
from tribal.models.known_models import model_facts
from tribal.ports import LanguageModel
from tribal_contracts import ModelSettings


@pytest.fixture
def model(claude: FakeClaude, aws_account: None) -> LanguageModel:
    settings = ModelSettings(
        provider="bedrock", name="global.anthropic.claude-haiku-5-5", base_url=claude.messages_address
    )
    return bedrock_model(settings, model_facts(settings), "eu-central-1")


def test_the_model_has_the_name_of_its_provider(model: LanguageModel) -> None:
    assert model.name == "bedrock/global.anthropic.claude-haiku-5-5"
