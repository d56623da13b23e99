"""What every index does. A test module imports `*` from here and supplies four fixtures.

`index` is an index in which nothing has been written; `other` is a second handle on the same index, as another process
would have; `elsewhere` is another index; `traces` lists what lies where `index` is kept. The bodies know nothing but
the port, so that a file and a cluster are held to the same words.
"""

from __future__ import annotations

import numpy as np
import pytest

from tests.cases import each_case
from tests.conformance.index_entries import (
    AT,
    DIMENSIONS,
    EVERYWHERE,
    HASH_A,
    HASH_B,
    MODEL,
    Index,
    change,
    column_entry,
    domain_entry,
    fill,
    found,
    held,
    key_graph,
    lexical,
    metadata,
    near,
    nearest,
    table_entry,
    vector,
)
from tests.conformance.search_index_compounds import *  # noqa: F403
from tests.conformance.search_index_generations import *  # noqa: F403
from tests.conformance.search_index_scopes import *  # noqa: F403
from tests.conformance.search_index_vectors import *  # noqa: F403
from tests.sample_shop.indexed import Key, table_document
from tribal.errors import IndexNotReady
from tribal.identity.hashing import record_id
from tribal.identity.scope import Scope
from tribal.joins.outline import TableOutline
from tribal.ports import IndexCounts, IndexEntry, IndexFilter, VectorQuery, WordQuery
from tribal_contracts import Description, DocumentedColumn, DocumentedKey, TableCopy, TableDocument

HOSTILE_TERMS = [
    *(
        "AND",
        "OR",
        "NOT",
        "NEAR",
        '"',
        "C++",
        "user-agent",
        "o'brien",
        "a\x00b",
        "😀",
        "naïve",
        "%",
        "*",
        "a b",
        "{x}:",
    ),
    *("select", "col:umn", "--", ";", "\\", "(", "^", "\uff41\uff42", "x" * 400),
]


def test_an_index_that_was_never_written_is_not_ready(index: Index) -> None:
    assert index.metadata() is None
    for read in (
        lambda: lexical(index, ["a"], "table", EVERYWHERE, 1),
        lambda: nearest(index, vector(1), "table", EVERYWHERE, 1),
        lambda: index.records([1]),
        lambda: index.documents([1], TableOutline),
        lambda: index.tables(EVERYWHERE),
        lambda: index.domain_records(EVERYWHERE),
        lambda: index.key_graph(),
        lambda: index.generation(),
        lambda: index.term_counts(["a"], "table", IndexFilter()),
    ):
        with pytest.raises(IndexNotReady):
            read()
    with index.reading(), pytest.raises(IndexNotReady):
        index.tables(EVERYWHERE)


def test_what_is_finished_is_read_through_another_handle(index: Index, other: Index) -> None:
    fill(index, table_entry(names=["order"], near=vector(1)))
    assert other.metadata() == metadata()
    assert other.key_graph() == key_graph()
    assert found(other, "order") == ["orders"]
    assert near(other, 1) == ["orders"]


def test_closing_and_asking_again_gives_the_same_answers(index: Index) -> None:
    fill(index, table_entry(names=["order"], near=vector(1)))
    index.close()
    assert found(index, "order") == ["orders"]
    assert index.metadata() == metadata()


def test_metadata_and_key_graph_are_replaced_whole(index: Index) -> None:
    fill(index, table_entry())
    index.begin(MODEL, DIMENSIONS)
    index.finish(metadata(HASH_B), key_graph("one", "two"))
    assert index.metadata() == metadata(HASH_B)
    assert index.key_graph() == key_graph("one", "two")


def test_a_changed_file_leaves_nothing_of_its_old_records(index: Index) -> None:
    fill(index, table_entry(names=["old"], near=vector(1)), table_entry("shop.sales.kept", names=["kept"]))
    old = table_entry()
    path = str(old.record.source_path)
    renamed = table_entry("shop.sales.renamed", names=["new"], near=vector(0, 1), content_hash=HASH_B)
    change(index, {path: [renamed]})
    assert found(index, "old") == []
    assert found(index, "new") == ["renamed"]
    assert near(index, 1) == ["renamed"]
    assert index.records([old.record.id]) == {}
    assert held(index)[path] == HASH_B
    assert [entry.table for entry in index.tables(EVERYWHERE)] == ["kept", "renamed"]


def test_a_removed_file_takes_its_records_along(index: Index) -> None:
    fill(index, table_entry(names=["order"], near=vector(1)), table_entry("shop.sales.kept", names=["kept"]))
    index.begin(MODEL, DIMENSIONS)
    index.replace({}, [str(table_entry().record.source_path), "never/there.json"])
    assert index.counts() == IndexCounts(1, 0)
    index.finish(metadata(), key_graph())
    assert found(index, "order") == []
    assert near(index, 1) == []
    assert list(held(index)) == ["shop/sales/kept.json"]


