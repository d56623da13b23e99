"""Documenting a work unit: stopped and resumed, in a fixed order, and safe from what a database says."""

from __future__ import annotations

import threading
from dataclasses import replace

from markdown_it import MarkdownIt

from tests.fakes import FixedClock, run_with
from tests.fakes.catalogs import column, table
from tests.sample_shop.documented import TABLES, SamplingReader, Shop
from tests.waiting import LONGEST_SECONDS
from tribal.documenting import WorkInspector, document_unit
from tribal.identity import locations
from tribal.ports import CatalogReader, DocumentingOptions, StopToken
from tribal.runs.signals import interrupted
from tribal_contracts import (
    CatalogColumn,
    CatalogTable,
    TableDocument,
    UnitResult,
    WorkUnit,
    WorkUnitProgress,
)

SALES = "shop_sales"


class ShortDeadline:
    """Has time for some tables, then none."""

    def __init__(self, tables: int) -> None:
        self.left = tables

    def remaining_seconds(self) -> float:
        self.left -= 1
        return 60.0 if self.left >= 0 else 5.0


def document(
    shop: Shop,
    unit: WorkUnit,
    deadline: ShortDeadline | None,
    options: DocumentingOptions | None = None,
    run_id: str = "run",
) -> UnitResult:
    stop = StopToken() if deadline is None else StopToken(deadline.remaining_seconds)
    run = run_with(shop.app(), run_id, stop=stop, sink=shop.sink)
    return document_unit(unit, run, None, options or shop.options)


def test_out_of_time_a_unit_hands_back_and_resumes_when_called_again() -> None:
    shop = Shop()
    unit = shop.unit(shop.plan(), SALES)
    first = document(shop, unit, ShortDeadline(1))
    assert first.status == "running"
    assert len(first.tables) == 1
    progress = shop.progress(SALES)
    assert (progress.status, progress.tables_completed, progress.completed_at) == ("running", 1, None)
    shop.clock.advance(30)
    assert document(shop, unit, None).status == "completed"
    assert shop.sink.outcomes("document") == {"documented": 2}
    assert shop.progress(SALES).started_at == progress.started_at


def test_a_unit_that_is_forced_documents_each_table_once_a_run_however_often_it_hands_back() -> None:
    shop = Shop()
    unit = shop.unit(shop.plan(), SALES)
    forced = replace(shop.options, force=True)
    statuses = [document(shop, unit, ShortDeadline(1), forced).status for _ in range(2)]
    assert statuses == ["running", "completed"]
    assert shop.sink.outcomes("document") == {"documented": 2}
    result = UnitResult.from_json(shop.store.get(locations.unit_result_file(SALES)).data)
    assert result.handed_back is None
    # Another run is asked for everything again.
    assert document(shop, unit, ShortDeadline(1), forced, run_id="next").status == "running"
    assert document(shop, unit, None, forced, run_id="after").status == "completed"
    assert shop.sink.outcomes("document") == {"documented": 5}


def test_asked_to_stop_a_unit_keeps_what_is_done() -> None:
    shop = Shop()
    outline = shop.plan()
    reader = SamplingReader(TABLES, on_sample=lambda _: shop.stop.request(interrupted()))
    options = replace(shop.options, tables_at_once=1)
    result = shop.document(outline, reader=reader, options=options, only=[SALES])[SALES]
    assert result.status == "running"
    assert len(result.tables) == 1
    assert UnitResult.from_json(shop.memory.get(locations.unit_result_file(SALES)).data) == result


def test_results_are_in_the_order_of_the_plan_whatever_ends_first() -> None:
    shop = Shop()
    outline = shop.plan()
    names = [spec.table_name for spec in shop.unit(outline, SALES).tables]
    last_done = threading.Event()

    def on_sample(name: str) -> None:
        if name == f"sales.{names[0]}":
            assert last_done.wait(LONGEST_SECONDS)
        elif name == f"sales.{names[-1]}":
            last_done.set()

    result = shop.document(outline, reader=SamplingReader(TABLES, on_sample=on_sample), only=[SALES])[SALES]
    assert last_done.is_set()
    assert [t.name for t in result.tables] == [f"shop.sales.{name}" for name in names]


def test_with_the_clock_standing_still_two_runs_write_the_same_bytes() -> None:
    def contents() -> dict[str, bytes]:
        shop = Shop(clock=FixedClock(is_fixed=True))
        outline = shop.plan()
        reader = SamplingReader(TABLES, on_sample=lambda _: shop.clock.advance(1))
        shop.document(outline, reader=reader, options=DocumentingOptions(record_pid=True))
        shop.finish(outline)
        return shop.contents()

    first = contents()
    assert contents() == first
    assert b"processor_pid" not in b"".join(first.values())


