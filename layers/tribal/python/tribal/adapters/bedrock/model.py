"""Builds the adapters for Bedrock: over its Messages endpoint (bedrock-mantle), and over bedrock-runtime."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tribal.adapters.anthropic.model import HEADERS
from tribal.adapters.language_models.refusals import Advice

if TYPE_CHECKING:
    from tribal.adapters.language_models.connection import Unsent
    from tribal.ports import LanguageModel, ModelFacts
    from tribal_contracts import ModelEntry

_MESSAGES_ADDRESS = "https://bedrock-mantle.{region}.api.aws/anthropic"
_RUNTIME_ADDRESS = "https://bedrock-runtime.{region}.amazonaws.com"

_LOGIN = "log in to AWS again, and check this machine's clock and the identity in use"
_MONEY = "see billing and quotas of the AWS account, then run again"
_MODEL = "check model.name and model.region, and whether Bedrock has the model there; {}"

_MESSAGES_ADVICE = Advice(
    id="bedrock",
    provider="Amazon Bedrock",
    login=_LOGIN,
    permission="allow bedrock-mantle:CreateInference for the identity in use, and the model for the account",
    model=_MODEL.format("some models are only available on bedrock-runtime (model.endpoint: runtime)"),
    money=_MONEY,
    account=_MONEY,
)
_RUNTIME_ADVICE = Advice(
    id="bedrock",
    provider="Amazon Bedrock",
    login=_LOGIN,
    permission="allow bedrock:InvokeModel and bedrock:InvokeModelWithResponseStream on the model for the identity in "
    "use, and the model for the account",
    model=_MODEL.format("many models need an inference profile, such as eu.anthropic.claude-haiku-5-5"),
    money=_MONEY,
    account=_MONEY,
)

_BINDS_ANSWERS = False
"""Whether a schema is sent in `output_config.format`. Support varies by model and endpoint, what lacks it answers 400
(https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-structured-outputs.html), and a model that took it
may refuse it later (https://github.com/vercel/ai/issues/19988); a refusal would cost a run all of its prose."""

_VERSION = re.compile(r"claude-(?:[a-z]+-)?(\d+)(?:-(\d{1,2}))?(?!\d)")
_OLD_BODY = {"anthropic_version": "bedrock-2023-05-31"}
_FIRST_OF_THE_NEW_BODY = (4, 7)


def bedrock_model(settings: ModelEntry, facts: ModelFacts, region: str, unsent: Unsent | None = None) -> LanguageModel:
    """The model of the settings on Bedrock, asked with the current AWS identity; `unsent` takes what would be sent."""
    over = _over_runtime if settings.endpoint == "runtime" else _over_messages
    return over(settings, facts, region, unsent)


def _over_messages(settings: ModelEntry, facts: ModelFacts, region: str, unsent: Unsent | None) -> LanguageModel:
    from anthropic import APIConnectionError, APIStatusError, AsyncAnthropicBedrockMantle

    from tribal.adapters.anthropic.messages import Messages
    from tribal.adapters.bedrock.signing import AwsSignature
    from tribal.adapters.language_models.connection import http_client
    from tribal.adapters.language_models.http_model import HttpModel, Sdk

    credentials = unsent or AwsSignature("bedrock-mantle", region)
    client = AsyncAnthropicBedrockMantle(
        aws_region=region,
        # `http_client` signs.
        skip_auth=True,
        base_url=settings.base_url or _MESSAGES_ADDRESS.format(region=region),
        max_retries=0,
        open_telemetry=False,
        http_client=http_client(credentials, HEADERS, unsent),
    )
    dialect = Messages(facts, _MESSAGES_ADVICE, binds_answers=_BINDS_ANSWERS)
    sdk = Sdk(client, APIConnectionError, APIStatusError)
    return HttpModel(sdk, facts, dialect, credentials, _MESSAGES_ADVICE)


def _over_runtime(settings: ModelEntry, facts: ModelFacts, region: str, unsent: Unsent | None) -> LanguageModel:
    from anthropic import APIConnectionError, APIStatusError, AsyncAnthropicBedrock

    from tribal.adapters.anthropic.messages import Messages
    from tribal.adapters.bedrock.frames import framed_events
    from tribal.adapters.bedrock.signing import AwsSignature
    from tribal.adapters.language_models.connection import http_client
    from tribal.adapters.language_models.http_model import HttpModel, Sdk

    credentials = unsent or AwsSignature("bedrock", region)
    client = AsyncAnthropicBedrock(
        aws_region=region,
        # With a key the SDK does not sign; `http_client` does, in place of it.
        api_key="never sent",
        base_url=settings.base_url or _RUNTIME_ADDRESS.format(region=region),
        max_retries=0,
        open_telemetry=False,
        http_client=http_client(credentials, HEADERS, unsent),
    )
    more = _OLD_BODY if _is_old(facts.name) else {}
    dialect = Messages(facts, _RUNTIME_ADVICE, binds_answers=_BINDS_ANSWERS, more=more)
    sdk = Sdk(client, APIConnectionError, APIStatusError, framed_events)
    return HttpModel(sdk, facts, dialect, credentials, _RUNTIME_ADVICE)


def _is_old(name: str) -> bool:
    """Whether a model is from before the API's versions of today."""
    found = _VERSION.search(name)
    return found is not None and (int(found[1]), int(found[2] or 0)) < _FIRST_OF_THE_NEW_BODY
