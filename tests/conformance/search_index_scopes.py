"""What every index keeps from readers with a scope, beyond the records that they may not see."""

from __future__ import annotations

import pytest

from tests.cases import each_case
from tests.conformance.index_entries import (
    EVERYWHERE,
    Index,
    change,
    column_entry,
    fill,
    found,
    lexical,
    near,
    nearest,
    table_entry,
    vector,
)
from tribal.identity.scope import Scope
from tribal.ports import IndexEntry, IndexFilter

SALES = Scope(schemas=frozenset({("shop", "sales")}))
SHOP = Scope(databases=frozenset({"shop"}))
HIDDEN = frozenset({"vault", "vault."})
NARROW = IndexFilter(scope=SALES, hidden=HIDDEN)


def told(name: str, **parts: tuple[str, ...]) -> IndexEntry:
    """A table record with a name, a body and these other parts."""
    entry = table_entry(f"shop.sales.{name}", names=[name], body=["body"], near=vector(1), name_near=vector(0, 1))
    return _replaced(entry, parts)


def _replaced(entry: IndexEntry, parts: dict[str, tuple[str, ...]]) -> IndexEntry:
    return IndexEntry(entry.record, entry.names, entry.body, entry.vector, entry.name_vector, **parts)


@pytest.fixture(name="two")
def two_fixture(index: Index) -> Index:
    """One table whose texts mention what is hidden, and one whose do not."""
    fill(
        index,
        told("telling", prose=("ledger", "both"), mentions=("copied", "vault")),
        told("silent", prose=("both",), mentions=("copied",), beyond=("far",)),
    )
    return index


def test_prose_that_mentions_what_is_hidden_is_not_searched(two: Index) -> None:
    for where in (NARROW, IndexFilter(scope=SHOP, hidden=HIDDEN), IndexFilter(hidden=HIDDEN)):
        assert found(two, "ledger", where=where) == []
        assert found(two, "both", where=where) == ["silent"]
        assert sorted(found(two, "body", where=where)) == ["silent", "telling"]
        assert found(two, "telling", where=where) == ["telling"]
    assert found(two, "ledger") == ["telling"]
    assert sorted(found(two, "both", where=IndexFilter(scope=SALES))) == ["silent", "telling"]


def test_what_names_other_schemas_is_searched_by_who_sees_whole_databases(two: Index) -> None:
    assert found(two, "far") == found(two, "far", where=IndexFilter(scope=SHOP, hidden=HIDDEN)) == ["silent"]
    assert found(two, "far", where=IndexFilter(scope=SALES)) == found(two, "far", where=NARROW) == []


def test_terms_count_where_they_may_be_searched(two: Index) -> None:
    terms = ["both", "ledger", "far", "body"]
    assert two.term_counts(terms, "table", EVERYWHERE) == {"both": 2, "ledger": 1, "far": 1, "body": 2}
    assert two.term_counts(terms, "table", NARROW) == {"both": 1, "body": 2}


def test_matches_name_the_terms_that_may_be_searched(two: Index) -> None:
    hits = lexical(two, ["both", "body", "ledger"], "table", NARROW, 10)
    names = two.records([hit.record_id for hit in hits])
    matched = {str(names[hit.record_id].table_name): hit.matched for hit in hits}
    assert matched == {"silent": {"both", "body"}, "telling": {"body"}}


def test_a_table_whose_texts_may_not_be_searched_is_compared_by_its_name(two: Index) -> None:
    assert near(two, 1, where=NARROW) == ["silent", "telling"]
    scores = [hit.score for hit in nearest(two, vector(1), "table", NARROW, 10)]
    assert scores == pytest.approx([1, 0], abs=1e-3)
    assert near(two, 0, 1, where=NARROW) == ["telling", "silent"]
    assert [hit.score for hit in nearest(two, vector(1), "table", EVERYWHERE, 10)] == pytest.approx([1, 1], abs=1e-3)
    assert len(nearest(two, vector(1), "table", NARROW, 1)) == 1


def test_a_column_whose_texts_may_not_be_searched_is_not_compared(index: Index) -> None:
    plain = column_entry("shop.sales.orders", "plain", near=vector(1))
    telling = column_entry("shop.sales.people", "telling", near=vector(1))
    fill(index, plain, _replaced(telling, {"mentions": ("vault",)}))
    assert len(nearest(index, vector(1), "column", EVERYWHERE, 10)) == 2
    assert [hit.record_id for hit in nearest(index, vector(1), "column", NARROW, 10)] == [plain.record.id]


def test_a_text_that_no_longer_mentions_hidden_names_is_searched_again(index: Index) -> None:
    fill(index, told("telling", prose=("ledger",), mentions=("vault",)))
    assert found(index, "ledger", where=NARROW) == []
    entry = told("telling", prose=("ledger",), mentions=("copied",))
    change(index, {str(entry.record.source_path): [entry]})
    assert found(index, "ledger", where=NARROW) == ["telling"]


def test_any_number_of_words_may_be_hidden(two: Index) -> None:
    many = frozenset(f"word{number}" for number in range(70_000)) | HIDDEN
    where = IndexFilter(scope=SALES, hidden=many)
    assert found(two, "both", where=where) == ["silent"]


@each_case("word", ["a.", '"', "x y", "本", "' OR 1=1", "*"])
def test_a_hostile_word_hides_what_mentions_it_and_nothing_else(index: Index, word: str) -> None:
    fill(index, told("one", prose=("both",), mentions=(word,)), told("other", prose=("both",), mentions=("b",)))
    assert found(index, "both", where=IndexFilter(scope=SALES, hidden=frozenset({word}))) == ["other"]
