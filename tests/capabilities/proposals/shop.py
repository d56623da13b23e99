"""The sample shop, its callers, and what they propose."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.edges.mcp.asked import index_project
from tribal.app.local import local_application
from tribal.edges.http.corrections import correction_routes
from tribal.edges.http.messages import Request
from tribal.edges.http.page import PAGE_ROUTES
from tribal.edges.http.proposals import routes
from tribal.edges.http.routes import ROUTES, respond
from tribal.identity.scope import EVERYTHING, Scope
from tribal.ports import Application, Caller
from tribal.settings import load_settings
from tribal.tools.call import call_tool

CUSTOMER = "shop.crm.customer"
TEXT = "People and companies who ordered at least once."
SALES = Scope(schemas=frozenset({("shop", "sales")}))
CRM = Scope(schemas=frozenset({("shop", "crm")}))

JSON = {"content-type": "application/json"}
ALL_ROUTES = (*ROUTES, *PAGE_ROUTES, *routes(), *correction_routes(b"key"))


def caller(name: str, *rights: str, scope: Scope = EVERYTHING) -> Caller:
    return Caller(name, scope, frozenset({"documentation:read", *rights}))


AGENT = caller("agent", "annotations:propose")
EDITOR = caller("editor", "annotations:write")
READER = caller("reader")


def project(folder: Path) -> Application:
    """A folder with an index of the shop."""
    index_project(folder)
    return opened(folder)


def opened(folder: Path) -> Application:
    """A process of its own, as good as."""
    return local_application(load_settings(project=folder, environment={}, needs_databases=False))


def proposed(app: Application, by: Caller = AGENT, **arguments: Any) -> Any:
    """The answer of `propose_description`, by default about the customers."""
    asked = {"table": CUSTOMER, "description": TEXT, **arguments}
    return call_tool("propose_description", asked, by, app).model_dump(mode="json", exclude_none=True)


def code_of(answer: Any) -> str:
    assert answer["success"] is False
    return str(answer["error"]["code"])


def asked(app: Application, by: Caller, method: str, path: str, body: Any = None, **query: str) -> tuple[int, Any]:
    """The status and the answer of a route."""
    data = b"" if body is None else json.dumps(body).encode()
    request = Request(method, path, by, body=data, headers=JSON if body is not None else {}, query=query)
    response = respond(request, app, routes=ALL_ROUTES)
    return response.status, json.loads(response.body)


def listed(app: Application, by: Caller = EDITOR) -> list[dict[str, Any]]:
    """The open proposals that a caller sees."""
    status, answer = asked(app, by, "GET", "/v1/proposals")
    assert status == 200, answer
    assert answer["total"] == len(answer["proposals"])
    found: list[dict[str, Any]] = answer["proposals"]
    return found


def accepted(app: Application, by: Caller, proposal: str, words: str = TEXT, **about: str) -> tuple[int, Any]:
    """Preview a correction that accepts a proposal, and write it."""
    correction = {"table": CUSTOMER, "words": words, **about}
    status, shown = asked(app, by, "POST", "/v1/corrections/preview", correction)
    if status != 200:
        return status, shown
    return asked(app, by, "POST", "/v1/corrections", {**correction, "token": shown["token"], "proposal": proposal})


def state_of(app: Application, by: Caller) -> dict[str, Any]:
    """The part `caller` of the page."""
    status, part = asked(app, by, "GET", "/v1/page/caller")
    assert status == 200
    found: dict[str, Any] = part
    return found
