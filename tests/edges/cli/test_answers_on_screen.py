"""How answers look: wrapped and indented on a terminal, one thing a line in a pipe, SQL that can be pasted."""

from __future__ import annotations

import functools
import json
import re
from pathlib import Path

import pytest

from tests.cases import each_case
from tests.edges.cli.terminal import on_real_terminal, on_terminal
from tests.edges.cli.tribal_command import tribal
from tests.edges.mcp.asked import index_project
from tests.sample_shop.indexed import table_document

COMMANDS = [
    ["search", "customer orders"],
    ["table", "shop.sales.order_line"],
    ["join", "shop.stock.product", "web.public.visit"],
    ["join", "shop.sales.order_line", "shop.crm.customer"],
    ["join", "shop.sales.order_line", "shop.crm.customer", "shop.stock.product"],
    ["domain", "customers"],
    ["domains"],
]


@pytest.fixture(name="project", scope="module")
def project_fixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("screen")
    index_project(folder)
    return folder


@functools.cache
def in_a_pipe(project: Path, *command: str) -> list[str]:
    ran = tribal(*command, cwd=project)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.splitlines()


def on_a_terminal(project: Path, width: int, *command: str) -> list[str]:
    """What a terminal of this many columns shows, without its colours."""
    shown = on_terminal(*command, cwd=project, width=width)
    assert "\x1b[1m" in shown or command[0] == "join"
    return re.sub(r"\x1b\[[0-9;]*m", "", shown).splitlines()


def test_a_real_terminal_tells_its_width_and_shows_the_same(project: Path) -> None:
    command = ("search", "customer orders")
    real = on_real_terminal(*command, cwd=project, width=60).replace("\r\n", "\n")
    assert real == on_terminal(*command, cwd=project, width=60)


def test_in_a_pipe_nothing_is_coloured_wrapped_or_padded(project: Path) -> None:
    shown = {" ".join(command): in_a_pipe(project, *command) for command in COMMANDS}
    assert [command for command, lines in shown.items() if not lines] == []
    every = [line for lines in shown.values() for line in lines]
    odd = [line for line in every if "\x1b" in line or line != line.rstrip()]
    assert odd == []


@each_case("width", [60, 100])
def test_on_a_terminal_text_keeps_to_the_width_and_says_the_same(project: Path, width: int) -> None:
    too_long, different = [], []
    for command in COMMANDS:
        lines = on_a_terminal(project, width, *command)
        if command[0] != "join":
            too_long += [line for line in lines if len(line) > width]
        shown, piped = (sorted(re.sub(r"\s", "", "".join(text))) for text in (lines, in_a_pipe(project, *command)))
        if shown != piped:
            different.append(command)
    assert (too_long, different) == ([], [])


def test_wrapped_paragraphs_of_a_search_stay_below_their_table(project: Path) -> None:
    lines = on_a_terminal(project, 60, "search", "customer orders")
    results = [line for line in lines if re.match(r"\d+\. ", line)]
    assert len(results) == 5
    assert all(line.startswith("   ") for line in lines[:-1] if line not in results)


def test_in_a_pipe_every_column_of_a_table_is_one_line(project: Path) -> None:
    lines = in_a_pipe(project, "table", "shop.sales.order_line")
    heading = next(place for place, line in enumerate(lines) if line.startswith("column "))
    columns = lines[heading + 1 : lines.index("", heading)]
    names = [line.split()[0] for line in columns]
    assert len(names) == len(set(names)) > 2
    described = lines[heading].index("description")
    assert all(line[described - 1] == " " and line[described] != " " for line in columns if len(line) > described)


