"""Which index of memories a deployed function gets."""

from __future__ import annotations

import pytest

from tribal.adapters.journal.memories import JournalMemories
from tribal.adapters.opensearch.memories import OpenSearchMemories
from tribal.app.deployed import deployed_application
from tribal.capabilities.memory.parts import MemoryParts
from tribal.errors import ConfigurationError
from tribal.ports.application import Application
from tribal.settings.deployment import load_deployment
from tribal_contracts import MemorySettings

PLACE = {"TRIBAL_STORE": "s3://bucket", "AWS_REGION": "eu-central-1"}
SEARCH = {"TRIBAL_INDEX": "opensearch", "TRIBAL_SEARCH_ENDPOINT": "https://localhost"}
FILES = {"TRIBAL_INDEX": "sqlite"}


@pytest.fixture(autouse=True)
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")


def application(*parts: dict[str, str]) -> Application:
    values = {name: value for part in (PLACE, *parts) for name, value in part.items()}
    return deployed_application(load_deployment(values))


def test_without_memory_in_the_environment_it_is_not_configured() -> None:
    assert application(FILES).part(MemoryParts) is None
    assert application(SEARCH).part(MemoryParts) is None


@pytest.mark.parametrize(("where", "kind"), [(FILES, JournalMemories), (SEARCH, OpenSearchMemories)])
def test_it_is_where_the_index_of_tables_is(where: dict[str, str], kind: type[object]) -> None:
    parts = application(where, {"TRIBAL_MEMORY": "{}"}).part(MemoryParts)
    assert parts is not None
    assert isinstance(parts.index(), kind)


def test_it_is_allowed_what_the_environments_file_says() -> None:
    allowed = application(FILES, {"TRIBAL_MEMORY": '{"writable_layers": ["user"], "writes_per_minute": 2}'})
    parts = allowed.part(MemoryParts)
    assert parts is not None
    assert parts.settings == MemorySettings(writable_layers=["user"], writes_per_minute=2)


def test_unusable_settings_are_reported_by_their_key_in_the_environments_file() -> None:
    with pytest.raises(
        ConfigurationError, match=r"TRIBAL_MEMORY: memory\.writes_per_minute: .*`memory` in the environment file"
    ):
        application(FILES, {"TRIBAL_MEMORY": '{"writes_per_minute": -1}'})