def test_the_time_of_samples_and_the_process_are_reported() -> None:
    shop = Shop()
    reader = SamplingReader(TABLES, on_sample=lambda _: shop.clock.advance(0.25))
    shop.document(
        shop.plan(), reader=reader, options=DocumentingOptions(record_pid=True, tables_at_once=1), only=[SALES]
    )
    progress: WorkUnitProgress = shop.progress(SALES)
    assert progress.db_query_time_ms == 500
    assert progress.processor_pid is not None


# --- What has work, and what is hostile -----------------------------------------------------------------------------


def test_the_plan_and_the_documenter_agree_on_what_has_work() -> None:
    shop = Shop()
    outline = shop.plan()
    unit = shop.unit(outline, SALES)

    def current(options: DocumentingOptions = shop.options) -> list[bool]:
        return [
            WorkInspector(store=shop.store, describer=shop.describer, clock=shop.clock, options=options).is_current(
                unit, spec
            )
            for spec in unit.tables
        ]

    assert current() == [False, False]
    shop.document(outline, reader=SamplingReader(TABLES))
    assert current() == [True, True]
    assert current(replace(shop.options, force=True)) == [False, False]
    assert current(replace(shop.options, sample_rows=7)) == [False, False]
    shop.memory.put("annotations/shop.yaml", b"tables: {sales.orders: {description: What was bought.}}")
    assert sorted(current()) == [False, True]
    shop.memory.put("annotations/shop.yaml", b"tables: [")
    assert current() == [False, False], "documenting will say what is wrong with the file"


def hostile_table() -> CatalogTable:
    secret = "bob.miller@example.com"
    hostile = CatalogColumn(
        name="a|b`c\n<script>",
        type="evil] type|",
        nullable=True,
        default_value=f"'{secret}'::text",
        comment="| x | [y](javascript:z) <img src=x> \u202e",
        enum_values=[secret, "ok|1"],
    )
    named = table("sales.x", column("id2"))
    return named.model_copy(
        update={
            "schema_name": "../..",
            "table_name": 'no"pe|<b>',
            "columns": [*named.columns, hostile],
            "comment": f"Ask {secret}\n# Heading\n```\n--",
            "view_definition": f"SELECT '{secret}' -- ```\n```",
        }
    )


PAGE_HEADINGS = {
    "To describe",
    "Good to know",
    "Columns",
    "Definition",
    "Indexes",
    "Checks",
    "Joins",
    "Relationships",
    "Sample values",
}
OVERVIEW_HEADINGS = {"Tables", "Diagram", "Domains", "Data catalog", "shop"}


def assert_harmless(page: str) -> None:
    """Whatever the names and comments say, they made no HTML, no link of their own and no heading."""
    tokens = MarkdownIt("commonmark").enable("table").parse(page)
    inner = [child for token in tokens for child in token.children or []]
    assert not [token for token in (*tokens, *inner) if token.type.startswith("html")]
    links = [str(token.attrs["href"]) for token in inner if token.type == "link_open"]
    assert all(link.endswith(".md") and ":" not in link for link in links)
    assert not [token for token in inner if token.type == "image"]
    headings = [tokens[i + 1].content for i, token in enumerate(tokens) if token.type == "heading_open"]
    assert set(headings[1:]) <= PAGE_HEADINGS | OVERVIEW_HEADINGS | {"[shop](shop/README.md)"}
    assert "\u202e" not in page


def test_a_hostile_table_is_documented_under_a_safe_name_without_its_secrets() -> None:
    shop = Shop([hostile_table()])
    outline = shop.plan()
    for result in shop.document(outline).values():
        assert result.status == "completed"
    shop.finish(outline)
    written = shop.contents("docs/")
    assert all(".." not in key for key in written)
    assert not [key for key, data in written.items() if b"bob.miller" in data]
    for key, data in written.items():
        if key.endswith(".md"):
            assert_harmless(data.decode())
    document = next(
        TableDocument.from_json(data) for key, data in written.items() if b'"kind": "table"' in data and ".json" in key
    )
    assert (document.schema_, document.table) == ("../..", 'no"pe|<b>')


def test_a_reader_is_never_asked_for_structure() -> None:
    shop = Shop()
    reader = SamplingReader(TABLES)
    asked: CatalogReader = reader
    shop.document(shop.plan(), reader=asked)
    assert {name.partition(" ")[0] for name in reader.asked} == {"sample"}
