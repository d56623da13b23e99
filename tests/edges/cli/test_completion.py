"""Completion on a terminal in bash, zsh and fish, and what the scripts of these shells ask for."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cases import each_case
from tests.edges.cli.terminal import Dialogue
from tests.edges.cli.tribal_command import TRIBAL, tribal
from tests.edges.mcp.asked import index_project
from tests.plugins.skips import skip_or_fail
from tests.sample_shop.indexed import table_document
from tribal.edges.cli.completion.shells import SHELLS, Typed, split

ODD = """it's "$(touch hacked)" `x`"""
NAMES = {
    "shop.sales.invoice": "billing",
    'shop.sales."Order Line"': "sales",
    'shop.sales."{}"'.format(ODD.replace('"', '""')): "sales",
    "shop.crm.customer": "customers",
    "web.public.customer": "customers",
}
STARTED = {
    "bash": (("--norc", "--noprofile", "-i"), "source <(tribal completion bash)"),
    "zsh": (("-f", "-i"), "autoload -Uz compinit; compinit -D; source <(tribal completion zsh)"),
    "fish": (("--no-config", "-i"), "tribal completion fish | source"),
}
"""The arguments of each shell, without anyone's settings, and what loads the script."""


@pytest.fixture(name="project", scope="module")
def project_fixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("completed")
    index_project(folder, [table_document(name, "id", domain=domain) for name, domain in NAMES.items()])
    (folder / "empty").mkdir()
    (folder / "query.sql").write_text("SELECT 1")
    # A domain of the same name is no folder.
    (folder / "billing").mkdir()
    return folder


TYPED = {
    "tribal sea": ["search"],
    "tribal table --include-s": ["table", "--include-samples"],
    "tribal table inv": ["table", "invoice"],
    r"tribal table \"Ord": ["table", '"Order Line"'],
    "tribal join invoice '\"Ord": ["join", "invoice", '"Order Line"'],
    r"tribal lineage \"it": ["lineage", '"{}"'.format(ODD.replace('"', '""'))],
    "tribal domain bil": ["domain", "billing"],
    "tribal search x --domain=bil": ["search", "x", "--domain=billing"],
    "tribal search x --database s": ["search", "x", "--database", "shop"],
    "tribal check-sql que": ["check-sql", "query.sql"],
    "tribal table -p emp": ["table", "-p", "empty"],
    # There is no index, and a file is no table.
    "tribal table -p empty que": ["table", "-p", "empty", "que"],
}
"""What is typed before the tabulator key, and the arguments that the shell then passes."""


@pytest.mark.parametrize("shell", STARTED)
def test_a_shell_completes_what_is_typed_and_quotes_it(project: Path, shell: str, tmp_path: Path) -> None:
    missing = [program for program in (shell, "setsid") if shutil.which(program) is None]
    if missing:
        skip_or_fail(f"there is no program {missing[0]}")
    arguments, load = STARTED[shell]
    path = f"{TRIBAL.parent}:{os.environ['PATH']}"
    # The terminal has to be that of a session, where a shell controls its jobs.
    command = ("--ctty", shell, *arguments)
    with Dialogue(*command, cwd=project, width=300, program="setsid", HOME=str(tmp_path), PATH=path) as terminal:
        terminal.type(f"{load}; printf '<%s>' loaded\n")
        terminal.until("<loaded>")
        passed = {}
        for number, typed in enumerate(TYPED):
            # Ctrl-A and Ctrl-E move to the start and to the end of the line.
            terminal.type(f"{typed}\t\x01printf '<%s>' \x05; printf '[%s]' done{number}\n")
            shown = terminal.until(f"[done{number}]")
            (arguments_shown,) = re.findall(rf"<tribal><([^\x1b\r\n]*)>\[done{number}\]", shown)
            # Some shells end the name of a folder with a slash.
            passed[typed] = [each.removesuffix("/") for each in arguments_shown.split("><")]
    assert passed == TYPED
    assert not (project / "hacked").exists()


def completed(project: Path, line: str, shell: str = "fish") -> list[str]:
    """The values of the lines that a shell gets."""
    ran = tribal("completion", shell, "--complete", cwd=project, piped=f"{line}\n")
    assert ran.stderr == ""
    return [each.partition("\t")[0] for each in ran.stdout.splitlines()]


