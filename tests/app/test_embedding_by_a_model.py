"""The index of the documentation with the vectors of a model in a folder, as users have it."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.edges.mcp.asked import index_project
from tests.fakes.onnx_models import write_model
from tribal.app.local import local_application
from tribal.ports import Application, Caller
from tribal.settings import load_settings
from tribal.tools.call import call_tool


@pytest.fixture
def project(tmp_path: Path) -> Path:
    index_project(tmp_path)
    write_model(tmp_path / "model", [[1, 2], [2, 1]])
    (tmp_path / "databases.yaml").write_text("databases: []\nembedder: {onnx: model}\n")
    return tmp_path


def opened(project: Path) -> Application:
    return local_application(load_settings(project=project, environment={}, needs_databases=False))


def warning(app: Application) -> str:
    answer: Any = call_tool("search_tables", {"query": "customer"}, Caller("ada"), app)
    assert answer.tables
    (found,) = [each.message for each in answer.warnings if each.code == "IDX_EMBEDDING_FAILED"]
    return str(found)


def test_an_index_of_another_embedder_is_searched_by_words_and_the_answer_says_what_to_run(project: Path) -> None:
    with closing(opened(project)) as app:
        assert "but 'onnx/" in warning(app)
        assert warning(app).endswith("is configured; run `tribal index`")
        (ready,) = [each for each in app.run.model_readiness(False) if each.section == "embedder"]
        assert ready.missing == ""


def test_what_is_wrong_with_the_folder_is_said_by_answers_and_by_the_check(project: Path) -> None:
    (project / "model" / "tokenizer.json").unlink()
    with closing(opened(project)) as app:
        assert "only words were searched: embedder.onnx: there is no tokenizer.json" in warning(app)
        (ready,) = [each for each in app.run.model_readiness(False) if each.section == "embedder"]
        assert "there is no tokenizer.json" in ready.missing
