"""The index of the documentation with the vectors of a server, as users have it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.edges.cli.tribal_command import tribal
from tests.edges.mcp.asked import index_project
from tests.fakes.openai import FakeOpenAI
from tests.sample_shop.indexed import shop_tables, write_documentation
from tribal.adapters.local.folder import FolderStore
from tribal.app.local import local_application
from tribal.ports import Application, Caller
from tribal.settings import load_settings
from tribal.tools.call import call_tool

QUESTION = "What did each of the customers buy?"
DATABASES = """databases:
  - {name: shop, dsn: "postgresql://u@127.0.0.1:1/shop"}
  - {name: web, dsn: "postgresql://u@127.0.0.1:1/web", describer: rules}
"""
EMBEDDER = "embedder: {{provider: ollama, name: nomic-embed-text, base_url: '{address}', near: 0.6}}\n"


@pytest.fixture
def server(open_vendor: Callable[[str], FakeOpenAI]) -> FakeOpenAI:
    return open_vendor("ollama")


@pytest.fixture
def project(tmp_path: Path, server: FakeOpenAI) -> Path:
    index_project(tmp_path)
    write_documentation(FolderStore(tmp_path), shop_tables())
    (tmp_path / "databases.yaml").write_text(DATABASES + EMBEDDER.format(address=server.address))
    return tmp_path


@pytest.fixture
def app(project: Path) -> Iterator[Application]:
    done = tribal("index", cwd=project)
    assert done.returncode == 0, done.stderr
    assert "it is rebuilt with vectors of 'ollama/nomic-embed-text'" in done.stderr
    with closing(local_application(load_settings(project=project, environment={}, needs_databases=False))) as built:
        yield built


def warnings(app: Application, caller: Caller, **arguments: Any) -> list[str]:
    answer: Any = call_tool("search_tables", {"query": QUESTION, **arguments}, caller, app)
    assert answer.success
    assert answer.tables
    return [each.message for each in answer.warnings or [] if each.code == "IDX_EMBEDDING_FAILED"]


def sent(server: FakeOpenAI) -> list[str]:
    return [text for call in server.calls for text in call.body["input"]]


def test_the_question_is_sent_as_asked_and_nothing_of_a_database_that_is_kept_from_models(
    app: Application, server: FakeOpenAI
) -> None:
    assert any("order line" in text for text in sent(server))
    assert not any("visit" in text for text in sent(server))
    server.calls.clear()
    assert warnings(app, Caller("ada")) == [
        "only words were searched in web: describer: rules keeps them from the server"
    ]
    assert sent(server) == [QUESTION]
    assert warnings(app, Caller("ada"), database="shop") == []


def test_callers_without_the_right_and_databases_that_are_kept_search_by_words_and_send_nothing(
    app: Application, server: FakeOpenAI
) -> None:
    server.calls.clear()
    (warning,) = warnings(app, Caller("ada", rights=frozenset({"documentation:read"})))
    assert "needs the right 'chat:ask'" in warning
    assert len(warnings(app, Caller("ada"), database="web")) == 1
    assert sent(server) == []


def test_without_the_server_words_are_searched_and_the_answer_says_so(app: Application, server: FakeOpenAI) -> None:
    server.stop()
    (warning,) = [each for each in warnings(app, Caller("ada")) if "in web" not in each]
    assert "only words were searched: ollama/nomic-embed-text" in warning
