"""Secrets from variables and files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tribal.adapters.local.secrets import EnvironmentSecrets
from tribal.errors import ConfigurationError


def _value(secrets: EnvironmentSecrets, name: str) -> str | None:
    secret = secrets.get(name)
    return None if secret is None else secret.get_secret_value()


def test_a_variable_comes_before_a_file_and_an_empty_one_counts_as_none(tmp_path: Path) -> None:
    for name in ("BOTH", "EMPTY", "FILE"):
        (tmp_path / name).write_text("from file\n")
    secrets = EnvironmentSecrets({"BOTH": "from variable", "EMPTY": ""}, tmp_path)
    assert _value(secrets, "BOTH") == "from variable"
    assert _value(secrets, "EMPTY") == _value(secrets, "FILE") == "from file"
    assert _value(secrets, "MISSING") is None
    assert EnvironmentSecrets({}).get("BOTH") is None


def test_only_the_line_end_of_a_file_is_left_out(tmp_path: Path) -> None:
    for name, text in (("a", " p w \r\n"), ("b", "two\nlines\n\n"), ("c", "\n"), ("d", "")):
        (tmp_path / name).write_bytes(text.encode())
    secrets = EnvironmentSecrets({}, tmp_path)
    assert [_value(secrets, name) for name in "abcd"] == [" p w ", "two\nlines\n", None, None]


def test_a_changed_secret_is_seen_after_refresh(tmp_path: Path) -> None:
    variables = {"V": "old"}
    (tmp_path / "F").write_text("old")
    secrets = EnvironmentSecrets(variables, tmp_path)
    assert (_value(secrets, "V"), _value(secrets, "F")) == ("old", "old")
    variables["V"] = "new"
    (tmp_path / "F").write_text("new")
    assert _value(secrets, "F") == "old"
    for name in "VF":
        renewed = secrets.refresh(name)
        assert renewed is not None
        assert renewed.get_secret_value() == "new"
    assert _value(secrets, "F") == "new"


def test_a_name_never_leads_out_of_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "secrets"
    folder.mkdir()
    (tmp_path / "outside").write_text("no")
    (folder / ".hidden").write_text("no")
    secrets = EnvironmentSecrets({}, folder)
    for name in ("../outside", str(tmp_path / "outside"), ".hidden", "..", "", "a\x00b", "a/../../outside"):
        assert secrets.get(name) is None


def test_a_file_that_is_no_secret_is_an_error_that_names_it_and_shows_nothing(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "binary").write_bytes(b"hunter2\xff")
    (tmp_path / "big").write_bytes(b"hunter2" * 20_000)
    secrets = EnvironmentSecrets({}, tmp_path)
    for name in ("folder", "binary", "big"):
        with pytest.raises(ConfigurationError, match=name) as error:
            secrets.get(name)
        assert "hunter2" not in repr(error.value) + repr(error.value.__cause__)


def test_a_secret_is_not_shown_by_accident() -> None:
    assert "hunter2" not in repr(EnvironmentSecrets({"A": "hunter2"}).get("A"))
    assert "hunter2" not in repr(EnvironmentSecrets({"A": "hunter2"}))
