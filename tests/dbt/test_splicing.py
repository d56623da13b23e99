"""Descriptions are added to properties files in every style, and no other byte changes."""

from __future__ import annotations

import pytest
import yaml

from tests.cases import each_case
from tests.dbt.edits import model, table
from tests.dbt.styles import STYLES
from tribal.dbt import yaml_nodes
from tribal.dbt.positions import CannotSplice
from tribal.dbt.splicing import Change, SplicedDocument

TABBED = "a start marker, tabs, and comments deep below the place"
"""The style that only libyaml can parse."""


def spliced(before: str, *changes: Change) -> str:
    return SplicedDocument(before.encode()).splice(changes).data.decode()


@each_case("name", STYLES)
def test_only_the_lines_with_new_descriptions_change(name: str) -> None:
    style = STYLES[name]
    assert spliced(style.before, *style.changes) == style.after


@each_case("name", STYLES)
def test_windows_line_ends_stay(name: str) -> None:
    before, after = (text.replace("\n", "\r\n") for text in (STYLES[name].before, STYLES[name].after))
    assert spliced(before, *STYLES[name].changes) == after


@each_case("name", STYLES.keys() - {"only comments"})
def test_a_byte_order_mark_stays_and_so_does_a_missing_final_newline(name: str) -> None:
    before, after = ("\ufeff" + text.rstrip("\n") for text in (STYLES[name].before, STYLES[name].after))
    assert spliced(before, *STYLES[name].changes) == after


def test_the_parser_of_pyyaml_leads_to_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_nodes, "_Parser", yaml.SafeLoader)
    for style in [each for name, each in STYLES.items() if name != TABBED]:
        assert spliced(style.before, *style.changes) == style.after


@each_case("name", STYLES)
def test_what_is_there_is_not_added_again(name: str) -> None:
    with pytest.raises(CannotSplice, match="has a description at line"):
        spliced(STYLES[name].after, *STYLES[name].changes)


REFUSED = [
    ("models: &m\n  - name: orders\n", "an anchor at line 1"),
    ("models:\n  - &o\n    name: orders\n", "an anchor at line 2"),
    ("a: &a {x: 1}\nmodels:\n  - <<: *a\n    name: orders\n", "merges other values with `<<` at line 3"),
    ("a: &a {name: orders}\nmodels:\n  - <<: *a\n    tests: []\n", "merges other values"),
    ("a: &a {name: orders}\nmodels: [*a]\n", "an alias at line 2"),
    ("a: &a [{name: orders}]\nmodels: *a\n", "an alias at line 2"),
    ("a: &a ''\nmodels:\n  - name: orders\n    description: *a\n", "an alias"),
    ("models:\n  - name: orders\n    description: &a ''\n", "an alias, an anchor or a tag at line 3"),
    ("models:\n  - name: orders\n    description: !!str\n", "an alias, an anchor or a tag at line 3"),
    ("models:\n  - !!map\n    name: orders\n", "a tag at line 2"),
    ("models:\n  - name: orders\n  - name: orders\n", "'orders' twice"),
    ("models:\n  - name: orders\n    name: orders\n", "'name' twice"),
    ("models:\n  - name: orders\nmodels:\n  - name: orders\n", "'models' twice"),
    ("models:\n  - name: orders\n    description: ''\n    description: ''\n", "'description' twice"),
    ("models:\n  - name: orders\n    description: '{{ doc(\"orders\") }}'\n", "a description at line 3"),
    ("models:\n  - name: orders\n    ? description\n    :\n", "would"),
    ("models:\n  orders: {}\n", "a mapping at line 2, where dbt reads a sequence"),
    ("- models\n", "a sequence at line 1, where dbt reads a mapping"),
    ("models:\n  - name: orders\n    columns: &c\n", "an anchor"),
    (
        "models:\n  - name: orders\n    columns:\n      - name: at\n        meta: |\n          text",
        "end the file with a line",
    ),
]


@each_case(("before", "reason"), REFUSED)
def test_what_cannot_be_added_safely_is_refused_with_a_reason(before: str, reason: str) -> None:
    with pytest.raises(CannotSplice) as refused:
        spliced(before, model("Orders."), model("The key.", "id"))
    assert reason in str(refused.value)


def test_a_source_that_no_file_defines_is_not_created() -> None:
    for before in ("", "models: []\n", "sources:\n  - name: other\n"):
        with pytest.raises(CannotSplice, match="does not define the source"):
            spliced(before, table("Orders."))


def test_a_new_file_has_a_version_and_the_entries() -> None:
    changes = [model("Orders."), model("The key.", "id"), model("Customers.", name="customers")]
    assert SplicedDocument(None).splice(changes).data == (
        b"version: 2\n\nmodels:\n  - name: orders\n    description: Orders.\n    columns:\n      - name: id\n"
        b"        description: The key.\n  - name: customers\n    description: Customers.\n"
    )


def test_a_final_line_break_of_a_text_is_quoted_where_the_file_has_none() -> None:
    assert spliced("models: [] # all", model("Orders,\nall.\n")) == (
        'models: # all\n  - name: orders\n    description: "Orders,\\nall.\\n"'
    )


LAUGHS = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 40))


def test_aliases_are_not_expanded() -> None:
    added = "models:\n  - name: orders\n    description: Orders.\n"
    assert spliced(LAUGHS + "models:\n  - name: orders\n", model("Orders.")) == LAUGHS + added


@each_case(
    ("data", "reason"),
    [
        (b"[" * 100_000, "inside one another"),
        (b"- " * 100_000 + b"x", "inside one another"),
        (b"a: [" + b"1, " * 250_000 + b"1]", "more than 200,000 values"),
        (b"#" * 5_000_000, "larger than"),
        (b"a: \xff", "not UTF-8"),
        (b"a: \x07", "cannot be parsed"),
        (b"a: [\n", "cannot be parsed as YAML at line 2"),
        (b"a: *a\n", "an alias without an anchor at line 1"),
        (b"a: 1\n---\nb: 2\n", "more than one document"),
    ],
)
def test_files_outside_the_limits_are_refused(data: bytes, reason: str) -> None:
    with pytest.raises(yaml_nodes.UnreadableYaml, match=reason):
        SplicedDocument(data)
