"""The part `passages`: a page of an uploaded document, for callers who may see its collection, until it is removed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.capabilities.chat.made import made_chat
from tests.cases import each_case
from tests.fakes import MemoryStore
from tests.fakes.passages import passage
from tests.page_data.test_first_view import page_of
from tests.page_data.test_parts import Page
from tests.sample_shop.indexed import shop_tables
from tribal.capabilities.chat.collections.files import CollectionFiles
from tribal.capabilities.chat.collections.removal import withdraw
from tribal.page_data.passages import MOST_PASSAGES
from tribal.ports import Caller
from tribal.ports.remembering.identity import Identity
from tribal_contracts.chat.collections import CollectionManifest, CollectionSource, StoredPassage
from tribal_contracts.chat.settings import CollectionEntry

MANUAL, OTHER, PLANS = "a" * 64, "b" * 64, "c" * 64
HOSTILE = "</script><img src=x onerror=alert(1)> [x](javascript:alert(1))"
ADDED, LATER = "2026-11-28T00:00:00Z", "2026-11-29T00:00:00Z"
READER = Caller("reader")
OF_TEAM = Caller("ann", identity=Identity(user="ann", teams=("finance",)))


def add(
    store: MemoryStore, collection: str, source_id: str, texts: dict[int, list[str]], path: str | None, added: str
) -> None:
    """Add a file whose pages have these passages; one more page has no text."""
    files, numbers = CollectionFiles(store, collection), iter(range(10_000))
    lines = [
        StoredPassage(**passage(text, next(numbers), "manual.pdf", page).model_dump(), vector="")
        for page, some in texts.items()
        for text in some
    ]
    store.put_lines(files.passages_key(source_id), (each.to_compact_json() for each in lines))
    source = CollectionSource(
        source_id=source_id,
        names=["manual.pdf"],
        paths=[] if path is None else [path],
        kind="pdf",
        pages=max(texts) + 1,
        passages=len(lines),
        added_at=added,
    )
    files.change_manifest(lambda before: CollectionManifest(sources=[*before.sources, source]))


@pytest.fixture(name="page")
def page_fixture(tmp_path: Path) -> Page:
    store = MemoryStore()
    many = [f"Passage {number}." for number in range(MOST_PASSAGES + 5)]
    texts = {1: ["Invoices are due in 30 days.", HOSTILE], 2: many, 3: many[:MOST_PASSAGES]}
    add(store, "handbook", MANUAL, texts, None, ADDED)
    add(store, "handbook", OTHER, {1: ["Of the archive."]}, "2025/manual.pdf", ADDED)
    add(store, "plans", PLANS, {1: ["We buy the competitor."]}, None, ADDED)
    page = page_of(shop_tables(), tmp_path, store)
    entries = (
        CollectionEntry(name="handbook"),
        CollectionEntry(name="plans", layer="team", owner="finance"),
    )
    page.app = made_chat(page.app, *entries).app
    return page


def test_a_page_is_shown_as_answers_quote_it(page: Page) -> None:
    assert page.part("passages", collection="handbook", file="manual.pdf", path="2025/manual.pdf", page="1") == {
        "title": "2025/manual.pdf, page 1",
        "file": "manual.pdf",
        "path": "2025/manual.pdf",
        "page": 1,
        "pages": 2,
        "passages": ["Of the archive."],
    }
    withdraw(CollectionFiles(page.app.store(), "handbook"), OTHER, LATER)
    shown = page.part("passages", collection="handbook", file="manual.pdf", page="1")
    assert (shown["title"], shown["pages"]) == ("manual.pdf, page 1", 4)
    assert shown["passages"] == ["Invoices are due in 30 days.", HOSTILE]


def test_a_page_has_a_limit_and_may_have_no_text(page: Page) -> None:
    withdraw(CollectionFiles(page.app.store(), "handbook"), OTHER, LATER)
    parts = [
        page.part("passages", collection="handbook", file="manual.pdf", page=number) for number in ("1", "2", "3", "4")
    ]
    assert [len(part["passages"]) for part in parts] == [2, MOST_PASSAGES, MOST_PASSAGES, 0]
    assert [part.get("truncated") for part in parts] == [None, True, None, None]


@each_case(
    ("query", "status"),
    [
        ({"collection": "nowhere"}, 404),
        ({"collection": "catalog"}, 404),
        ({"collection": "../sessions"}, 404),
        ({"collection": "plans"}, 404),
        ({"file": "elsewhere.pdf"}, 404),
        ({"file": "2025/manual.pdf"}, 404),
        ({"file": "../../sessions/open-gaps.json"}, 404),
        ({"path": "2024/manual.pdf"}, 404),
        ({"page": "0"}, 404),
        ({"page": "5"}, 404),
        ({"page": "999999999"}, 404),
        ({"page": "9999999999"}, 400),
        ({"page": "-1"}, 400),
        ({"page": "one"}, 400),
        ({"page": "²"}, 400),
        ({"page": ""}, 400),
        ({"collection": ""}, 400),
        ({"file": ""}, 400),
    ],
)
def test_what_does_not_exist_is_not_found(page: Page, query: dict[str, str], status: int) -> None:
    asked = {"collection": "handbook", "file": "manual.pdf", "page": "1", **query}
    assert page.asked("passages", READER, **asked)[0] == status


def test_a_collection_of_others_does_not_exist(page: Page) -> None:
    def refusal(collection: str) -> str:
        status, refused = page.asked("passages", READER, collection=collection, file="manual.pdf", page="1")
        assert status == 404
        return str(refused["error"]["message"]).replace(collection, "X")

    assert refusal("plans") == refusal("planz")
    found = page.asked("passages", OF_TEAM, collection="plans", file="manual.pdf", page="1")
    assert (found[0], found[1]["passages"]) == (200, ["We buy the competitor."])
    no_reader = Caller("x", rights=frozenset({"interrogation:read"}))
    assert page.asked("passages", no_reader, collection="handbook", file="manual.pdf", page="1")[0] == 403


def test_a_removed_file_is_gone_at_once_and_so_is_one_whose_passages_are(page: Page) -> None:
    files = CollectionFiles(page.app.store(), "handbook")
    withdraw(files, OTHER, LATER)
    withdraw(files, MANUAL, LATER)
    query = {"collection": "handbook", "file": "manual.pdf", "page": "1"}
    assert page.asked("passages", READER, **query)[0] == 404
    plans = CollectionFiles(page.app.store(), "plans")
    plans.erase(plans.source_folder(PLANS))
    assert page.asked("passages", OF_TEAM, **{**query, "collection": "plans"})[0] == 404
