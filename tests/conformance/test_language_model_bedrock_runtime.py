"""Claude on bedrock-runtime, held to what holds of every `LanguageModel`."""

from __future__ import annotations

import pytest

from tests.conformance.language_model import *  # noqa: F403
from tests.conformance.language_model import REQUEST, failed
from tests.conformance.language_model_claude import *  # noqa: F403
from tests.conformance.language_model_without_schemas import *  # noqa: F403
from tests.fakes.claude import FakeClaude, aws, failures
from tests.fakes.claude.failures import Failure
from tribal.adapters.bedrock.model import bedrock_model
from tribal.models.known_models import model_facts
from tribal.ports import LanguageModel
from tribal_contracts import ModelSettings


@pytest.fixture
def model(claude: FakeClaude, aws_account: None) -> LanguageModel:
    settings = ModelSettings(
        provider="bedrock", name="global.anthropic.claude-haiku-5-5", base_url=claude.address, endpoint="runtime"
    )
    return bedrock_model(settings, model_facts(settings), "eu-central-1")


def test_an_expired_login_is_distinguished_from_a_missing_permission(claude: FakeClaude, model: LanguageModel) -> None:
    refusal = Failure(
        "expired token",
        "https://docs.aws.amazon.com/bedrock/latest/APIReference/CommonErrors.html",
        403,
        billed=False,
        body=b'{"message": "PLANTED"}',
        headers=(("x-amzn-errortype", "ExpiredTokenException:http://internal.amazon.com/"),),
    )
    claude.fail(refusal, failures.FORBIDDEN)
    expired, forbidden = failed(model.ask(REQUEST)), failed(model.ask(REQUEST))
    assert (expired.kind, forbidden.kind) == ("stopped", "stopped")
    assert "log in to AWS again" in expired.message
    assert "allow bedrock:InvokeModel" in forbidden.message


def test_a_quota_and_a_model_that_is_not_ready_pass(claude: FakeClaude, model: LanguageModel) -> None:
    def named(name: str) -> Failure:
        status = aws.statuses()[name]
        return Failure(name, "", status, billed=False, body=b"{}", headers=(("x-amzn-errortype", f"{name}:"),))

    claude.fail(named("ServiceQuotaExceededException"), named("ModelNotReadyException"))
    assert [failed(model.ask(REQUEST)).kind for _ in range(2)] == ["throttled", "unavailable"]


def test_an_overload_comes_as_a_service_that_is_unavailable(claude: FakeClaude, model: LanguageModel) -> None:
    claude.fail(failures.OVERLOADED)
    outcome = failed(model.ask(REQUEST))
    assert (outcome.kind, outcome.unseen) == ("unavailable", False)
    assert "(503 ServiceUnavailableException" in outcome.message
