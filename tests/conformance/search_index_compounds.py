"""Every index finds compounds, however the name and the question write them, and text without spaces."""

from __future__ import annotations

from tests.cases import each_case
from tests.conformance.index_entries import EVERYWHERE, Index, change, fill, lexical, table_entry
from tests.sample_shop.indexed import table_document
from tribal.capabilities.retrieval.searching.query import read_question, search_terms, words_to_find
from tribal.identity.hashing import record_id
from tribal.indexing.texts import SplitNames, prose_terms
from tribal.ports import IndexEntry


@each_case(
    ("name", "question"),
    [
        ("heartrate", "heart rate"),
        ("heart_rate", "heartrate"),
        ("HeartRate", "Which heartrates were measured?"),
        ("work_space", "workspace"),
        ("workspace", "work space"),
        ("web_hooks", "webhook"),
        ("webhooks", "a web hook"),
        ("sign_up", "signups"),
        ("salesorderline", "sales order lines"),
        ("sales_order_line", "salesorderline"),
    ],
)
def test_a_compound_is_found_however_the_name_and_the_question_write_it(index: Index, name: str, question: str) -> None:
    names = SplitNames().terms([name])
    other = SplitNames().terms(["paid_invoices"])
    fill(index, table_entry("shop.sales.hit", names=names), table_entry("shop.sales.miss", names=other))
    concepts = read_question(question)
    counts = index.term_counts(search_terms(concepts), "table", EVERYWHERE)
    words = words_to_find(concepts, counts)
    (hit,) = lexical(index, [term for word in words for term in word.terms], "table", EVERYWHERE, 10)
    assert hit.record_id == record_id("table", "shop", "sales", "hit")
    assert all(word.matched(hit.matched) == 1 for word in words if counts.keys() & word.terms.keys())


@each_case(
    ("text", "question"),
    [
        ("客户订单金额明细，不含税", "订单"),  # noqa: RUF001 - the wide comma is the point
        ("客户订单金额明细，不含税", "哪些客户没有付款"),  # noqa: RUF001
        ("客户订单金额明细，不含税", "税"),  # noqa: RUF001
        ("客户订单金额明细，不含税", "订单 amount"),  # noqa: RUF001
        ("顧客の受注金額を保持する表。", "受注金額"),
        ("カスタマーマスタ", "マスタ"),
        ("고객의 주문을 저장하는 테이블", "주문"),
        ("ข้อมูลลูกค้าและการชำระเงิน", "ลูกค้า"),
    ],
)
def test_words_within_text_without_spaces_are_found(index: Index, text: str, question: str) -> None:
    fill(
        index,
        table_entry("shop.sales.hit", body=prose_terms([text])),
        table_entry("shop.sales.miss", body=prose_terms(["员工考勤记录", "スタッフの一覧", "직원", "พนักงาน"])),
    )
    concepts = read_question(question)
    counts = index.term_counts(search_terms(concepts), "table", EVERYWHERE)
    terms = [term for word in words_to_find(concepts, counts) for term in word.terms]
    (hit,) = lexical(index, terms, "table", EVERYWHERE, 10)
    assert hit.record_id == record_id("table", "shop", "sales", "hit")


def test_the_long_words_of_tables_are_listed_once_and_in_order(index: Index) -> None:
    def entry(name: str, *words: str) -> IndexEntry:
        plain = table_entry(f"shop.sales.{name}", names=[name])
        document = table_document(f"shop.sales.{name}", "id", domain="sales")
        record = plain.record.model_copy(update={"structured": document})
        return IndexEntry(record, plain.names, plain.body, None, long_words=words)

    fill(index, entry("a", "kundenrechnungen", "fälligkeitsdatum"), entry("b", "kundenrechnungen"), entry("c"))
    assert index.long_words() == ["fälligkeitsdatum", "kundenrechnungen"]
    change(index, {"shop/sales/a.json": [entry("a", "lieferadresse")]}, "shop/sales/b.json")
    assert index.long_words() == ["lieferadresse"]
