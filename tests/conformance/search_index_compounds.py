"""Every index finds compounds, however the name and the question write them."""

from __future__ import annotations

from tests.cases import each_case
from tests.conformance.index_entries import EVERYWHERE, Index, fill, lexical, table_entry
from tribal.capabilities.retrieval.searching.query import read_question, search_terms, words_to_find
from tribal.identity.hashing import record_id
from tribal.indexing.texts import SplitNames


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
