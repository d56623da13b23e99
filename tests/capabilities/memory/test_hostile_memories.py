"""Memories that give orders are data in every answer: none leaves its field."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt
from mcp_types import TextResourceContents

from tests.capabilities.memory.hostile import AS_PROJECT, ORDERS, TABLES, orders_about, plant
from tests.edges.cli.tribal_command import tribal
from tests.edges.mcp.python_client import asking, stdio_server
from tribal.app.local import local_application
from tribal.settings import load_settings
from tribal.tools.call import call_tool
from tribal.tools.registry import EVERYTHING

pytestmark = pytest.mark.slow

UNSEEN = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
CLOCK = "1790000000"
"""At which the index is new."""
MARKED = ("html_block", "html_inline", "link_open", "image", "s_open", "strong_open", "fence", "code_block")


@pytest.fixture(name="project", scope="module")
def project_fixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    plant(folder)
    return folder


@pytest.fixture(name="ask", scope="module")
def ask_fixture(project: Path) -> Iterator[Any]:
    def ask(tool: str, **arguments: Any) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(call_tool(tool, arguments, AS_PROJECT, app, EVERYTHING).to_compact_json())
        return answer

    with closing(local_application(load_settings(project=project, environment={}, needs_databases=False))) as app:
        yield ask


def texts(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Every text of an answer with its place, names of members included."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield path, name
            yield from texts(inner, f"{path}.{name}")
    elif isinstance(value, list):
        for inner in value:
            yield from texts(inner, f"{path}[]")
    elif isinstance(value, str):
        yield path, value


def test_there_are_as_many_as_was_promised() -> None:
    assert (len(ORDERS), len(set(ORDERS)), len(TABLES)) == (40, 40, 10)


def test_a_search_has_them_in_their_field_alone(ask: Any) -> None:
    found = [each for order in ORDERS for each in ask("memory_search", query=order, threshold=0, limit=100)["results"]]
    assert {each["content"] for each in found} == set(ORDERS)
    for each in found:
        del each["content"]
        assert set(each) <= {"layer", "score", "memoryId", "createdAt", "author", "reasons"}
        assert not [text for _, text in texts(each) for order in ORDERS if order in text]
        assert (each["layer"], each["author"]) == ("project", "mallory")


@pytest.mark.parametrize("table", TABLES)
def test_at_a_table_they_are_only_in_their_own_field(ask: Any, table: str) -> None:
    answer = ask("get_table_schema", table=table)
    planted = set(orders_about(table))
    where = {path for path, text in texts(answer) if any(order in text for order in planted)}
    assert where == {".guidance[].text"}
    assert {each["text"] for each in answer["guidance"]} == planted
    assert {(each["layer"], each["author"], each["kind"]) for each in answer["guidance"]} == {
        ("project", "mallory", "memory")
    }
    bare = {**answer, "guidance": None}
    assert not [text for _, text in texts(bare) for order in ORDERS if order in text]


def test_adding_and_deleting_repeat_none_of_their_words(ask: Any) -> None:
    for order in ORDERS:
        again = ask("memory_add", content=order, layer="project")
        refused = ask("memory_add", content=f"{order} the password is hunter2!")
        missing = ask("memory_delete", memoryId=order[:200])
        assert (again["message"], refused["errorCode"], missing["errorCode"]) == (
            "Already stored",
            "INVALID_INPUT",
            "NOT_FOUND",
        )
        assert not [text for answer in (again, refused) for _, text in texts(answer) if order in text]
        assert {path for path, text in texts(missing) if order[:200] in text} <= {".details.memoryId", ".message"}


@pytest.mark.parametrize("table", TABLES)
def test_on_a_terminal_they_stay_in_their_line_and_show_what_is_invisible(project: Path, table: str) -> None:
    shown = tribal("table", table, cwd=project, SOURCE_DATE_EPOCH=CLOCK)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert not UNSEEN.search(shown.stdout)
    _, _, remembered = shown.stdout.partition("\nRemembered\n")
    assert len(remembered.splitlines()) >= 2 * len(orders_about(table))
    assert all(line.startswith(("   ", "more: ")) for line in remembered.splitlines() if line)


def test_what_is_recalled_stays_in_its_line_on_a_terminal(project: Path) -> None:
    command = ("recall", "everything obeyed", "--threshold", "0", "--limit", "100")
    shown = tribal(*command, cwd=project, SOURCE_DATE_EPOCH=CLOCK)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert not UNSEEN.search(shown.stdout)
    found = json.loads(tribal(*command, "--json", cwd=project, SOURCE_DATE_EPOCH=CLOCK).stdout)["results"]
    first = [line for line in shown.stdout.splitlines() if not line.startswith("   ")]
    assert len(found) > 30
    assert [line.split()[:2] for line in first] == [[f"{n}.", each["memoryId"]] for n, each in enumerate(found, 1)]


def test_the_page_that_is_attached_has_them_as_text(project: Path) -> None:
    markdown = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    with asking(stdio_server(project), "auto") as asker:
        for table in TABLES:
            uri = f"tribal://{table.replace('.', '/')}"
            (read,) = asker.portal.call(asker.client.read_resource, uri).contents
            assert isinstance(read, TextResourceContents)
            page = read.text
            assert not UNSEEN.search(page)
            tokens = [inner for token in markdown.parse(page) for inner in (token, *(token.children or ()))]
            start = next(place for place, token in enumerate(tokens) if token.content == "Remembered by others")
            end = next(place for place, token in enumerate(tokens[start:], start) if token.type == "bullet_list_close")
            kinds = [token.type for token in tokens[start:end]]
            assert not [kind for kind in kinds if kind in MARKED]
            assert kinds.count("list_item_open") == len(orders_about(table))
            assert kinds.count("heading_open") == 0
