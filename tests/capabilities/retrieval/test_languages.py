"""Questions and comments in other languages: scripts without spaces, and compounds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.cases import each_case
from tests.sample_shop.indexed import table_document
from tests.sample_shop.retrieval import call, codes, found, toolbox_over
from tribal.adapters.wordllama.embedder import WordLlamaEmbedder
from tribal.capabilities.retrieval.searching.search import NO_MATCH
from tribal.capabilities.retrieval.toolbox import Toolbox
from tribal.identity.scope import Scope

COMMENTS = {
    "t_ord": "客户订单金额明细，不含税",  # noqa: RUF001 - the wide comma is the point
    "juchu": "顧客の受注金額を保持する表。返品は含まない。",
    "att": "员工考勤记录",
    "de": "Kundenrechnungen mit Fälligkeitsdatum",
    "th": "ข้อมูลลูกค้าและการชำระเงิน",
    "ko": "고객의 주문을 저장하는 테이블",
}


@pytest.fixture(name="shop", scope="module")
def shop_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Toolbox]:
    tables = [table_document(f"db.s.{name}", "id amt", domain="d", comment=text) for name, text in COMMENTS.items()]
    hidden = table_document("db.secret.t_x", "id amt", domain="d", comment="Spesenbelege, 工资")
    toolbox = toolbox_over(tmp_path_factory.mktemp("shop"), WordLlamaEmbedder(), [*tables, hidden])
    yield toolbox
    toolbox.index.close()


@each_case(
    ("query", "table", "reason"),
    [
        ("订单", "t_ord", "its documentation says '订单'"),
        ("订单金额", "t_ord", "its documentation says '订单金额'"),
        ("哪些客户没有付款", "t_ord", "its documentation says '客户'"),
        ("税", "t_ord", "its documentation says '税'"),
        ("订单 amount", "t_ord", "its documentation says '订单'"),
        ("考勤", "att", "its documentation says '考勤'"),
        ("顧客の受注", "juchu", "its documentation says '受注', '顧客'"),
        ("返品", "juchu", "its documentation says '返品'"),
        ("ลูกค้า", "th", "its documentation says 'ลูกค้า'"),
        ("고객", "ko", "its documentation says '고객'"),
        ("Rechnung", "de", "its documentation says 'kundenrechnungen'"),
        ("Fälligkeit", "de", "its documentation says 'fälligkeitsdatum'"),
    ],
)
def test_a_word_within_a_comment_finds_its_table(shop: Toolbox, query: str, table: str, reason: str) -> None:
    answer = call(shop, "search_tables", query=query)
    assert found(answer)[0] == f"db.s.{table}"
    assert reason in answer.tables[0].reasons
    others = [each.name for each in answer.tables[1:] if each.reasons[0] != NO_MATCH]
    assert answer.total_matches == 1 + len(others)
    assert query == "订单 amount" or not others


@each_case("query", ["订单", "Rechnung", "顧客の受注", "哪些客户", "ลูกค้า"])
def test_what_a_table_contains_is_not_said_to_be_missing(shop: Toolbox, query: str) -> None:
    assert codes(call(shop, "search_tables", query=query)) == []


def test_what_no_table_contains_is_named(shop: Toolbox) -> None:
    answer = call(shop, "search_tables", query="订单 仓库")
    assert [warning.message for warning in answer.warnings] == ["no searched table contains '仓库'"]
    assert call(shop, "search_tables", query="仓库").tables == []


def test_a_compound_that_a_word_was_found_in_is_shown(shop: Toolbox) -> None:
    assert call(shop, "search_tables", query="Rechnung").query_interpretation.expanded_terms == ["kundenrechnungen"]


def test_no_compound_of_a_hidden_table_is_shown(shop: Toolbox) -> None:
    assert "spesenbeleg" in call(shop, "search_tables", query="Spesen").model_dump_json()
    narrow = replace(shop, scope=Scope(schemas=frozenset({("db", "s")})))
    for query in ("Spesen", "Belege", "工资"):
        answer = call(narrow, "search_tables", query=query)
        assert (answer.total_matches, answer.query_interpretation.expanded_terms) == (0, [])
        assert "spesenbeleg" not in answer.model_dump_json()
