"""What the SDK really asks of Bedrock, held against what an environment with a model allows, both ways."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import anthropic
import pytest

from tests.e2e import bedrock
from tests.e2e.permissions import Grant, grants_in, missing, unused
from tests.e2e.recorded_calls import RecordedCall
from tests.e2e.signed_proxy import SignedProxy, SignedRequest
from tests.infra.synthesis import Assembly
from tests.infra.test_roles import statements

pytestmark = pytest.mark.xdist_group("infra")

ACCOUNT, ROLE = "111122223333", "documenter"
KEY, SECRET = "AKIADOCUMENTER", "secret"


@dataclass
class Bedrock:
    """Both endpoints in a region, without a model behind them."""

    proxy: SignedProxy
    region: str
    calls: set[RecordedCall] = field(default_factory=set)

    def ask(
        self, model: str, *, runtime: bool = False, stream: bool = False, key: str = KEY, secret: str = SECRET
    ) -> int:
        """Ask a model as the SDK does; answers the status."""
        client = anthropic.AnthropicBedrock if runtime else anthropic.AnthropicBedrockMantle
        address = f"http://{self.proxy.endpoint}{'' if runtime else '/anthropic'}"
        with client(
            aws_access_key=key,
            aws_secret_key=secret,
            aws_region=self.region,
            base_url=address,
            max_retries=0,
        ) as asking:
            try:
                messages: Any = asking.messages
                messages.create(model=model, max_tokens=1, messages=[{"role": "user", "content": "?"}], stream=stream)
            except anthropic.APIStatusError as error:
                return error.status_code
        return 200


@pytest.fixture
def at() -> Iterator[Callable[[str], Bedrock]]:
    """Bedrock in a region."""
    made: list[Bedrock] = []

    def start(region: str) -> Bedrock:
        def note(asked: SignedRequest) -> None:
            for needed in bedrock.permissions_of(asked, region, ACCOUNT):
                there.calls.add(RecordedCall(ROLE, needed.action, needed.resource, facts=needed.facts))

        secrets = {KEY: SECRET}
        there = Bedrock(SignedProxy(bedrock.service_of, secret_of=secrets.get, asked=note), region)
        made.append(there)
        return there

    yield start
    for each in made:
        each.proxy.close()


def grants(assembly: Assembly, environment: str) -> list[Grant]:
    """What the documenter of an environment may ask of Bedrock."""
    template = assembly.templates[environment]

    def plain(value: Any) -> Any:
        if isinstance(value, list):
            return [plain(each) for each in value]
        if isinstance(value, dict) and not any(key.startswith(("Fn::", "Ref")) for key in value):
            return {key: plain(each) for key, each in value.items()}
        return template.flat(value).replace("<AWS::Partition>", "aws").replace("<AWS::AccountId>", ACCOUNT)

    return grants_in(
        ROLE,
        [plain(each) for role, each in statements(template) if "Documenter" in role and each["Sid"].startswith("Ask")],
    )


def test_the_messages_endpoint_is_asked_for_the_model_that_is_allowed_and_nothing_more(
    assembly: Assembly, at: Callable[[str], Bedrock]
) -> None:
    there, allowed = at("eu-west-1"), grants(assembly, "bedrock")
    assert there.ask("anthropic.claude-haiku-5-5") == 503
    assert (missing(there.calls, allowed), unused(there.calls, allowed)) == ([], [])
    there.ask("anthropic.claude-opus-5-5")
    assert [call.facts for call in missing(there.calls, allowed)] == [
        (("bedrock-mantle:Model", "anthropic.claude-opus-5-5"),)
    ]


def test_the_runtime_is_asked_through_the_profile_that_is_allowed_and_nothing_more(
    assembly: Assembly, at: Callable[[str], Bedrock]
) -> None:
    there, allowed = at("eu-central-1"), grants(assembly, "profile")
    for stream in (False, True):
        assert there.ask("eu.anthropic.claude-haiku-4-5-v1:0", runtime=True, stream=stream) == 503
    assert len(there.calls) == 6
    assert (missing(there.calls, allowed), unused(there.calls, allowed)) == ([], [])
    there.ask("anthropic.claude-haiku-4-5-v1:0", runtime=True)
    there.ask("us.anthropic.claude-haiku-4-5-v1:0", runtime=True)
    assert len(missing(there.calls, allowed)) == 4, "neither around the profile nor through another one"


@pytest.mark.parametrize(("key", "secret"), [("AKIANOBODY", SECRET), (KEY, "another")])
def test_who_has_not_signed_for_bedrock_is_turned_away(at: Callable[[str], Bedrock], key: str, secret: str) -> None:
    there = at("eu-west-1")
    assert there.ask("anthropic.claude-haiku-5-5", key=key, secret=secret) == 403
    assert there.calls == set()
