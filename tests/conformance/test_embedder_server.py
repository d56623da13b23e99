"""The embedder over a server's embeddings API keeps the port's contract."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.conformance.embedder import *  # noqa: F403
from tests.fakes.openai import FakeOpenAI
from tribal.app.local import local_application
from tribal.ports import Caller, Embedder
from tribal.settings import load_settings


@pytest.fixture
def embedder(tmp_path: Path, open_vendor: Callable[[str], FakeOpenAI]) -> Iterator[Embedder]:
    section = f"{{provider: ollama, name: nomic-embed-text, base_url: '{open_vendor('ollama').address}'}}"
    (tmp_path / "databases.yaml").write_text(f"databases: []\nembedder: {section}\n")
    settings = load_settings(project=tmp_path, environment={}, needs_databases=False)
    with closing(local_application(settings)) as app:
        yield app.embedder_of_index(Caller("ada"))


def test_words_of_like_meaning_are_nearer_than_others(embedder: Embedder) -> None:  # type: ignore[no-redef]  # replaces the suite's
    """The fake server knows words only: those that texts share."""
    one, other, third = embedder.embed(["customer address", "customers", "temperature"])
    assert one @ other > one @ third + 0.1
