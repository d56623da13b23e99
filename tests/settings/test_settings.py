"""Settings: what a person writes, and what they read when it cannot be used."""

from __future__ import annotations

import time
import traceback
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cases import each_case
from tribal.errors import ConfigurationError, ConfigurationNotFound
from tribal.settings import Settings, load_settings
from tribal.settings.settings import with_targets
from tribal_contracts import DatabaseEntry


def load(folder: Path, text: str, **environment: str) -> Settings:
    (folder / "databases.yaml").write_text(text, encoding="utf-8")
    return load_settings(project=folder, environment=environment)


def test_answers_have_three_thousand_tokens_unless_the_file_says_otherwise(tmp_path: Path) -> None:
    assert load(tmp_path, "databases: [{name: shop}]\n").answer_tokens == 3_000
    assert load(tmp_path, "databases: [{name: shop}]\nlimits: {answer_tokens: 800}\n").answer_tokens == 800


def test_a_full_file_is_read(tmp_path: Path) -> None:
    settings = load(
        tmp_path,
        """
databases:
  - name: shop
    type: postgres
    host: db.example.com
    port: 5433
    database: shop_prod
    user: reader
    password: ${SHOP_PASSWORD}
    include: {schemas: [sales, "bill*"]}
    exclude: {tables: ["*_bak"]}
    sample_rows: 10
    domains: {billing: ["invoice*"]}
    limits: {connections: 2, statement_timeout_seconds: 5}
store: knowledge
units_at_once: 2
""",
        SHOP_PASSWORD="s3cret",
    )
    (entry,) = settings.entries
    assert entry.password is not None
    assert entry.password.get_secret_value() == "s3cret"
    assert entry.include.schemas == ["sales", "bill*"]
    assert entry.limits.connections == 2
    assert settings.store == (tmp_path / "knowledge").resolve()
    assert settings.units_at_once == 2
    assert "s3cret" not in repr(settings)


