"""A table that only relates others comes behind one of them, unless the question says more of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.cases import each_case
from tests.sample_shop.indexed import Key, table_document, with_relations
from tests.sample_shop.retrieval import call, found, toolbox_over
from tribal.adapters.wordllama.embedder import WordLlamaEmbedder
from tribal.capabilities.retrieval.toolbox import Toolbox
from tribal.identity.scope import Scope

JUNCTION = "gym.club.contract_options"


@pytest.fixture(name="gym", scope="module")
def gym_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Toolbox]:
    contract, option = Key(("contract_id",), "sales.contract", ("id",)), Key(("option_id",), "club.option", ("id",))
    tables = [
        table_document("gym.sales.contract", "id member amount payment note signed_on", domain="d"),
        table_document("gym.club.option", "id title", domain="d"),
        table_document(JUNCTION, "id contract_id option_id", domain="d", keys=[contract, option]),
        table_document("gym.club.trainer", "id name", domain="d"),
    ]
    toolbox = toolbox_over(tmp_path_factory.mktemp("gym"), WordLlamaEmbedder(), with_relations(tables))
    yield toolbox
    toolbox.index.close()


@each_case("query", ["contract of membership", "gym contracts", "which contract ids are there in the gym"])
def test_it_comes_behind_what_the_question_is_about(gym: Toolbox, query: str) -> None:
    names = found(call(gym, "search_tables", query=query))
    assert names.index("gym.sales.contract") == names.index(JUNCTION) - 1


@each_case("query", ["contract_options", "contract option", "optional contracts"])
def test_it_comes_first_if_the_question_says_what_it_relates(gym: Toolbox, query: str) -> None:
    assert found(call(gym, "search_tables", query=query))[0] == JUNCTION


def test_it_does_not_come_behind_what_the_caller_may_not_see(gym: Toolbox) -> None:
    narrow = replace(gym, scope=Scope(schemas=frozenset({("gym", "club")})))
    assert found(call(narrow, "search_tables", query="contract of membership"))[0] == JUNCTION
