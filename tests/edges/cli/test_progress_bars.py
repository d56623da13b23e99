"""Progress on terminals of several widths: what counts is never squeezed out by long names."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from rich.cells import cell_len

from tests.cases import each_case
from tests.edges.cli.terminal import on_real_terminal
from tests.plugins.postgres import FreshDatabase
from tribal.edges.cli.progress import TerminalSink
from tribal.edges.cli.safe_console import SafeConsole

LONG = "a_name_that_is_as_long_as_postgresql_lets_names_of_databases_be"
TABLES = "".join(f"CREATE TABLE {LONG[:55]}_{number:02} (id integer PRIMARY KEY);\n" for number in range(30))
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
TIME = r"[-\d]:[-\d]{2}:[-\d]{2}"
BAR = "[\u2501\u2578\u257a]+"


def lines_of(written: str, stage: str) -> list[str]:
    """Every line that a stage had on the screen, in order."""
    plain = CONTROL.sub("", written).replace("\r", "\n").splitlines()
    return [line.rstrip() for line in plain if line.startswith(f"{stage} ")]


@pytest.mark.parametrize(
    ("width", "running", "ended"),
    [
        (80, rf"{BAR} +\d+/30 tables +{TIME} {TIME}( .*)?", f"30/30 tables +{TIME} docs/"),
        (40, rf"{BAR} +\d+/30 {TIME}", "30/30 docs/"),
    ],
    ids=["80", "40"],
)
def test_a_run_over_long_names_shows_bars_counts_and_times_at_any_width(
    fresh_database: FreshDatabase, tmp_path: Path, width: int, running: str, ended: str
) -> None:
    dsn = fresh_database(TABLES)
    (tmp_path / "databases.yaml").write_text(f"databases: [{{name: {LONG}, dsn: '{dsn}'}}]\n")
    written = on_real_terminal("run", cwd=tmp_path, width=width, with_errors=True)
    lines = lines_of(written, "document")
    assert all(len(line) <= width for stage in ("read", "document", "index") for line in lines_of(written, stage))
    assert re.fullmatch(f"document {ended}", lines[-1])
    assert all(re.fullmatch(f"document ({running}|{ended})", line) for line in lines)
    assert any(re.fullmatch(f"document {running}", line) for line in lines)
    shown = " ".join(CONTROL.sub("", written).split())
    assert "32 file(s) indexed, 0 failed, 2 skipped" in shown


def drawn(width: int, item: str, outcome: str = "documented", *, total: int = 50_000, summary: str = "") -> list[str]:
    """What the bar of a stage shows after one item, or at its end."""
    out = io.StringIO()
    console = SafeConsole(file=out, width=width, force_terminal=True, color_system=None)
    sink = TerminalSink(console)
    sink.begin("document", total)
    sink.advance("document", item, outcome)  # type: ignore[arg-type]  # one of the outcomes
    if summary:
        sink.end("document", summary)
    with sink:
        pass
    return [line.rstrip() for line in CONTROL.sub("", out.getvalue()).replace("\r", "\n").splitlines() if line.strip()]


def test_of_a_long_item_the_end_is_shown_with_what_became_of_it() -> None:
    assert drawn(80, "db.public.short")[-1].endswith(" db.public.short")
    (line,) = set(drawn(80, f"db.public.{LONG}", "failed"))
    assert len(line) <= 80
    assert re.search(r" \u2026\w+ases_be \(failed\)$", line)
    assert " 1/50000 tables " in line


@each_case("item", ["\u672c" * 40, "\U0001f600" * 40])
def test_wide_letters_keep_to_the_width(item: str) -> None:
    assert max(map(cell_len, drawn(80, item))) <= 80


@each_case("width", [40, 60, 80, 200])
def test_a_summary_is_whole_at_any_width_and_is_no_markup(width: int) -> None:
    summary = "49,998 file(s) indexed, 2 failed, 0 skipped [/dim]"
    shown = drawn(width, "x", summary=summary)
    assert max(map(len, shown)) <= width
    assert "".join(summary.split()) in "".join("".join(shown).split()).replace("document1/50000", "")


def test_a_name_moves_no_cursor_and_breaks_no_line() -> None:
    (line,) = set(drawn(120, "a\x1b[2Jb\nc[red]d"))
    assert "\x1b" not in line
    assert line.endswith("c[red]d")


def test_the_words_of_a_model_are_shown_until_the_next_table_is_done() -> None:
    out = io.StringIO()
    console = SafeConsole(file=out, width=120, force_terminal=True, color_system=None)
    with TerminalSink(console) as sink:
        sink.begin("document", 2)
        sink.add_text("document", "An order of a customer. ")
        sink.add_text("finish", "Not a stage of a bar. ")
        sink.add_text("document", "It is paid.")
    shown = " ".join(lines_of(out.getvalue(), "document"))
    assert "words written" in shown