def test_a_record_that_moves_to_another_file_is_there_once(index: Index) -> None:
    entry, stays = table_entry(names=["order"], near=vector(1)), column_entry("a.b.c", "d", near=vector(1))
    index.begin(MODEL, DIMENSIONS)
    index.replace({"old/place.json": [entry, stays]}, [])
    index.replace({"new/place.json": [entry]}, [])
    assert index.counts() == IndexCounts(2, 2)
    index.replace({}, ["old/place.json"])
    assert index.counts() == IndexCounts(1, 1)
    index.finish(metadata(), key_graph())
    assert found(index, "order") == near(index, 1) == ["orders"]


def test_a_file_without_records_is_remembered_by_its_hash(index: Index) -> None:
    index.begin(MODEL, DIMENSIONS)
    index.replace({"empty.json": []}, [], {"empty.json": HASH_B})
    assert index.begin(MODEL, DIMENSIONS) == {"empty.json": HASH_B}


def test_a_replacement_that_fails_half_way_changes_nothing(index: Index) -> None:
    fill(index, table_entry(names=["order"]))

    def entries() -> dict[str, list[IndexEntry]]:
        broken = table_entry("shop.sales.broken")
        return {"a.json": [table_entry("shop.sales.new", names=["new"])], "b.json": [broken, None]}  # type: ignore[list-item]

    index.begin(MODEL, DIMENSIONS)
    with pytest.raises(AttributeError):
        index.replace(entries(), [str(table_entry().record.source_path)])
    index.finish(metadata(), key_graph())
    assert found(index, "order") == ["orders"]
    assert found(index, "new") == []
    assert len(held(index)) == 1


def test_a_table_that_only_relates_others_is_listed_as_one(index: Index) -> None:
    keys = [Key(("order_id",), "sales.orders", ("id",)), Key(("tag_id",), "sales.tags", ("id",))]
    table = table_document("shop.sales.orders", "id order_id tag_id", domain="sales", keys=keys)
    entry = table_entry()
    fill(index, IndexEntry(entry.record.model_copy(update={"structured": table}), (), (), None))
    assert [one.is_junction for one in index.tables(EVERYWHERE)] == [True]


def test_a_record_comes_back_with_every_field(index: Index) -> None:
    column = DocumentedColumn(
        name="id",
        type="integer",
        nullable=False,
        default_value=None,
        description=Description(text="", source="derived", confidence=0),
        is_primary_key=True,
        is_foreign_key=False,
    )
    table = TableDocument(
        schema_version="1.0",
        name="shop.sales.orders",
        database="shop",
        database_type="snowflake",
        schema_="sales",
        table="orders",
        domain="sales",
        kind="materialized_view",
        description=Description(text='"quoted" <b>\n ünïcödé', source="comment", confidence=1),
        row_count=-1,
        columns=[column],
        primary_key=DocumentedKey(name="orders_pkey", columns=["id"]),
        unique_keys=[],
        foreign_keys=[],
        indexes=[],
        checks=[],
        relations=[],
        copy_of=TableCopy(kind="part", of="shop.sales.all_orders"),
        samples_taken=False,
        documented_at=AT,
        input_hash=HASH_A,
        metadata_hash=HASH_B,
    )
    entry = table_entry()
    with_table = IndexEntry(entry.record.model_copy(update={"structured": table}), (), (), None)
    of_domain, of_column = domain_entry("shop", "sales"), column_entry("shop.sales.orders", "id")
    fill(index, with_table, of_domain, of_column)
    ids = [of_column.record.id, with_table.record.id, 12345, of_domain.record.id]
    assert list(index.records(ids).values()) == [of_column.record, with_table.record, of_domain.record]
    (listed,) = index.tables(EVERYWHERE)
    assert (listed.record_id, listed.database_type, listed.domain) == (with_table.record.id, "snowflake", "sales")
    assert (listed.kind, listed.copy_of, listed.is_junction) == ("materialized_view", table.copy_of, False)
    outline = TableOutline.from_json(table.to_json())
    assert index.documents(ids, TableOutline) == {with_table.record.id: outline}
    assert index.documents(ids, TableDocument) == {with_table.record.id: table}
    assert [(each.name, each.type) for each in outline.columns] == [("id", "integer")]


def test_a_name_weighs_more_than_the_rest(index: Index) -> None:
    fill(
        index,
        table_entry("shop.sales.by_body", names=["thing"], body=["order"]),
        table_entry("shop.sales.by_name", names=["order"], body=["thing"]),
        *(table_entry(f"shop.sales.filler{number}", names=["filler"], body=["filler"]) for number in range(8)),
    )
    assert found(index, "order") == ["by_name", "by_body"]


