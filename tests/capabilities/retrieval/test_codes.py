"""Codes that may be shown find the tables that hold them."""

from __future__ import annotations

from pathlib import Path

from tests.sample_shop.indexed import table_document
from tests.sample_shop.retrieval import call, toolbox_over


def test_a_sampled_code_finds_its_table_and_other_values_do_not(tmp_path: Path) -> None:
    states, notes = ["past_due", "written_off"], ["please call Quentin", "past_due"]
    toolbox = toolbox_over(
        tmp_path,
        None,
        [
            table_document("shop.s.bill", "id state", domain="d", samples={"state": states}),
            table_document("shop.s.memo", "id words", domain="d", samples={"words": notes}),
        ],
    )
    found = call(toolbox, "search_tables", query="written off")
    assert [table.table for table in found.tables] == ["bill"]
    assert call(toolbox, "search_tables", query="Quentin").tables == []
    toolbox.index.close()
