"""The part `caller`: which collections send a question to a model or to a server, so that the page asks first."""

from __future__ import annotations

from pathlib import Path

from tests.capabilities.chat.made import made_chat
from tests.page_data.test_first_view import page_of
from tests.sample_shop.indexed import shop_tables
from tribal.capabilities.chat.parts import without_models
from tribal.ports import Application
from tribal_contracts.chat.settings import CollectionEntry
from tribal_contracts.core.models import EmbeddingEntry


def test_collections_with_a_model_or_an_embedding_server_say_so_unless_neither_may_be_asked(tmp_path: Path) -> None:
    page = page_of(shop_tables(), tmp_path)
    embedding = EmbeddingEntry(provider="gemini", name="gemini-embedding-001", api_key_secret="KEY")
    entries = (
        CollectionEntry(name="handbook"),
        CollectionEntry(name="manuals", models=["fast"]),
        CollectionEntry(name="plans", embedding=embedding),
    )
    app = made_chat(page.app, *entries).app

    def asks(app: Application) -> dict[str, bool]:
        page.app = app
        return {name: asks_models for name, _, asks_models in page.part("caller")["collections"]}

    assert asks(app) == {"catalog": False, "handbook": False, "manuals": True, "plans": True}
    assert not any(asks(without_models(app)).values())