def test_a_table_tells_what_it_is_joined_to_and_by_which_columns(project: Path) -> None:
    text = "\n".join(in_a_pipe(project, "table", "shop.crm.customer"))
    sections = re.findall(r"^(References|Referenced by|Indexes|Notes)$", text, re.MULTILINE)
    assert "Referenced by" in sections
    assert re.search(r"^   shop\.\S+ +by \S+$", text, re.MULTILINE)
    line = "\n".join(in_a_pipe(project, "table", "shop.sales.order_line"))
    assert re.search(r"^   \S+.* +-> shop\.\S+ \(.+\)$", line, re.MULTILINE)


def test_a_join_is_one_statement_with_its_end_and_a_missing_one_is_a_comment(project: Path) -> None:
    head, *statement = in_a_pipe(project, "join", "shop.sales.order_line", "shop.crm.customer")
    assert head.startswith("-- ")
    assert statement[0].startswith("SELECT")
    assert [line for line in statement if ";" in line] == [statement[-1]]
    (nothing,) = in_a_pipe(project, "join", "shop.stock.product", "web.public.visit")
    assert nothing.startswith("-- ")
    assert nothing.endswith("no path of keys")


@pytest.fixture(name="wide", scope="module")
def wide_fixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a table of more columns than an answer has room for, and long descriptions."""
    folder = tmp_path_factory.mktemp("wide")
    names = " ".join(["id", *(f"column_number_{number}" for number in range(250))])
    parcels = [table_document(f"shop.s.parcel_{n}", "id", domain="d", comment="Parcels. " * 300) for n in range(6)]
    index_project(folder, [table_document("shop.s.wide", names, domain="d"), *parcels])
    return folder


def test_a_person_sees_all_of_a_table_and_a_program_gets_it_page_by_page(wide: Path) -> None:
    lines = in_a_pipe(wide, "table", "shop.s.wide")
    shown = [line.split()[0] for line in lines if line.startswith("column_number_")]
    assert shown == [f"column_number_{number}" for number in range(250)]
    assert not any("cursor" in line for line in lines)
    found: list[str] = []
    more: list[str] = []
    while True:
        page = json.loads("\n".join(in_a_pipe(wide, "table", "shop.s.wide", "--json", *more)))
        assert page["tokens_used"] <= 3_000
        found += [column["name"] for column in page["schema"]["columns"]]
        if "next_cursor" not in page:
            break
        more = ["--cursor", page["next_cursor"]]
    assert found == ["id", *shown]


def test_the_project_says_how_long_an_answer_may_be(wide: Path, tmp_path: Path) -> None:
    (tmp_path / "data").symlink_to(wide / "data")
    (tmp_path / "databases.yaml").write_text("databases: [{name: shop}]\nlimits: {answer_tokens: 700}\n")
    page = json.loads("\n".join(in_a_pipe(tmp_path, "table", "shop.s.wide", "--json")))
    assert (page["tokens_used"] <= 700, page["truncated"], page["total"]) == (True, True, 252)


def test_a_limit_that_is_typed_counts_and_the_default_one_is_replaced(wide: Path) -> None:
    def results(*options: str) -> int:
        return len(json.loads("\n".join(in_a_pipe(wide, "search", "parcels", "--json", *options)))["tables"])

    assert results() < 5
    assert results("--limit", "5") == 5


def test_memories_are_numbered_with_score_text_and_reason_as_tables_are(tmp_path: Path) -> None:
    (added,) = in_a_pipe(tmp_path, "remember", "Revenue leaves void invoices out.", "--tags", "billing")
    name = added.split()[0]
    assert added == f"{name}  Memory stored successfully"
    first, *rest = in_a_pipe(tmp_path, "recall", "which invoices are void")
    assert re.fullmatch(rf"1\. {name}  0\.\d\d, user, by \S+, \d{{4}}-\d\d-\d\d", first)
    assert rest == [
        "   Revenue leaves void invoices out.",
        "   tags: billing",
        "   because: it says 'invoices', 'void'",
    ]
    assert in_a_pipe(tmp_path, "recall", "elephants") == ["No memory matches (layers: user)."]
    assert in_a_pipe(tmp_path, "forget", name) == ["Memory deleted successfully."]
