"""Proposals in AWS: the tool and the routes over the API, within the rights and the scope of a token."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest

from functions.capability import handler
from functions.scopes import RIGHTS, SCOPE, write_rights, write_scope
from tests.fakes import MemoryStore
from tests.functions.calls import Context, api_request
from tests.infra.state_machines import BUCKET, REGION, Account
from tests.sample_shop.indexed import index_all, shop_tables, write_documentation
from tribal.adapters.sqlite.published import PublishedSqliteIndex
from tribal.app.deployed import deployed_application
from tribal.identity.scope import Scope
from tribal.settings.deployment import load_deployment

ARN = "arn:aws:iam::123456789012:user/ada"
PROPOSAL = {"table": "shop.crm.customer", "description": "People and companies who ordered at least once."}


@pytest.fixture(autouse=True)
def deployed(account: Account, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The function over a bucket with an index."""
    for name, value in {
        "AWS_REGION": REGION,
        "TRIBAL_STORE": f"s3://{BUCKET}",
        "TRIBAL_INDEX": "sqlite",
        "POWERTOOLS_SERVICE_NAME": "proposer",
        "POWERTOOLS_METRICS_NAMESPACE": "Test",
        "POWERTOOLS_TRACE_DISABLED": "true",
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(handler.metrics.provider, "namespace", "Test")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    app = deployed_application(load_deployment())
    store = MemoryStore()
    write_documentation(store, shop_tables())
    index_all(store, PublishedSqliteIndex(store, tmp_path))
    for key in store.keys(""):
        app.store().put(key, store.get(key).data)
    monkeypatch.setattr(handler, "application", lambda: app)


def asked(method: str, path: str, content: Any, *rights: str, database: str = "shop") -> tuple[int, Any]:
    """What the function answers to the bearer of a token with these rights, or, without any, to one of IAM."""
    granted = {SCOPE: write_scope(Scope(frozenset({database}))), RIGHTS: write_rights(frozenset(rights))}
    who = {"principalId": "bob", **granted}
    event = api_request(method, path, json.dumps(content) if content else "", who if rights else None)
    if not rights:
        event["requestContext"]["identity"]["userArn"] = ARN
    answer = handler.handle(event, Context())
    return answer["statusCode"], json.loads(answer["body"])


def test_who_signs_with_iam_proposes_and_withdraws_its_own_and_an_editor_sees_all() -> None:
    status, answer = asked("POST", "/v1/tools/propose_description", PROPOSAL)
    assert (status, answer["success"]) == (200, True)
    status, of_bob = asked("POST", "/v1/tools/propose_description", PROPOSAL, "annotations:propose")
    assert status == 200
    assert [each["by"] for each in asked("GET", "/v1/proposals", None)[1]["proposals"]] == [ARN]
    assert asked("GET", "/v1/proposals", None, "annotations:write")[1]["total"] == 2
    assert asked("DELETE", f"/v1/proposals/{of_bob['id']}", None)[0] == 404
    assert asked("DELETE", f"/v1/proposals/{answer['id']}", None)[1]["outcome"] == "withdrawn"
    assert asked("DELETE", f"/v1/proposals/{of_bob['id']}", None, "annotations:write")[1]["outcome"] == "rejected"


def test_a_token_for_another_database_proposes_and_sees_nothing() -> None:
    asked("POST", "/v1/tools/propose_description", PROPOSAL)
    both = ("annotations:propose", "annotations:write")
    status, answer = asked("POST", "/v1/tools/propose_description", PROPOSAL, *both, database="web")
    assert (status, answer["error"]["code"]) == (404, "RET_TABLE_NOT_FOUND")
    assert asked("GET", "/v1/proposals", None, *both, database="web") == (200, {"proposals": [], "total": 0})
    assert asked("GET", "/v1/proposals", None, "documentation:read")[0] == 403