@each_case(
    ("text", "line", "hint"),
    [
        ("databases:\n  - name: a\n    dsn: x\n    smaple_rows: 3\n", 4, "did you mean 'sample_rows'"),
        ("databases:\n  - name: a\n    limits:\n      conections: 3\n", 4, "did you mean 'connections'"),
        ("databases:\n  - dsn: x\n", 2, "the key 'name' is missing"),
        ("databases:\n  - name: a\n    sample_rows: many\n", 3, "sample_rows"),
        ("databases:\n  - name: a\n    type: oracle\n", 3, "'postgres'"),
        ("databases:\n  - name: a\n    name: b\n", 3, "has a key twice"),
        ("databases:\n  - name: a\n  - name: a\n", 3, "two databases are named 'a'"),
        ("databases:\n  - name: a\n    dsn: x\n    host: y\n", 2, "both dsn and host"),
        ("databases:\n  - name: a\n    type: snowflake\n    sslmode: require\n", 2, "which has no sslmode"),
        ("databases:\n  - name: a\n    type: snowflake\n    auth: rds_iam\n", 2, "which has no auth: rds_iam"),
        ("databases:\n  - name: a\n    warehouse: w\n", 2, "which has no warehouse"),
        ("databases:\n  - name: a\n    auth: key_pair\n", 2, "which has no auth: key_pair"),
        ("databases:\n  - name: a\n    type: snowflake\n", 2, "names no account"),
        ("databases:\n  - name: a\n    type: snowflake\n    sample_rows: 5\n", 2, "sample_rows but no warehouse"),
        ("databases:\n  - name: a\n    type: snowflake\n    sample_views: true\n", 2, "are not sampled"),
        ("databases:\n  - name: a\n    dsn: snowflake://u@a:1/d\n", 3, "port after the account"),
        ("databases:\n  - name: a\n    password: x\n    password_secret: y\n", 2, "both password and password_secret"),
        ("databases:\n  - name: a\n    dsn: ${NO_SUCH}\n", 3, "NO_SUCH is not set"),
        ("databases:\n  - name: a\n   dsn: x\n", 3, "indentation"),
        ("database: []\n", 1, "did you mean 'databases'"),
        ("databases:\n  -\n", 2, "'name' is missing"),
        ("databases: []\nmodel:\n", 2, "'provider' is missing"),
        ("databases: []\nknowledge:\n", 2, "'repository' is missing"),
    ],
)
def test_a_mistake_in_the_file_is_named_with_its_line_and_its_hint(
    tmp_path: Path, text: str, line: int, hint: str
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        load(tmp_path, text)
    assert f"databases.yaml, line {line}: " in caught.value.message
    assert hint in caught.value.message


@each_case(
    ("empty", "filled"),
    [
        (f"{section}:\n", f"{section}: {{}}\n")
        for section in (
            "memory",
            "chat",
            "interrogation",
            "serve",
            "identity",
            "sync",
            "limits",
            "lint",
            "spending",
            "models",
        )
    ]
    + [(f"{section}:\n", f"{section}: []\n") for section in ("collections", "metrics", "terms")]
    + [
        ("chat:\n  intents:\n", "chat: {}\n"),
        ("collections: [{name: a, laws: , models: }]\n", "collections: [{name: a}]\n"),
    ],
)
def test_a_section_with_nothing_in_it_has_its_defaults(tmp_path: Path, empty: str, filled: str) -> None:
    entries = "databases:\n  - {name: shop, dsn: 'postgresql://u@h/d'%s}\n"
    limited = ", include: , exclude: {tables: }, vocabulary: , limits: "
    texts = (entries % limited + empty, entries % "" + filled)
    one, other = (replace(load(tmp_path, text), config_hash="") for text in texts)
    assert one == other


def test_a_key_with_nothing_in_it_has_its_default(tmp_path: Path) -> None:
    optional = [name for name, field in DatabaseEntry.model_fields.items() if field.default is None]
    assert {"port", "account", "sslmode"} < set(optional)
    # A list of databases needs one.
    lines = [f"    {name}:" for name in optional if name != "database"]
    (empty,) = load(tmp_path, "\n".join(["worker_processes:", "databases:", "  - name: shop", *lines])).entries
    (filled,) = load(tmp_path, "databases: [{name: shop}]\n").entries
    assert empty == filled


def test_a_secret_is_never_in_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError) as caught:
        load(tmp_path, "databases:\n  - name: a\n    password: [hunter2]\n    port: hunter2\n")
    assert "hunter2" not in caught.value.message


def test_an_empty_file_says_how_it_starts(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="it must start with `databases:`"):
        load(tmp_path, "")


def test_a_default_and_an_escape_are_kept_in_expansion(tmp_path: Path) -> None:
    settings = load(tmp_path, "databases:\n  - name: ${NAME:-fallback}\n    password: $${literal}\n")
    assert settings.entries[0].name == "fallback"
    assert settings.entries[0].password is not None
    assert settings.entries[0].password.get_secret_value() == "${literal}"


def test_without_a_file_a_dsn_is_enough_and_its_database_is_the_name(tmp_path: Path) -> None:
    settings = load_settings(project=tmp_path, dsn="postgresql://u:pw@h:1/my%20db", environment={})
    assert [entry.name for entry in settings.entries] == ["my db"]
    assert settings.store == tmp_path.resolve()
    other = load_settings(project=tmp_path, dsn="postgresql://u:other@h:1/my%20db", environment={})
    assert other.config_hash == settings.config_hash


@each_case("dsn", ["mysql://h/db", "just-a-name"])
def test_a_dsn_that_cannot_be_used_says_what_to_write(tmp_path: Path, dsn: str) -> None:
    with pytest.raises(ConfigurationError):
        load_settings(project=tmp_path, dsn=dsn, environment={})


def test_without_file_and_dsn_the_next_step_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationNotFound, match="tribal run postgresql://"):
        load_settings(project=tmp_path, environment={}).require_entries()


def test_a_project_folder_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="does not exist"):
        load_settings(project=tmp_path / "nowhere", environment={})


@each_case("value", ["yesterday", "-1", "99999999999999"])
def test_a_wrong_source_date_epoch_is_an_error(tmp_path: Path, value: str) -> None:
    with pytest.raises(ConfigurationError, match="SOURCE_DATE_EPOCH"):
        load_settings(project=tmp_path, environment={"SOURCE_DATE_EPOCH": value})


