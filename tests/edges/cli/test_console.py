"""What a terminal obeys or hides is never printed as it is, in JSON neither."""

from __future__ import annotations

import json

import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st

from tribal.edges.cli.console import fail, print_json
from tribal.errors import TribalError
from tribal.sql.visibility import is_visible


@pytest.mark.parametrize(
    "first", ["\x1b[31m", "\x7f", "\x80", "\x9b31m", "\x9d0;title\x9c", "\u202e", "\u2028", "\U000e0001"]
)
def test_json_holds_no_character_that_a_terminal_obeys_or_hides(first: str, capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"name": first + "x", "é": "日本 ✓"})
    shown = capsys.readouterr().out
    assert json.loads(shown) == {"name": first + "x", "é": "日本 ✓"}
    assert all(character == "\n" or is_visible(character) for character in shown)
    assert "日本 ✓" in shown


@given(st.dictionaries(st.text(max_size=10), st.text(max_size=30), max_size=4))
@settings(max_examples=200)
def test_json_says_the_same_however_it_is_escaped(value: dict[str, str]) -> None:
    printed: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(typer, "echo", printed.append)
        print_json(value)
    assert json.loads(printed[0]) == value


def test_a_message_of_an_error_holds_none_either(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit):
        fail(TribalError("no table 'a\x9b2Jb\x1b[2J\u202e'"), as_json=True)
    shown = capsys.readouterr()
    assert all(character == "\n" or is_visible(character) for character in shown.out + shown.err)
    assert "error: no table" in shown.err
