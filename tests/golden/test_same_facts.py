"""What is known of the sample company's tables is the same in the tool, on the page, in Markdown and in the prompt."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

import pytest

from tests.sample_shop.documented import Shop
from tests.sample_shop.retrieval import call, toolbox_over
from tribal.adapters.postgres.catalog import PostgresCatalog
from tribal.describing import RulesDescriber
from tribal.describing.model.questions.table_data import MAX_LABEL_CHARS, MAX_MEANINGS, TableData
from tribal.describing.model.questions.table_handles import MAX_LABELS
from tribal.identity.table_names import TableIdentity
from tribal.ports import TableContext, TableDescription
from tribal.rendering.markdown import cell_code, escape_text
from tribal.rendering.web.records import table_record
from tribal.rendering.words import further_meanings, lists_values, shorten
from tribal.settings.dsn import parse_dsn
from tribal_contracts import DatabaseLimits, DocumentedColumn, TableDocument, TableSchema


class _Remembering(RulesDescriber):
    """Keeps what describers are told of tables."""

    def __init__(self) -> None:
        super().__init__()
        self.contexts: dict[str, TableContext] = {}

    def describe_table(self, context: TableContext) -> TableDescription:
        table = context.table
        self.contexts[str(TableIdentity(context.database, table.schema_name, table.table_name))] = context
        return super().describe_table(context)


@dataclass(frozen=True)
class Shown:
    """One table, wherever it is shown."""

    document: TableDocument
    tool: TableSchema
    page: dict[str, Any]
    markdown: str
    prompt: dict[str, Any]


@pytest.fixture(name="shown", scope="module")
def shown_fixture(company_dsn: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Shown]:
    describer = _Remembering()
    with closing(PostgresCatalog(parse_dsn(company_dsn, {}), DatabaseLimits())) as reader:
        shop = Shop(reader.read().tables, name="company")
        shop.describer = describer
        shop.run(reader=reader)
    documents = [shop.document_of(name.partition(".")[2]) for name in describer.contexts]
    toolbox = replace(toolbox_over(tmp_path_factory.mktemp("facts"), None, documents), answer_tokens=None)
    found = {}
    for document in documents:
        short = document.name.partition(".")[2]
        answer = call(toolbox, "get_table_schema", table=document.name)
        assert answer.success, answer.error
        data = TableData(describer.contexts[document.name])
        numbers = list(range(1, len(document.columns) + 1))
        prompt = data.asking(numbers, text=True)["t1"]
        found[short] = Shown(document, answer.schema_, table_record(document), shop.page_of(short), prompt)
    toolbox.index.close()
    return found


def columns_of(shown: dict[str, Shown]) -> Iterator[tuple[Shown, int, DocumentedColumn]]:
    for table in shown.values():
        for number, column in enumerate(table.document.columns):
            yield table, number, column


def test_the_company_has_every_kind_of_fact(shown: dict[str, Shown]) -> None:
    sources = {column.allowed_values_from for _, _, column in columns_of(shown)}
    assert sources == {None, "enum", "check", "domain_check", "lookup"}
    kinds = {table.document.kind for table in shown.values()}
    assert kinds == {"table", "view", "materialized_view", "partitioned_table"}


def test_kind_dialect_and_definition_are_everywhere(shown: dict[str, Shown]) -> None:
    for table in shown.values():
        document, definition = table.document, table.document.view_definition
        assert (table.tool.kind, table.tool.dialect) == (document.kind, "postgres")
        assert (table.page["k"], table.page["q"]) == (document.kind, "postgres")
        assert f"**{document.kind.replace('_', ' ').capitalize()}** in PostgreSQL" in table.markdown
        assert (table.prompt["kind"], table.prompt["dialect"]) == (document.kind.replace("_", " "), "postgres")
        assert table.tool.definition == definition == table.page.get("v")
        assert definition is None or definition in table.markdown
        assert ("definition" in table.prompt) == (definition is not None)


def test_when_rows_were_counted_is_shown_with_their_number(shown: dict[str, Shown]) -> None:
    for table in shown.values():
        assert table.tool.row_count_at == table.document.row_count_at
        date = (table.document.row_count_at or "")[:10]
        assert table.page.get("ra") == date
        if table.document.kind != "view":
            assert f"on {date}" in table.markdown


def test_allowed_values_and_meanings_are_everywhere(shown: dict[str, Shown]) -> None:
    for table, number, column in columns_of(shown):
        tool, page = table.tool.columns[number], table.page["c"][number]
        values = column.allowed_values
        # The description gives the others.
        meanings = further_meanings(column.value_meanings, column.description.source)
        assert (tool.allowed_values, tool.allowed_values_from, tool.value_meanings) == (
            values,
            column.allowed_values_from,
            column.value_meanings,
        )
        assert tool.allowed_values_complete == column.allowed_values_complete
        if not values:
            continue
        said = column.description
        is_listed = lists_values(said.text, said.source, values, column.value_meanings)
        assert page[8] == values
        # The page shows values as chips, each with its meaning, and does not repeat a text that only lists them.
        every_meaning = column.value_meanings or {}
        assert (page[11] if len(page) > 11 else 0) == ({value: each.text for value, each in every_meaning.items()} or 0)
        assert (page[14] if len(page) > 14 else 0) == is_listed
        (row,) = [
            line
            for line in table.markdown.splitlines()
            if line.startswith(f"| {cell_code(column.name)} | {cell_code(column.type)}")
        ]
        for value in values:
            shown_as = f"{cell_code(value)} ({escape_text(meanings[value].text)})" if value in meanings else value
            assert shown_as in row
        more = table.prompt["columns"][f"c{number + 1}"][2]
        if column.allowed_values_from == "lookup":
            listed = values[:MAX_MEANINGS]
            assert more["looked_up"] == {each: shorten(meanings[each].text, MAX_LABEL_CHARS) for each in listed}
        else:
            assert list(more["values"].values()) == values[:MAX_LABELS]


def test_inheritance_and_partitions_are_everywhere(shown: dict[str, Shown]) -> None:
    table = shown["audit.change_log"]
    assert (table.tool.partition_strategy, table.tool.partition_key) == ("range", "changed_at")
    assert table.prompt["partitioned_by"] == "RANGE (changed_at)"
    note = "The table is split into 3 partitions by RANGE (changed_at), documented here as one."
    assert note in (table.tool.notes or [])
    assert note in table.page["no"]
    assert escape_text(note) in table.markdown


def test_triggers_and_writing_routines_are_everywhere_and_no_body_is(shown: dict[str, Shown]) -> None:
    trigger = (
        "The trigger customer_logged calls audit.log_customer after UPDATE or DELETE, for each row: "
        "Auditors rely on it: never disable it for an import."
    )
    routine = "Written by the routine audit.log_customer: Keeps every change of a customer, before and after."
    for name, note in (("crm.customer", trigger), ("audit.change_log", routine)):
        table = shown[name]
        assert note in (table.tool.notes or [])
        assert note in table.page["no"]
        assert escape_text(note) in table.markdown
        assert note[:100] in " ".join(table.prompt["behaviour"])
        everything = f"{table.document.to_json()!r} {table.prompt}"
        assert "to_jsonb" not in everything