def test_more_shared_terms_come_first_and_tell_which_they_are(index: Index) -> None:
    fill(
        index,
        table_entry("shop.sales.one", names=["order"], body=["x"]),
        table_entry("shop.sales.both", names=["order"], body=["line"]),
        *(table_entry(f"shop.sales.filler{number}", names=["filler"], body=["filler"]) for number in range(8)),
    )
    first, second = hits = lexical(index, ["order", "line", "missing"], "table", EVERYWHERE, 10)
    assert first.matched == frozenset({"order", "line"})
    assert second.matched == frozenset({"order"})
    assert hits.with_any_of({"line", "x"}).tolist() == [first.record_id]
    assert first.score > second.score > 0
    assert first.table_id == first.record_id == record_id("table", "shop", "sales", "both")


def test_ties_come_in_order_of_id_and_a_limit_cuts_them_there(index: Index) -> None:
    entries = [table_entry(f"shop.sales.t{number}", names=["same"], near=vector(1)) for number in range(6)]
    fill(index, *entries)
    ids = sorted(entry.record.id for entry in entries)
    assert [hit.record_id for hit in lexical(index, ["same"], "table", EVERYWHERE, 4)] == ids[:4]
    assert [hit.record_id for hit in nearest(index, vector(1), "table", EVERYWHERE, 4)] == ids[:4]
    assert lexical(index, ["same"], "table", EVERYWHERE, 0) == []
    assert nearest(index, vector(1), "table", EVERYWHERE, 0) == []


def test_a_hostile_term_finds_itself_and_nothing_else(index: Index) -> None:
    terms = {f"hit{number}": term for number, term in enumerate(HOSTILE_TERMS)}
    hits = [table_entry(f"shop.sales.{name}", names=[term]) for name, term in terms.items()]
    fill(index, *hits, table_entry("shop.sales.miss", names=["innocent"]))
    assert {name: found(index, term) for name, term in terms.items()} == {name: [name] for name in terms}
    assert found(index, "innocent") == ["miss"]
    counts = {term: index.term_counts([term, "absent"], "table", IndexFilter()) for term in HOSTILE_TERMS}
    assert counts == {term: {term: 1} for term in HOSTILE_TERMS}


def test_a_term_is_found_whole_only(index: Index) -> None:
    fill(index, table_entry(names=["user-agent", "ordering"]))
    assert found(index, "user") == []
    assert found(index, "order") == []
    assert found(index) == []
    assert found(index, "") == []


def test_types_of_records_are_searched_apart(index: Index) -> None:
    fill(
        index,
        table_entry(names=["order"], near=vector(1)),
        column_entry("shop.sales.orders", "order_id", names=["order"], near=vector(1)),
    )
    (hit,) = lexical(index, ["order"], "column", EVERYWHERE, 10)
    assert hit.record_id == record_id("column", "shop", "sales", "orders", "order_id")
    assert hit.table_id == record_id("table", "shop", "sales", "orders")
    assert [near_hit.table_id for near_hit in nearest(index, vector(1), "column", EVERYWHERE, 9)] == [hit.table_id]
    assert nearest(index, vector(1), "domain", EVERYWHERE, 9) == []


def test_questions_asked_at_once_are_answered_as_one_by_one(index: Index) -> None:
    fill(
        index,
        table_entry("shop.sales.one", names=["order"], near=vector(1), name_near=vector(0, 1)),
        table_entry("shop.sales.two", names=["line"], near=vector(0, 1), name_near=vector(1)),
        column_entry("shop.sales.one", "id", names=["order"], near=vector(1)),
    )
    narrow = IndexFilter(database="web")
    zero = np.zeros(DIMENSIONS, dtype=np.float32)
    words: list[WordQuery | VectorQuery] = [
        WordQuery(["order", "line"], "table", EVERYWHERE, 9),
        WordQuery([], "table", EVERYWHERE, 9),
        WordQuery(["order"], "table", EVERYWHERE, 0),
        WordQuery(["order"], "column", EVERYWHERE, 9),
        WordQuery(["order"], "table", narrow, 9),
    ]
    vectors = [
        VectorQuery(vector(1), "table", EVERYWHERE, 1),
        VectorQuery(zero, "table", EVERYWHERE, 9),
        VectorQuery(vector(1), "table_name", EVERYWHERE, 9),
        VectorQuery(vector(1), "column", narrow, 9),
    ]
    asked = [*vectors, *words]
    answers = index.candidates(asked)
    assert answers == [index.candidates([question])[0] for question in asked]
    assert [len(answer) for answer in answers] == [1, 0, 2, 0, 2, 0, 0, 1, 0]
    assert index.candidates([]) == []


