"""`tribal init`: what it asks on a terminal, what it writes, and what an editor makes of that."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest
import yaml

from tests.cases import each_case
from tests.edges.cli.terminal import Dialogue
from tests.edges.cli.tribal_command import tribal, tribal_process
from tests.plugins.postgres import FreshDatabase, administer, login, unique_name
from tribal.edges.cli.project.answers import Answers, NewDatabase
from tribal.edges.cli.project.project_files import project_text
from tribal.edges.cli.project.questions import MODELS, model_of
from tribal.models.known_models import model_facts
from tribal.settings import load_settings
from tribal_contracts.schemas import SCHEMA_DIRECTORY, json_schema

ADDRESS, VARIABLE, ROWS, DESCRIBER = "Address", "Variable", "yes or no", "Describer"
"""The labels of the four questions."""
DSN = "postgresql://reader@db.example.com/shop"


def answered(dialogue: Dialogue, *answers: tuple[str, str]) -> str:
    """Everything written by an `init` that is given these answers, each once its text is shown."""
    for shown, answer in answers:
        dialogue.until(shown)
        dialogue.type(f"{answer}\n")
    code, written = dialogue.end()
    assert code == 0, written
    return written


def asked(written: str) -> list[str]:
    """The labels of the questions that were asked, in order."""
    return re.findall(rf"^({'|'.join((ADDRESS, VARIABLE, ROWS, DESCRIBER))})\b.*:", written, re.MULTILINE)


def commented_blocks(text: str) -> Iterator[str]:
    """The file with each of its commented keys put to use, one at a time."""
    for found in re.finditer(r"^( *)# ((?:[a-z_]+):.*)\n((?:\1#   .*\n)*)", text, re.MULTILINE):
        used = re.sub(rf"^{found[1]}# ", found[1], found[0], flags=re.MULTILINE)
        yield text[: found.start()] + used + text[found.end() :]


def test_enter_takes_the_defaults_which_are_what_is_written_without_a_terminal(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    with Dialogue("init", "--project", one, cwd=tmp_path) as dialogue:
        written = answered(dialogue, (ADDRESS, ""), (ROWS, ""), (DESCRIBER, ""))
    assert asked(written) == [ADDRESS, ROWS, DESCRIBER], "an address in a variable has the password"
    assert "Next: set DATABASE_URL, then run `tribal check --project" in written
    assert tribal("init", "--project", other, cwd=tmp_path).returncode == 0
    for name in ("databases.yaml", "databases.schema.json"):
        assert (one / name).read_bytes() == (other / name).read_bytes()


def test_four_answers_make_a_file_that_loads_and_name_the_next_step(tmp_path: Path) -> None:
    with Dialogue("init", cwd=tmp_path) as dialogue:
        written = answered(
            dialogue, (ADDRESS, DSN), (VARIABLE, "SHOP_PASSWORD"), (ROWS, "no"), (DESCRIBER, "anthropic")
        )
    assert asked(written) == [ADDRESS, VARIABLE, ROWS, DESCRIBER]
    assert written.endswith(
        "Wrote databases.yaml, and databases.schema.json for editors.\r\n"
        "Next: set SHOP_PASSWORD and ANTHROPIC_API_KEY, then run `tribal check` and `tribal run`.\r\n"
    )
    settings = load_settings(project=tmp_path, environment={})
    (entry,) = settings.entries
    assert entry.dsn is not None
    assert (entry.name, entry.dsn.get_secret_value()) == ("shop", DSN)
    assert (entry.password_secret, entry.sample_rows) == ("SHOP_PASSWORD", 0)
    assert settings.model is not None
    assert (settings.model.provider, settings.model.api_key_secret) == ("anthropic", "ANTHROPIC_API_KEY")


def test_the_answers_are_all_that_a_check_and_a_run_need(tmp_path: Path, fresh_database: FreshDatabase) -> None:
    password, user = "p@ss/word", unique_name("reader")
    dsn = fresh_database("CREATE TABLE thing (id int PRIMARY KEY)")
    administer(dsn, f"CREATE ROLE {user} LOGIN PASSWORD '{password}'; GRANT SELECT ON thing TO {user}")
    try:
        with Dialogue("init", cwd=tmp_path) as dialogue:
            address = login(dsn, user, "").replace(":@", "@")
            answered(dialogue, (ADDRESS, address), (VARIABLE, "THE_PASSWORD"), (ROWS, ""), (DESCRIBER, ""))
        missing = tribal("check", cwd=tmp_path)
        assert (missing.returncode, "the secret 'THE_PASSWORD'" in missing.stdout) == (2, True)
        ready = tribal("check", cwd=tmp_path, THE_PASSWORD=password)
        assert (ready.returncode, ready.stdout.splitlines()[-1]) == (0, "Ready. Next: `tribal run`.")
        assert tribal("run", cwd=tmp_path, THE_PASSWORD=password).returncode == 0
    finally:
        administer(dsn, f"DROP OWNED BY {user}; DROP ROLE {user}")


def test_an_answer_that_cannot_be_used_is_explained_and_asked_for_again(tmp_path: Path) -> None:
    with Dialogue("init", cwd=tmp_path) as dialogue:
        written = answered(
            dialogue,
            (ADDRESS, "db.example.com"),
            ("this is not a DSN", "mysql://reader@db.example.com/shop"),
            ("this is a DSN of 'mysql'", "postgresql://reader:p/ss@db.example.com/shop"),
            ("special character", "postgresql://reader:hush@db.example.com/shop"),
            (f"{VARIABLE} [TRIBAL_PASSWORD]", "hunter2"),
            ("write the name of a variable", ""),
            (ROWS, "maybe"),
            ("answer yes or no", "N"),
            (DESCRIBER, "claude"),
            ("answer rules, ollama", "ollama/qwen3 14b"),
            ("the name of the model", "ollama/qwen3:8b"),
        )
    assert asked(written) == [ADDRESS] * 4 + [VARIABLE] * 2 + [ROWS] * 2 + [DESCRIBER] * 3
    text = (tmp_path / "databases.yaml").read_text()
    assert "hush" not in text
    assert "hunter2" not in text
    settings = load_settings(project=tmp_path, environment={})
    assert settings.entries[0].password_secret == "TRIBAL_PASSWORD"
    assert settings.model is not None
    assert settings.model.name == "qwen3:8b"


@each_case("question", [ADDRESS, DESCRIBER])
def test_ctrl_c_writes_nothing(tmp_path: Path, question: str) -> None:
    with Dialogue("init", cwd=tmp_path) as dialogue:
        for label, answer in ((ADDRESS, DSN), (VARIABLE, ""), (ROWS, ""), (DESCRIBER, "")):
            dialogue.until(label)
            if label == question:
                break
            dialogue.type(f"{answer}\n")
        dialogue.interrupt()
        code, written = dialogue.end()
    assert (code, written.splitlines()[-1]) == (130, "stopped; nothing was written")
    assert list(tmp_path.iterdir()) == []


def test_the_end_of_the_input_writes_nothing(tmp_path: Path) -> None:
    with Dialogue("init", cwd=tmp_path) as dialogue:
        dialogue.until(ADDRESS)
        dialogue.type("\x04")
        code, written = dialogue.end()
    assert (code, written.splitlines()[-1]) == (130, "stopped; nothing was written")
    assert list(tmp_path.iterdir()) == []


def test_what_a_dsn_or_the_environment_says_is_not_asked(tmp_path: Path) -> None:
    with Dialogue("init", DSN, "--project", "given", cwd=tmp_path, PGPASSWORD="hush") as dialogue:
        assert asked(answered(dialogue, (ROWS, ""), (DESCRIBER, ""))) == [ROWS, DESCRIBER]
    snowflake = "snowflake://ann@org-one/shop?private_key_secret=NAME"
    with Dialogue("init", snowflake, "--project", "snowflake", cwd=tmp_path) as dialogue:
        assert asked(answered(dialogue, (DESCRIBER, ""))) == [DESCRIBER]
    with Dialogue("init", "--project", "found", cwd=tmp_path, PGHOST="db", PGUSER="ann", PGDATABASE="shop") as dialogue:
        answered(
            dialogue, (f"{ADDRESS} [postgresql://ann@db:5432/shop]", ""), (VARIABLE, ""), (ROWS, ""), (DESCRIBER, "")
        )
    assert "hush" not in (tmp_path / "given" / "databases.yaml").read_text()
    assert '"postgresql://ann@db:5432/shop"' in (tmp_path / "found" / "databases.yaml").read_text()


@each_case("option", ["--yes", "--json"])
def test_nothing_is_asked_where_no_one_would_answer(tmp_path: Path, option: str) -> None:
    with Dialogue("init", option, cwd=tmp_path) as dialogue:
        code, written = dialogue.end()
    assert (code, asked(written)) == (0, [])
    assert (tmp_path / "databases.yaml").exists()


def test_an_existing_file_is_kept_and_nothing_is_asked(tmp_path: Path) -> None:
    (tmp_path / "databases.yaml").write_text("databases: []\n")
    with Dialogue("init", cwd=tmp_path) as dialogue:
        code, written = dialogue.end()
    assert (code, asked(written)) == (2, [])
    assert "--force" in written
    assert [path.name for path in tmp_path.iterdir()] == ["databases.yaml"]


def test_an_address_in_a_variable_stays_there(tmp_path: Path) -> None:
    given = {"SHOP_URL": "postgresql://reader:hush@db.example.com/shop", "BROKEN": "db.example.com"}
    ran = tribal("init", "${SHOP_URL}", cwd=tmp_path, **given)
    assert ran.returncode == 0, ran.stderr
    assert "Next: run `tribal check`" in ran.stdout
    text = (tmp_path / "databases.yaml").read_text()
    assert ('name: "shop"' in text, 'dsn: "${SHOP_URL}"' in text, "hush" in text) == (True, True, False)
    refused = tribal("init", "$BROKEN", "--force", cwd=tmp_path, **given)
    assert (refused.returncode, "BROKEN has no usable address" in refused.stderr) == (2, True)


def test_the_schema_is_the_one_of_this_version_and_can_be_written_alone(tmp_path: Path) -> None:
    (tmp_path / "databases.yaml").write_text("databases: []\n")
    ran = tribal_process("init", "--editor-schema", cwd=tmp_path)
    assert (ran.returncode, "# yaml-language-server: $schema=databases.schema.json" in ran.stdout) == (0, True)
    refused = tribal("init", DSN, "--editor-schema", cwd=tmp_path)
    assert (refused.returncode, "leave out the DSN" in refused.stderr) == (2, True)
    written = (tmp_path / "databases.schema.json").read_bytes()
    assert written == (SCHEMA_DIRECTORY / "databases.schema.json").read_bytes()
    assert (tmp_path / "databases.yaml").read_text() == "databases: []\n"


@each_case(
    "answers",
    [
        Answers(),
        Answers(
            NewDatabase("null", "snowflake", "snowflake://ann@org-one/shop", None), "PASSWORD", 0, model_of("gemini")
        ),
        Answers(sample_rows=0, model=model_of("ollama/qwen3:8b")),
    ],
)
def test_an_editor_accepts_the_file_and_each_of_its_commented_keys(answers: Answers) -> None:
    validator = jsonschema.Draft7Validator(json_schema("databases"))
    text = project_text(answers)
    assert text.startswith("# yaml-language-server: $schema=databases.schema.json\n")
    texts = [text, *commented_blocks(text)]
    assert len(texts) > 12
    assert [error.message for each in texts for error in validator.iter_errors(yaml.safe_load(each))] == []


@pytest.mark.parametrize("provider", MODELS)
def test_the_price_of_each_proposed_model_is_known(tmp_path: Path, provider: str) -> None:
    (tmp_path / "databases.yaml").write_text(project_text(Answers(model=model_of(provider))))
    settings = load_settings(project=tmp_path, environment={"DATABASE_URL": DSN})
    assert settings.model is not None
    assert model_facts(settings.model).name == settings.model.name
