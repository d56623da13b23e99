"""A real server of llama.cpp with a real small model, which is not up to describing tables."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from servers.llama_cpp import MODEL, LlamaCppServer, LlamaCppUnavailable
from tests.fakes.catalogs import column, table
from tests.plugins.skips import skip_or_fail
from tests.runs.model.made import ModelRuns
from tribal.errors import ConfigurationError
from tribal.store.model_tests import read_model_record

TABLES = [
    table("finance.booking", column("cost_ctr", "text"), column("amt", "numeric")),
    table("sales.shipment", column("dlv_dt", "date"), column("wgt_kg", "numeric")),
]
OWN_WORDS = {
    "finance.booking": "booking",
    "cost_ctr": "cost|cent(?:er|re)",
    "amt": "amount",
    "sales.shipment": "ship",
    "dlv_dt": "deliver|date",
    "wgt_kg": "weigh|kilogram",
}
"""What a text about a subject says at least, if it is about it."""


@pytest.fixture
def runs() -> Iterator[ModelRuns]:
    try:
        server = LlamaCppServer.start()
    except LlamaCppUnavailable as unavailable:
        skip_or_fail(str(unavailable))
    with server:
        settings = {"provider": "openai", "name": MODEL, "base_url": server.address, "api_key_secret": None}
        yield ModelRuns(server, TABLES, settings={**settings, "calls_at_once": None, "accept_unfit": None})  # type: ignore[arg-type]  # a real one


@pytest.mark.verify
@pytest.mark.server
def test_it_is_judged_unfit_and_if_it_is_accepted_nothing_false_is_published(runs: ModelRuns) -> None:
    with pytest.raises(ConfigurationError, match="failed the test with built-in tables"):
        runs.run()
    known = read_model_record(runs.store, runs.model_settings())
    assert known is not None
    assert known.binds_answers
    assert known.test is not None
    assert known.test.read >= 3
    assert not known.test.is_fit

    runs.settings = {**runs.settings, "accept_unfit": True}
    runs.sink.texts.clear()
    record = runs.run()
    assert record.status == "completed"
    assert len(runs.sink.texts) > 10
    assert len(runs.prose()) >= 2
    published = [
        (name, said.text)
        for each in TABLES
        for document in [runs.document(f"shop.{each.schema_name}.{each.table_name}")]
        for name, said in [
            (f"{each.schema_name}.{each.table_name}", document.description),
            *((column.name, column.description) for column in document.columns),
        ]
        if said.source == "model"
    ]
    assert [(name, text) for name, text in published if not re.search(OWN_WORDS[name], text, re.IGNORECASE)] == []
