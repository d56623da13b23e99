"""What the synthesised templates hold of the API."""

from __future__ import annotations

import json

import pytest

from functions.offering import answered_by
from functions.scopes import REFUSED
from tests.infra.synthesis import Assembly, Template
from tribal.edges.http.contribution import APPROVAL

pytestmark = pytest.mark.xdist_group("infra")

WWW_AUTHENTICATE = "gatewayresponse.header.WWW-Authenticate"


def test_no_method_of_the_api_is_open(template: Template) -> None:
    methods = template.of_type("AWS::ApiGateway::Method")
    expected = "CUSTOM" if template.environment.api.auth.mode == "jwt" else "AWS_IAM"
    told = {name: each for name, each in methods.items() if "wellknown" in name}
    guarded = [method for name, method in methods.items() if name not in told]
    own = 9 + (3 if template.environment.memory else 0) + (5 if template.environment.knowledge else 0)
    own += (8 if template.has_chat else 0) + (4 if template.environment.contribution else 0)
    assert [method["AuthorizationType"] for method in guarded] == [expected] * (6 + own)
    assert all(("AuthorizerId" in method) == (expected == "CUSTOM") for method in guarded)
    assert [(each["HttpMethod"], each["AuthorizationType"]) for each in told.values()] == (
        [("GET", "NONE")] if expected == "CUSTOM" else []
    )
    (rest,) = template.of_type("AWS::ApiGateway::RestApi").values()
    assert rest["EndpointConfiguration"] == {"Types": ["REGIONAL"]}


def test_the_api_is_throttled_and_logs_who_asked(template: Template) -> None:
    (stage,) = template.of_type("AWS::ApiGateway::Stage").values()
    (settings,) = stage["MethodSettings"]
    assert settings["ThrottlingRateLimit"] == template.environment.api.rate_per_second
    assert settings["ThrottlingBurstLimit"] == template.environment.api.burst
    assert settings["DataTraceEnabled"] is False
    assert "$context.identity.caller" in stage["AccessLogSetting"]["Format"]


def test_the_access_log_is_configured_by_the_arn_of_its_group_with_one_ending(template: Template) -> None:
    (stage,) = template.of_type("AWS::ApiGateway::Stage").values()
    arn = template.flat(stage["AccessLogSetting"]["DestinationArn"])
    (group,) = [name for name in template.of_type("AWS::Logs::LogGroup") if name.startswith("ApiAccessLog")]
    assert arn.endswith(f":log-group:<{group}>:*")


def test_the_paths_of_the_api_are_those_of_the_tools(template: Template) -> None:
    parts = {resource["PathPart"] for resource in template.of_type("AWS::ApiGateway::Resource").values()}
    public = {".well-known", "oauth-protected-resource"} if template.environment.api.auth.mode == "jwt" else set()
    own = {tool for tools in own_tools_of(template).values() for tool in tools}
    paths = ["proposals/{id}", *(CHAT_ROUTES if template.has_chat else ())]
    paths += [APPROVAL[4:]] if template.environment.contribution else []
    routes = {part for path in paths for part in path.split("/")}
    assert parts == {"health", "v1", "tools", "{name}", "mcp", *public, *own, *routes}


CHAT_ROUTES = (
    "api/chat/stream",
    "api/admin/upload",
    "api/admin/etl/jobs",
    "api/admin/etl/status/{job_id}",
    "api/admin/collections/{name}",
    "api/admin/collections/{name}/sources/{source_id}",
)


INTERROGATION_TOOLS = {
    "start_interrogation",
    "stop_interrogation",
    "get_interrogation",
    "list_interrogations",
    "mark_answer",
    "close_mark",
}
CONTRIBUTION_TOOLS = {"list_contributions", "prepare_contribution", "get_contribution"}
MEMORY_TOOLS = {"memory_add", "memory_search", "memory_delete"}
KNOWLEDGE_TOOLS = {
    "memory": {"knowledge_query", "knowledge_show", "sync_status"},
    "checker": {"knowledge_check"},
    "syncer": {"sync_now"},
}


def own_tools_of(template: Template) -> dict[str, set[str]]:
    """The tools of each function besides the retriever, in an environment."""
    found = {"interrogator": {*INTERROGATION_TOOLS}, "proposer": {"propose_description"}}
    found |= {"memory": {*MEMORY_TOOLS}} if template.environment.memory else {}
    for function, tools in KNOWLEDGE_TOOLS.items() if template.environment.knowledge else ():
        found[function] = found.get(function, set()) | tools
    found |= {"contributor": {*CONTRIBUTION_TOOLS}} if template.environment.contribution else {}
    return found | ({"chat": {"ask"}} if template.has_chat else {})


def test_the_functions_answer_the_tools_that_have_a_path_of_their_own(template: Template) -> None:
    told = {name: {*tools} for name, tools in answered_by().items()}
    assert {name: told[name] & tools for name, tools in own_tools_of(template).items()} == own_tools_of(template)


def test_a_caller_without_a_valid_token_is_shown_where_to_get_one(assembly: Assembly) -> None:
    template = assembly.templates["small"]
    told = {
        each["ResponseType"]: (each["StatusCode"], template.flat(each["ResponseParameters"][WWW_AUTHENTICATE]))
        for each in template.of_type("AWS::ApiGateway::GatewayResponse").values()
    }
    (rest,) = template.of_type("AWS::ApiGateway::RestApi")
    host = f"<{rest}>.execute-api.<AWS::Region>.<AWS::URLSuffix>"
    where = f'resource_metadata="https://{host}/small/.well-known/oauth-protected-resource"'
    refused = 'error="invalid_token", error_description="the token has expired or is not accepted"'
    assert told == {
        "UNAUTHORIZED": ("401", f"'Bearer {where}'"),
        "ACCESS_DENIED": ("401", f"'Bearer {refused}, {where}'"),
    }
    bodies = [each.get("ResponseTemplates") for each in template.of_type("AWS::ApiGateway::GatewayResponse").values()]
    assert bodies == [None, {"application/json": json.dumps({"message": f"$context.authorizer.{REFUSED}"})}]
    assert assembly.templates["dev"].of_type("AWS::ApiGateway::GatewayResponse") == {}