def test_a_file_is_no_project_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigurationError, match="is not a folder"):
        load_settings(project=tmp_path / "file", environment={})


def test_a_file_that_is_nested_without_end_or_not_utf_8_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="nested too deeply"):
        load(tmp_path, "[" * 20_000)
    (tmp_path / "databases.yaml").write_bytes(b"databases:\n  - name: \xff\n")
    with pytest.raises(ConfigurationError, match=r"databases\.yaml, line 2: is not UTF-8"):
        load_settings(project=tmp_path, environment={})


@each_case(
    ("text", "line", "said"),
    [
        ("databases:\n  - name: a\n    dsn: postgresql://u:Zq9/Wx7@h/d\n", 3, "percent-encoded"),
        ("databases:\n  - name: a\nstore: https://Zq9@h\n", 3, "not a valid store"),
        ("databases:\n  - name: a\nstore: s3://Zq9:x@bucket\n", 3, "not a valid bucket address"),
        ("databases:\n  - name: a\nstore: ~nobody-Zq9/x\n", 3, "not a valid folder"),
        ("databases:\n  - name: a\nstore: databases.yaml/x\n", 3, "or below one"),
        ('databases:\n  - name: a\nstore: "Zq9\\0"\n', 3, "NUL"),
        ("databases:\n  - name: a\n    password: [Zq9]\n", 3, "should be text"),
        ("databases:\n  - name: a\n    port: Zq9\n", 3, "should be a whole number"),
        ("databases:\n  - {name: a, password: Zq0, Zq9: x}\n", 2, "unknown key; the keys here are name"),
        ("databases:\n  - name: a\n    limits: {connections: 99}\n", 3, "should be at most 16"),
        ("databases:\n  - name: a\nlimits: {answer_tokens: 99}\n", 3, "should be at least 500"),
        ("databases:\n  - name: a\nlimits: {answer_token: 900}\n", 3, "did you mean 'answer_tokens'?"),
        ("databases:\n  - name: a\n    limits: {answer_tokens: 900}\n", 3, "the keys here are connections"),
        ("databases:\n  - name: a\nstatistics_max_age_days: inf\n", 3, "statistics_max_age_days"),
        ("databases:\n  - name: a\nstatistics_max_age_days: 1.0e+90\n", 3, "statistics_max_age_days"),
        ("- Zq9\n", 1, "must start with `databases:`"),
        ("# nothing\n", 1, "the file is empty"),
    ],
)
def test_what_cannot_be_used_is_named_by_its_line_and_repeated_nowhere(
    tmp_path: Path, text: str, line: int, said: str
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        load(tmp_path, text)
    assert f"databases.yaml, line {line}: " in caught.value.message
    assert said in caught.value.message
    shown = "".join(traceback.format_exception(caught.value)).replace(text, "")
    assert "Zq9" not in shown.replace(repr(text), "")


def test_only_the_first_of_many_mistakes_are_named(tmp_path: Path) -> None:
    mistakes = "".join(f"    key{number}: x\n" for number in range(30_000))
    with pytest.raises(ConfigurationError) as caught:
        load(tmp_path, f"databases:\n  - name: a\n{mistakes}")
    assert len(caught.value.message.splitlines()) == 21
    assert caught.value.message.endswith("and 29,980 more mistakes")


def test_defaults_without_an_end_are_read_in_time_that_grows_with_the_text(tmp_path: Path) -> None:
    def seconds(size: int) -> float:
        began = time.thread_time()
        load(tmp_path, f"databases:\n  - name: a\n    user: '{'${A:-' * size}'\n")
        return time.thread_time() - began

    seconds(1_000)
    assert seconds(80_000) < 40 * max(seconds(10_000), 0.01)


def test_a_dsn_that_lacks_something_names_its_database(tmp_path: Path) -> None:
    settings = load(
        tmp_path, "databases:\n  - {name: a, dsn: 'postgresql://u@h/d'}\n  - {name: b, user: u, host: 'u:Zq9@h'}\n"
    )
    with pytest.raises(ConfigurationError, match="database 'b': The host is not a host name") as caught:
        with_targets(settings)
    assert "Zq9" not in caught.value.message
