"""What asking a model on Amazon Bedrock takes, in the words of IAM."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from tests.e2e.signed_proxy import SignedRequest

_INVOKED = re.compile(r"/model/(?P<name>[^/]+)/(?P<operation>invoke(?:-with-response-stream)?)")
_ACTIONS = {
    "invoke": "bedrock:InvokeModel",
    "invoke-with-response-stream": "bedrock:InvokeModelWithResponseStream",
}
_PROFILE = re.compile(r"[a-z]+(?:-[a-z]+)*\.(?P<model>[a-z]+\..+)")


@dataclass(frozen=True)
class Permission:
    """An action on a resource, and what else the service tells IAM of the request."""

    action: str
    resource: str
    facts: tuple[tuple[str, str], ...] = ()


def service_of(path: str) -> str:
    """The service for which a request has to be signed: that of the messages endpoint, or of the runtime."""
    return "bedrock-mantle" if path.startswith("/anthropic/") else "bedrock"


def permissions_of(request: SignedRequest, region: str, account: str) -> Iterator[Permission]:
    """What a request needs.

    Source: https://docs.aws.amazon.com/service-authorization/latest/reference/list_bedrock-mantle.html and
    https://docs.aws.amazon.com/bedrock/latest/userguide/inference-profiles-prereq.html
    """
    if service_of(request.path) == "bedrock-mantle":
        asked = {"/anthropic/v1/messages": "CreateInference"}[request.path]
        project = f"arn:aws:bedrock-mantle:{region}:{account}:project/default"
        yield Permission(
            f"bedrock-mantle:{asked}", project, (("bedrock-mantle:Model", json.loads(request.body)["model"]),)
        )
        return
    invoked = _INVOKED.fullmatch(unquote(request.path))
    assert invoked is not None, request.path
    action = _ACTIONS[invoked["operation"]]
    profile = _PROFILE.fullmatch(invoked["name"])
    if profile is None:
        yield Permission(action, f"arn:aws:bedrock:{region}::foundation-model/{invoked['name']}")
        return
    through = f"arn:aws:bedrock:{region}:{account}:inference-profile/{invoked['name']}"
    yield Permission(action, through)
    for place in (region, "eu-west-1"):
        behind = f"arn:aws:bedrock:{place}::foundation-model/{profile['model']}"
        yield Permission(action, behind, (("bedrock:InferenceProfileArn", through),))