@pytest.fixture
def three_places(index: Index) -> Index:
    """The same table in two schemas of one database and in another database."""
    entries = [
        table_entry("shop.sales.orders", names=["order"], near=vector(1), domain="sales"),
        table_entry("shop.hr.orders", names=["order"], near=vector(1), domain="people"),
        table_entry("web.sales.orders", names=["order"], near=vector(1), domain="sales"),
    ]
    fill(index, *entries, domain_entry("web", "sales"), domain_entry("shop", "sales"), domain_entry("shop", "people"))
    return index


SEEN = [
    (IndexFilter(), ["shop.hr", "shop.sales", "web.sales"], ["people shop", "sales shop", "sales web"]),
    (IndexFilter(database="shop"), ["shop.hr", "shop.sales"], ["people shop", "sales shop"]),
    (IndexFilter(domain="sales"), ["shop.sales", "web.sales"], ["sales shop", "sales web"]),
    (IndexFilter(scope=Scope(databases=frozenset({"web"}))), ["web.sales"], ["sales web"]),
    (IndexFilter(scope=Scope(databases=frozenset())), [], []),
    (IndexFilter(scope=Scope(schemas=frozenset({("shop", "hr")}))), ["shop.hr"], ["people shop", "sales shop"]),
    (IndexFilter(scope=Scope(schemas=frozenset())), [], []),
    (
        IndexFilter(scope=Scope(frozenset({"web"}), frozenset({("shop", "hr")}))),
        ["shop.hr", "web.sales"],
        ["people shop", "sales shop", "sales web"],
    ),
    (IndexFilter(scope=Scope(databases=frozenset({"web"})), database="shop"), [], []),
    (IndexFilter(domain="' OR 1=1 --"), [], []),
]


@each_case(("where", "schemas", "domains"), SEEN)
def test_every_read_keeps_to_the_filter_and_the_scope(
    three_places: Index, where: IndexFilter, schemas: list[str], domains: list[str]
) -> None:
    index = three_places
    by_word = index.records([hit.record_id for hit in lexical(index, ["order"], "table", where, 10)]).values()
    by_vector = index.records([hit.record_id for hit in nearest(index, vector(1), "table", where, 10)]).values()
    listed = index.tables(where)
    assert [f"{entry.database}.{entry.schema}" for entry in listed] == schemas
    assert sorted(f"{record.database_name}.{record.schema_name}" for record in by_word) == schemas
    assert sorted(f"{record.database_name}.{record.schema_name}" for record in by_vector) == schemas
    assert [f"{record.domain} {record.database_name}" for record in index.domain_records(where)] == domains
    in_scope = index.tables(IndexFilter(scope=where.scope))
    expected = {"order": len(in_scope)} if in_scope else {}
    assert index.term_counts(["order"], "table", IndexFilter(scope=where.scope)) == expected


def test_a_limit_counts_after_the_filter(three_places: Index) -> None:
    where = IndexFilter(database="web")
    assert len(lexical(three_places, ["order"], "table", where, 1)) == 1
    assert len(nearest(three_places, vector(1), "table", where, 1)) == 1


def test_tables_come_in_order_of_their_names(index: Index) -> None:
    names = ["b.a.a", "a.b.z", "a.b.B", "a.b.a", "a.B.a"]
    fill(index, *(table_entry(name) for name in names))
    listed = [f"{entry.database}.{entry.schema}.{entry.table}" for entry in index.tables(EVERYWHERE)]
    assert listed == ["a.B.a", "a.b.B", "a.b.a", "a.b.z", "b.a.a"]


def test_a_reader_sees_what_a_writer_adds(index: Index, other: Index) -> None:
    fill(index, table_entry(names=["order"], near=vector(1)))
    assert near(other, 1) == ["orders"]
    index.begin(MODEL, DIMENSIONS)
    index.replace({"later.json": [table_entry("shop.sales.later", names=["later"], near=vector(1))]}, [])
    index.finish(metadata(HASH_B), key_graph("new"))
    assert sorted(near(other, 1)) == ["later", "orders"]
    assert len(other.tables(EVERYWHERE)) == 2
    assert other.key_graph() == key_graph("new")


def test_thousands_of_records_by_id(index: Index) -> None:
    entries = [table_entry(f"shop.sales.t{number}") for number in range(1200)]
    change(index, {"many.json": entries})
    ids = [entry.record.id for entry in reversed(entries)]
    assert list(index.records(ids)) == ids
    change(index, {"many.json": entries[:1]})
    assert list(index.records(ids)) == [entries[0].record.id]
