"""What others learned of a table is reported with it, where it is surely about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cases import each_case
from tests.fakes.application import application_of, with_memory
from tests.fakes.memory_store import MemoryStore
from tests.sample_shop.indexed import table_document, with_relations
from tests.sample_shop.retrieval import toolbox_over
from tribal.adapters.sqlite.memories import SqliteMemories
from tribal.adapters.wordllama.embedder import WordLlamaEmbedder
from tribal.capabilities.memory.guidance import MemoryGuidance
from tribal.capabilities.retrieval.guidance import MOST_ITEMS, MOST_TOKENS
from tribal.capabilities.retrieval.table_schema import get_table_schema
from tribal.capabilities.retrieval.toolbox import Toolbox
from tribal.errors import MemoryStoreFailed
from tribal.identity.scope import Scope
from tribal.identity.table_names import TableIdentity
from tribal.ports import Application, Caller, MemoryIndex, Provider
from tribal.ports.remembering.guidance import Guidance
from tribal.ports.remembering.identity import Identity
from tribal.ports.tool import tokens_of
from tribal.tools.call import call_tool
from tribal.tools.registry import EVERYTHING
from tribal_contracts import GetTableSchemaInput, GuidanceItem, MemorySettings

ADA = Caller("ada", identity=Identity("ada", session="s1", projects=("shop",), teams=("billing",)))
BOB = Caller("bob", identity=Identity("bob", projects=("shop",)))
EVE = Caller("eve", identity=Identity("eve", projects=("plant",)))


@pytest.fixture(name="shop", scope="module")
def shop_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Toolbox]:
    tables = [
        table_document("shop.public.invoice", "id void_at total", domain="d"),
        table_document("shop.public.order_item", "id sku", domain="d"),
        table_document("shop.public.stock", "id", domain="d"),
        table_document("shop.audit.stock", "id", domain="d"),
        table_document("crm.public.person", "id", domain="d"),
    ]
    toolbox = toolbox_over(tmp_path_factory.mktemp("shop"), None, with_relations(tables))
    yield toolbox
    toolbox.index.close()


def guidance(text: str, number: int = 1, layer: str = "project", day: int = 20, tables: Sequence[str] = ()) -> Guidance:
    return Guidance(f"mem_{number:020x}", "memory", layer, text, "ada", f"2026-11-{day:02}T02:45:00Z", tables)


def told(toolbox: Toolbox, found: Sequence[Guidance], table: str = "shop.public.invoice") -> list[GuidanceItem]:
    with_guidance = replace(toolbox, guidance=lambda _: found)
    with toolbox.index.reading():
        return get_table_schema(GetTableSchemaInput(table=table), with_guidance).guidance or []


@each_case(
    "text",
    [
        "shop.public.invoice leaves void ones out",
        "Sums over public.invoice need void_at.",
        "PUBLIC.INVOICE is big",
        "`invoice` has void ones",
        "invoice.void_at is set when it is void",
        "Mind public.invoice.total, which is gross",
    ],
)
def test_a_text_that_surely_names_the_table_is_shown(shop: Toolbox, text: str) -> None:
    assert [item.text for item in told(shop, [guidance(text)])] == [text]


@each_case(
    ("text", "table"),
    [
        ("Every invoice is paid in time", "shop.public.invoice"),
        ("Invoice. Total is gross", "shop.public.invoice"),
        ("invoice.pdf is attached", "shop.public.invoice"),
        ("billing.invoice is another system's", "shop.public.invoice"),
        ("crm.public.invoice is not here", "shop.public.invoice"),
        ("`stock` is counted at night", "shop.public.stock"),
        ("stock.id is a serial", "shop.public.stock"),
        ("audit.stock is written by a trigger", "shop.public.stock"),
        ("order_items are many", "shop.public.order_item"),
        ("reorder_item is a job", "shop.public.order_item"),
    ],
)
def test_a_word_a_name_of_several_and_a_name_of_another_are_not(shop: Toolbox, text: str, table: str) -> None:
    assert told(shop, [guidance(text)], table) == []


def test_a_name_that_is_no_word_is_enough_when_it_is_the_tables_alone(shop: Toolbox) -> None:
    assert len(told(shop, [guidance("Join ORDER_ITEM before it is summed")], "shop.public.order_item")) == 1


@each_case(
    ("names", "expected"),
    [
        (["shop.public.invoice"], 1),
        (["public.invoice"], 1),
        (["invoice"], 1),
        (["shop.public.stock", "shop.public.invoice"], 1),
        (["shop.public.stock"], 0),
        (["nothing", ".", '"', ""], 0),
    ],
)
def test_the_tables_that_a_memory_says_it_is_about_are_enough(
    shop: Toolbox, names: Sequence[str], expected: int
) -> None:
    assert len(told(shop, [guidance("It is summed at night", tables=names)])) == expected


def test_the_nearest_layer_comes_first_and_in_it_the_newest_with_source_and_age(shop: Toolbox) -> None:
    about = ("shop.public.invoice",)
    found = [
        guidance("old", 1, "team", 1, about),
        guidance("new", 2, "team", 19, about),
        guidance("own", 3, "project", 2, about),
        guidance("all", 4, "company", 20, about),
    ]
    items = told(shop, found)
    assert [(item.text, item.layer, item.age) for item in items] == [
        ("own", "project", "19 days"),
        ("new", "team", "2 days"),
        ("old", "team", "20 days"),
        ("all", "company", "1 day"),
    ]
    assert {(item.kind, item.author) for item in items} == {("memory", "ada")}


def test_no_more_is_shown_than_fits_and_a_long_text_is_cut(shop: Toolbox) -> None:
    about = ("shop.public.invoice",)
    many = told(shop, [guidance("void", number, tables=about) for number in range(9)])
    assert len(many) == MOST_ITEMS
    long = told(shop, [guidance("void " * 200, number, tables=about) for number in range(9)])
    assert 0 < len(long) < MOST_ITEMS
    assert long[0].text.endswith("\u2026")
    assert sum(tokens_of(len(item.to_compact_json())) for item in long) <= MOST_TOKENS


def test_a_memory_that_cannot_be_asked_costs_the_guidance_and_not_the_table(
    shop: Toolbox, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(_: TableIdentity) -> Sequence[Guidance]:
        raise MemoryStoreFailed("the index of memories did not answer")

    with shop.index.reading():
        answer = get_table_schema(GetTableSchemaInput(table="shop.public.invoice"), replace(shop, guidance=fails))
    assert (answer.success, answer.guidance) == (True, None)
    assert "the index of memories did not answer" in caplog.text


@pytest.fixture(name="app")
def app_fixture(shop: Toolbox, tmp_path: Path) -> Iterator[Application]:
    index = SqliteMemories(tmp_path / "memories.db")
    memories: Provider[MemoryIndex] = Provider.of(index)
    yield with_memory(
        replace(
            application_of(shop),
            store=Provider.of(MemoryStore()),
            embedder=Provider(WordLlamaEmbedder),
            guidance=Provider.of(MemoryGuidance(memories)),
        ),
        index=memories,
        settings=MemorySettings(writable_layers=["user", "session", "project", "team"], writes_per_minute=0),
    )
    index.close()


def seen(app: Application, caller: Caller, table: str = "shop.public.invoice") -> list[str]:
    answer = call_tool("get_table_schema", {"table": table}, caller, app, EVERYTHING)
    return [item["text"] for item in answer.model_dump().get("guidance") or []]


def add(app: Application, caller: Caller, content: str, layer: str, **more: object) -> None:
    answer = call_tool("memory_add", {"content": content, "layer": layer, **more}, caller, app, EVERYTHING)
    assert answer.model_dump()["success"], answer


def test_shared_memories_are_shown_to_those_who_share_them_and_private_ones_to_no_one(app: Application) -> None:
    for layer in ("user", "session", "project", "team"):
        add(app, ADA, f"public.invoice: told by the {layer}", layer)
    assert seen(app, ADA) == ["public.invoice: told by the project", "public.invoice: told by the team"]
    assert seen(app, BOB) == ["public.invoice: told by the project"]
    assert seen(app, EVE) == []
    assert seen(app, replace(BOB, rights=frozenset({"documentation:read"}))) == []
    assert seen(app, ADA, "shop.public.order_item") == []


def test_scope_holds_for_what_is_remembered_and_for_which_names_are_sure(app: Application) -> None:
    add(app, ADA, "Persons are joined by hand", "project", metadata={"tables": ["crm.public.person"]})
    add(app, ADA, "`stock` is counted at night", "project")
    public = replace(BOB, scope=Scope(schemas=frozenset({("shop", "public")})))
    assert seen(app, BOB, "crm.public.person") == ["Persons are joined by hand"]
    assert seen(app, replace(BOB, scope=Scope(frozenset({"crm"}))), "crm.public.person") == [
        "Persons are joined by hand"
    ]
    assert seen(app, public, "crm.public.person") == []
    assert seen(app, BOB, "shop.public.stock") == []
    assert seen(app, public, "shop.public.stock") == ["`stock` is counted at night"]
