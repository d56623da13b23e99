"""`tribal contribute`: a person sees everything as data, and approves at a terminal."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.adapters.git.clones import clone_with, git
from tests.capabilities.contribution.shop_with_clone import ANNOTATIONS, FILES
from tests.cases import each_case
from tests.edges.cli.terminal import Dialogue
from tests.edges.cli.tribal_command import tribal
from tests.sample_shop.documented import Shop

DATABASES = """databases: [{name: shop, dsn: "postgresql://nobody@127.0.0.1:1/shop"}]
contribution:
  repositories:
    - {name: migrations, path: migrations, databases: [shop]}
"""


@pytest.fixture(name="documented", scope="module")
def documented_fixture() -> dict[str, bytes]:
    """The files of a documented shop."""
    shop = Shop()
    shop.memory.put("annotations/shop.yaml", ANNOTATIONS.encode())
    shop.run()
    return shop.contents()


@pytest.fixture(name="project")
def project_fixture(tmp_path: Path, documented: dict[str, bytes]) -> Path:
    """A documented shop, and the clone of the repository that creates it."""
    for key, data in documented.items():
        path = tmp_path / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (tmp_path / "databases.yaml").write_text(DATABASES, encoding="utf-8")
    clone_with(tmp_path / "migrations", FILES).close()
    return tmp_path


def annotate(project: Path, said: dict[str, str]) -> None:
    """Replace all annotations by texts of columns of sales.customer."""
    found = json.dumps({"tables": {"sales.customer": {"columns": said}}})
    (project / "annotations" / "shop.yaml").write_text(found, encoding="utf-8")


def test_the_list_shows_what_is_open_what_conflicts_and_what_is_not_created_here(project: Path) -> None:
    listed = tribal("contribute", "list", cwd=project)
    assert listed.returncode == 0
    assert listed.stdout.splitlines() == [
        "not offered  shop.audit.change_log: Who changed what.",
        "             not created here",
        "open         shop.billing.invoice: An invoice as it was sent.",
        "conflict     shop.billing.invoice.net_cents: Something else.",
        "             db/V2__billing.sql:3 says: Without VAT.",
        "open         shop.sales.customer.status: open, closed or 'gone'",
        "1 conflict, 1 not offered, 2 open",
    ]


def test_a_person_approves_at_a_terminal_and_sees_the_diff_and_the_target_again(project: Path) -> None:
    prepared = tribal("contribute", "prepare", cwd=project)
    assert prepared.returncode == 0, prepared.stderr
    assert "+COMMENT ON TABLE billing.invoice IS 'An invoice as it was sent.';" in prepared.stdout
    digest = re.search(r"^Hash: ([0-9a-f]{64})$", prepared.stdout, re.MULTILINE)
    assert digest is not None
    with Dialogue("contribute", "approve", 1, cwd=project) as dialogue:
        shown = dialogue.until("characters of the hash:")
        assert "Target: migrations (local), branch tribal/" in shown
        assert "+COMMENT ON TABLE billing.invoice" in shown
        assert digest[1] in shown
        dialogue.type(f"{digest[1][:8]}\n")
        code, shown = dialogue.end()
    assert code == 0, shown
    assert "waits for review" in shown
    assert git(project / "migrations", "for-each-ref", "--format=%(refname)", "refs/heads/tribal") != ""
    followed = tribal("contribute", "follow", cwd=project)
    assert (followed.returncode, "Contribution 1 is following" in followed.stdout) == (0, True)


def test_other_characters_or_ctrl_c_publish_nothing(project: Path) -> None:
    tribal("contribute", "prepare", cwd=project)
    with Dialogue("contribute", "approve", 1, cwd=project) as dialogue:
        dialogue.until("characters of the hash:")
        dialogue.type("y\n")
        code, shown = dialogue.end()
    assert (code, "nothing was published" in shown) == (2, True)
    with Dialogue("contribute", "approve", 1, cwd=project) as dialogue:
        dialogue.until("characters of the hash:")
        dialogue.interrupt()
        code, shown = dialogue.end()
    assert code != 0
    assert git(project / "migrations", "for-each-ref", "refs/heads/tribal") == ""


def test_without_a_terminal_nothing_is_approved(project: Path) -> None:
    digest = json.loads(tribal("contribute", "prepare", "--json", cwd=project).stdout)["sha256"]
    piped = tribal("contribute", "approve", "1", cwd=project, piped=f"{digest[:8]}\n")
    assert (piped.returncode, "a person approves at a terminal" in piped.stderr) == (2, True)
    assert git(project / "migrations", "for-each-ref", "refs/heads/tribal") == ""


@each_case(
    "text, shown",
    [
        ("'; DROP TABLE x; --", "'; DROP TABLE x; --"),
        ("{{ config() }} {% raw %}", "{{ config() }} {% raw %}"),
        ("!!python/object/apply:os.system [id]", "!!python/object/apply:os.system [id]"),
        ("${flyway:user} ${x}", "${flyway:user} ${x}"),
        ("[red]bold[/red] :smile:", "[red]bold[/red] :smile:"),
    ],
)
def test_hostile_texts_are_data_on_the_screen_and_in_the_diff(text: str, shown: str, project: Path) -> None:
    annotate(project, {"status": text})
    assert f"open         shop.sales.customer.status: {shown}" in tribal("contribute", "list", cwd=project).stdout
    prepared = tribal("contribute", "prepare", "--json", cwd=project)
    found = json.loads(prepared.stdout)
    assert found["descriptions"][0]["text"] == text
    tribal("contribute", "abort", str(found["cycle"]), cwd=project)


def test_terminal_codes_are_shown_as_such_and_not_offered(project: Path) -> None:
    annotate(project, {"status": "red \x1b[31m text", "email": "reads \u202eleft"})
    listed = tribal("contribute", "list", cwd=project).stdout
    assert "\x1b" not in listed
    assert "\u202e" not in listed
    assert "not offered  shop.sales.customer.status: red \\u001B[31m text" in listed
    assert "it contains an invisible character (U+001B); remove it" in listed


@each_case(
    "arguments, code, says",
    [
        (("prepare", "--repository", "other"), 2, "repository 'other' is not configured"),
        (("prepare", "--table", "nothing"), 2, "'nothing' is not a table with a description"),
        (("show", "7"), 7, "there is no contribution 7"),
        (("show",), 2, "nothing was prepared yet"),
        (("approve", "1"), 7, "there is no contribution 1"),
        (("abort", "1"), 7, "there is no contribution 1"),
    ],
)
def test_mistakes_say_what_to_do(arguments: tuple[str, ...], code: int, says: str, project: Path) -> None:
    ran = tribal("contribute", *arguments, cwd=project)
    assert ran.returncode == code, ran.stderr
    assert says in ran.stderr


@each_case(
    "entry, says",
    [
        ("{name: migrations, path: nowhere, databases: [shop]}", "nowhere' does not exist"),
        ("{name: migrations, path: migrations, databases: [shop], folder: ../..}", "../.."),
        ("{name: migrations, path: migrations, databases: [shop], folder: none}", "none"),
        ("{name: migrations, path: migrations, databases: [shop], base: next}", "next"),
        ("{name: migrations, path: migrations, databases: [shop], recipe: alembic}", "alembic"),
        ("{name: migrations, path: migrations, databases: [shop], manifest: none.json}", "none.json"),
        ("{name: migrations, path: migrations, databases: [shp]}", "'shp'"),
    ],
)
def test_an_entry_that_cannot_be_used_is_explained(entry: str, says: str, project: Path) -> None:
    (project / "databases.yaml").write_text(f"{DATABASES.partition('    - ')[0]}    - {entry}\n", encoding="utf-8")
    for command in ("list", "prepare"):
        arguments = () if command == "list" else ("--repository", "migrations")
        ran = tribal("contribute", command, *arguments, cwd=project)
        assert says in ran.stdout + ran.stderr, ran
        assert "Traceback" not in ran.stderr


def test_without_the_section_the_command_says_what_to_write(project: Path) -> None:
    (project / "databases.yaml").write_text(DATABASES.partition("contribution:")[0], encoding="utf-8")
    ran = tribal("contribute", "list", cwd=project)
    assert (ran.returncode, "contribution.repositories" in ran.stderr) == (2, True)
