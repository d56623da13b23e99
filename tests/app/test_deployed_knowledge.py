"""What a deployed function knows of decisions."""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from tests.capabilities.knowledge.test_publishing import write
from tests.cases import each_case
from tests.fakes import MemoryStore
from tribal.adapters.local.knowledge import KnowledgeFolder
from tribal.app import deployed
from tribal.app.deployed import deployed_application
from tribal.app.knowledge import MIRROR
from tribal.capabilities.knowledge.items.places import Layout, Place
from tribal.capabilities.knowledge.parts import KnowledgeParts
from tribal.capabilities.knowledge.snapshots.publishing import publish
from tribal.errors import ConfigurationError
from tribal.identity.table_names import TableIdentity
from tribal.ports import Application, Caller, Identity
from tribal.settings.deployment import load_deployment
from tribal_contracts import KnowledgeSettings

PLACE = {"TRIBAL_STORE": "s3://bucket", "AWS_REGION": "eu-central-1", "TRIBAL_INDEX": "sqlite"}
SETTINGS = {"repository": "https://git.example.com/decisions.git", "token_secret": "tribal/git"}
KNOWLEDGE = {"TRIBAL_KNOWLEDGE": json.dumps(SETTINGS)}


def application(*parts: dict[str, str]) -> Application:
    values = {name: value for part in (PLACE, *parts) for name, value in part.items()}
    return deployed_application(load_deployment(values))


def test_where_no_decisions_are_kept_nothing_is_known_of_them() -> None:
    app = application()
    assert (app.part(KnowledgeParts), app.guidance) == (None, None)


def test_where_decisions_are_kept_is_known_with_the_company_and_when_a_sync_is_stale() -> None:
    app = application(KNOWLEDGE, {"TRIBAL_COMPANY": "Acme Corp", "TRIBAL_SYNC_STALE_HOURS": "6"})
    parts = app.part(KnowledgeParts)
    assert parts is not None
    assert parts.origin is not None
    assert (parts.origin.settings, parts.origin.company) == (KnowledgeSettings.model_validate(SETTINGS), "Acme Corp")
    assert parts.stale_hours == 6
    parts = application(KNOWLEDGE).part(KnowledgeParts)
    assert parts is not None
    assert parts.stale_hours == 24


def test_the_copy_of_the_repository_lies_where_a_function_may_write() -> None:
    assert deployed._scratch(MIRROR) == Path(tempfile.gettempdir()) / "knowledge-mirror"


def test_what_was_decided_of_a_table_is_reported_without_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = MemoryStore()
    write(tmp_path, "0001-invoices.md", "# 1. Invoices\n\nStatus: accepted\n\nshop.billing.invoice is never deleted.\n")
    publish(KnowledgeFolder(tmp_path), Layout(flat=Place("project", "till", "adr")), store, "2026-11-23T08:00:00Z")
    monkeypatch.setattr(deployed, "store_in_bucket", lambda *_: store)
    app = application(KNOWLEDGE)
    assert app.guidance is not None
    table = TableIdentity("shop", "billing", "invoice")
    reader = Caller("alice", identity=Identity("alice", projects=("till",)))
    assert [each.id for each in app.guidance().about(table, reader)] == ["0001-invoices"]
    assert app.guidance().about(table, replace(reader, identity=Identity("bob", projects=("other",)))) == []


@each_case(
    ("variable", "value", "told"),
    [
        (
            "TRIBAL_KNOWLEDGE",
            '{"branch": "main"}',
            r"_KNOWLEDGE: knowledge\.repository: .*`knowledge` in the environment file",
        ),
        ("TRIBAL_SYNC_STALE_HOURS", "soon", r"`knowledge\.stale_hours` in the environment file"),
    ],
)
def test_unusable_settings_are_reported_by_their_key_in_the_environments_file(
    variable: str, value: str, told: str
) -> None:
    with pytest.raises(ConfigurationError, match=told):
        application({variable: value})
