"""The documents of a server say what it does, and generated requests find nothing else."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from openapi_spec_validator import validate
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from tests.edges.http.served import Served
from tests.edges.mcp.asked import index_project
from tests.plugins.verify import examples
from tribal.edges.http.chat.routes import chat_routes
from tribal.edges.http.docs_page import docs_page
from tribal.edges.http.openapi import openapi
from tribal.edges.http.page import PAGE_ROUTES
from tribal.edges.http.proposals import routes as proposal_routes
from tribal.edges.http.routes import ROUTES
from tribal.tools.registry import REGISTRY, Registry

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    unsupported_method,
]


@pytest.fixture(name="server", scope="module")
def server_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("project")
    index_project(folder)
    with Served(folder) as server:
        yield server


@pytest.fixture(name="described", scope="module")
def described_fixture(server: Served) -> Any:
    return schemathesis.openapi.from_url(f"{server.address}/openapi.json")


GENERATED = schemathesis.pytest.from_fixture("described")


@GENERATED.parametrize()
@settings(max_examples=examples(3, 12), deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_generated_requests_get_documented_answers(case: Any) -> None:
    case.call_and_validate(checks=CHECKS)


def test_every_route_and_every_tool_is_in_the_document_of_a_server(server: Served) -> None:
    document = server.client.get("/openapi.json").json()
    validate(document)
    assert document["servers"] == [{"url": server.address}]
    tools = {f"/v1/tools/{name}" for name in REGISTRY.tools}
    more = {"/metrics", "/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"}
    more |= {"/v1/corrections", "/v1/corrections/preview"}
    more |= {route.path for route in (*PAGE_ROUTES, *chat_routes(), *proposal_routes())}
    assert set(document["paths"]) == {route.path for route in ROUTES if not route.calls_tool} | tools | more
    for name, spec in REGISTRY.tools.items():
        operation = document["paths"][f"/v1/tools/{name}"]["post"]
        assert (operation["operationId"], operation["description"]) == (name, spec.description)
        documented = set(operation["responses"])
        assert {"200", "400", "401", "403", "404", "406", "413", "415", "421", "422", "429", "503"} <= documented


def test_the_page_of_documentation_runs_nothing_and_loads_nothing(server: Served) -> None:
    answer = server.client.get("/docs", headers={"accept": "text/html"})
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
    for name in REGISTRY.tools:
        assert f"/v1/tools/{name}</code>" in answer.text
    (style,) = re.findall(r"<style>(.*?)</style>", answer.text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = answer.headers["content-security-policy"]
    assert policy.startswith(f"default-src 'none'; style-src 'sha256-{digest}';")
    assert "<script" not in answer.text
    assert re.findall(r'(?:src|href)="([^"]*)"', answer.text) == ["openapi.json"]


def test_what_a_tool_says_of_itself_is_text_on_the_page() -> None:
    evil = replace(REGISTRY.tools["search_tables"], description="<script>x</script>", example={"query": "<b>'"})
    registry = Registry((replace(REGISTRY.groups[0], tools=(evil,)),))
    page = docs_page(openapi(ROUTES, registry, "http://x"))
    assert "<script" not in page
    assert "<b>" not in page
