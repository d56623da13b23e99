"""YAML that people write is read as they mean it, and what no one means is refused with its line."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from tribal.errors import ConfigurationError
from tribal.yaml_lines import MAX_DEPTH, MAX_NODES, compose_yaml, plain_value


def read(text: str | bytes, max_nodes: int = MAX_NODES) -> Any:
    root = compose_yaml("f.yaml", text.encode() if isinstance(text, str) else text, max_nodes=max_nodes)
    return None if root is None else plain_value(root)


def refusal(text: str | bytes, max_nodes: int = MAX_NODES) -> str:
    with pytest.raises(ConfigurationError) as raised:
        read(text, max_nodes)
    assert raised.value.__cause__ is None
    return raised.value.message


@each_case(
    ("text", "value"),
    [
        ("a: 5\nb: -7\nc: 0.5\nd: 1.0e+3\ne: 0", {"a": 5, "b": -7, "c": 0.5, "d": 1000.0, "e": 0}),
        ("a: yes\nb: Off\nc: true", {"a": True, "b": False, "c": True}),
        ("a: ~\nb:\nc: null", {"a": None, "b": None, "c": None}),
        ("a: '5'\nb: \"yes\"\nc: !!str 5\nd: |\n  x\n  y", {"a": "5", "b": "yes", "c": "5", "d": "x\ny"}),
        ("2020: x\nyes: y\n~: z", {"2020": "x", "yes": "y", "~": "z"}),
        ("- [a, {b: c}]\n- []", [["a", {"b": "c"}], []]),
        ("\ufeffa: b", {"a": "b"}),
        ("# nothing\n", None),
    ],
)
def test_text_numbers_booleans_lists_and_mappings_are_read(text: str, value: Any) -> None:
    assert read(text) == value


@each_case(
    "odd", ["2024-99-99", "2024-01-01", "0777", "0x1F", "1_000", "1:30", "0b_", ".inf", ".nan", "=", "<<", "9" * 900]
)
def test_what_only_yaml_takes_for_a_date_or_a_number_is_text(odd: str) -> None:
    assert read(f"a: {odd}") == {"a": odd}
    assert read(f"{odd}: a") == {odd: "a"}


@each_case(
    ("text", "line", "said"),
    [
        ("a: b\nc: *d\n", 2, "alias"),
        ("a: &b\n- c\n", 1, "anchor"),
        ("a:\n  &b c\n", 2, "anchor"),
        ("a:\n- !!binary aGk=\n", 2, "tag"),
        ("a: !x y\n", 1, "tag"),
        ("a:\n  !!set {b}\n", 2, "tag"),
        ("x: y\n? [a]\n: b\n", 2, "a key is text"),
        ("a: 1\nb:\n  c: 1\n  c: 2\n", 4, "has a key twice"),
        ("a: b\n---\nc: d\n", 2, "second document"),
        ("a: b\nc: \0\n", 2, "U+0000"),
        ("a: b\nc: \x1b[31m\n", 2, "U+001B"),
        (b"a: b\nc: \xe9\n", 2, "is not UTF-8"),
        ("a: b".encode("utf-16"), 1, "is not UTF-8"),
        ("a: b\n c: d\n", 2, "check the indentation"),
        ("a: [b\n", 2, "check the indentation"),
        ("[" * 100_000, 1, "nested too deeply"),
        ("- " * 100_000, 1, "nested too deeply"),
    ],
)
def test_what_no_one_means_is_refused_with_its_line(text: str | bytes, line: int, said: str) -> None:
    message = refusal(text)
    assert message.startswith(f"f.yaml, line {line}: ")
    assert said in message


def test_the_depth_and_the_number_of_values_are_bounded() -> None:
    assert read("[" * MAX_DEPTH + "]" * MAX_DEPTH)
    assert "nested too deeply" in refusal("[" * (MAX_DEPTH + 1))
    assert read("[a, b, c]", 4) == ["a", "b", "c"]
    assert "more than 4 keys and values" in refusal("[a, b,\nc, d]", 4)


@each_case("form", ["*{}", "&{}", "!{}", "@{}", "'{}", '"\\{}"', "[{}", "{}: {}: x", "%{}", "!<{}"])
def test_no_refusal_quotes_the_file(form: str) -> None:
    assert "Zq9word" not in refusal(f"a:\n  password: {form.replace('{}', 'Zq9word')}\n")


@given(st.text(max_size=200) | st.binary(max_size=200))
def test_any_text_is_read_or_refused(text: str | bytes) -> None:
    said = "f.yaml, line "
    try:
        read(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text)
    except ConfigurationError as error:
        said = error.message
    assert said.startswith("f.yaml, line ")