def test_a_table_has_its_shortest_name_that_is_unique_and_begins_as_typed(project: Path) -> None:
    assert completed(project, "tribal table ") == [
        "crm.customer",
        '"Order Line"',
        "invoice",
        '"{}"'.format(ODD.replace('"', '""')),
        "public.customer",
    ]
    assert completed(project, "tribal table shop.c") == ["shop.crm.customer"]
    assert completed(project, "tribal table s") == [
        "shop.crm.customer",
        'sales."Order Line"',
        "sales.invoice",
        'sales."{}"'.format(ODD.replace('"', '""')),
    ]
    assert completed(project, "tribal join invoice crm.customer pub") == ["public.customer"]
    assert completed(project, "tribal context --tables inv") == ["invoice"]


def test_a_command_is_completed_with_what_it_does_and_an_earlier_name_is_not(project: Path) -> None:
    ran = tribal("completion", "fish", "--complete", cwd=project, piped="tribal do")
    commands = dict(line.split("\t") for line in ran.stdout.splitlines())
    assert list(commands) == ["document", "domain", "domains"]
    assert commands["domains"] == "List the business domains."
    assert completed(project, "tribal decis") == ["decisions"]
    assert completed(project, "tribal proposals a") == ["accept"]


@each_case(
    "line",
    [
        "tribal table zz",
        "tribal --profile dev table inv",
        "tribal --profile dev lint --json ",
        "tribal table -p nowhere inv",
        "tribal nonsense postgresql://ada:secret@host/shop ",
    ],
)
def test_where_no_name_fits_or_something_is_wrong_nothing_is_offered_not_even_files(project: Path, line: str) -> None:
    ran = tribal("completion", "bash", "--complete", cwd=project, piped=line)
    assert (ran.returncode, ran.stdout) == (0, "")
    # Scripts discard standard error.
    assert "Traceback" not in ran.stderr
    assert "secret" not in ran.stderr


def test_a_damaged_index_completes_nothing_and_one_elsewhere_is_found(project: Path, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data/tribal-knowledge.db").write_bytes(b"SQLite format 3\0" + bytes(2_000))
    assert completed(tmp_path, "tribal table ") == []
    (tmp_path / "databases.yaml").write_text(f"# The store is there.\ndatabases: []\nstore: {project}\n")
    assert completed(tmp_path, "tribal table inv") == ["invoice"]
    (tmp_path / "databases.yaml").write_text("store: s3:\n- what\n")
    assert completed(tmp_path, "tribal table inv") == []


def test_the_home_folder_may_be_typed_as_a_tilde(project: Path, tmp_path: Path) -> None:
    line = f"tribal table --project ~/{project.name} inv"
    ran = tribal("completion", "bash", "--complete", cwd=tmp_path, piped=line, HOME=str(project.parent))
    assert ran.stdout == "invoice\n"


def test_files_are_offered_for_what_only_the_user_knows(project: Path) -> None:
    ran = tribal("completion", "zsh", "--complete", cwd=project, piped="tribal upload hand")
    assert (ran.returncode, ran.stdout, ran.stderr) == (1, "", "")


def test_a_name_is_completed_without_loading_settings(project: Path) -> None:
    program = (
        "import sys; from tribal.edges.cli.app import main\n"
        "try: main()\n"
        "finally: print({'tribal.settings', 'tribal.errors', 'yaml', 'rich'} & {*sys.modules}, file=sys.stderr)"
    )
    command = [sys.executable, "-c", program, "completion", "bash", "--complete"]
    ran = subprocess.run(
        command, input="tribal ask --domain b", capture_output=True, text=True, check=True, cwd=project
    )
    assert (ran.stdout, ran.stderr) == ("billing\n", "set()\n")


@each_case(
    ("line", "typed"),
    [
        ("", Typed([], "", "")),
        ("tribal ", Typed(["tribal"], "", "")),
        ("tribal table a.b", Typed(["tribal", "table"], "a.b", "")),
        (r"tribal table a\ b\"c", Typed(["tribal", "table"], 'a b"c', "")),
        ("tribal ask 'it is' \"a \\\"b", Typed(["tribal", "ask", "it is"], 'a "b', '"')),
        ("tribal ask 'a \"b # c", Typed(["tribal", "ask"], 'a "b # c', "'")),
        ("tribal ask a\\", Typed(["tribal", "ask"], "a", "")),
    ],
)
def test_a_line_is_split_as_a_shell_does_up_to_a_word_that_may_be_in_open_quotes(line: str, typed: Typed) -> None:
    assert split(line) == typed


@each_case("quote", ["", "'", '"'])
def test_bash_reads_a_value_as_it_is_whatever_quote_is_open(quote: str) -> None:
    _, as_line = SHELLS["bash"]
    line = quote + as_line(ODD + "\\é~*", "", Typed([], "", quote)) + quote
    ran = subprocess.run(["bash", "-c", f"printf %s {line}"], capture_output=True, text=True, check=True)
    assert ran.stdout == ODD + "\\é~*"
