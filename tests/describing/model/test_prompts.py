"""Templates: shipped, overridden, refused."""

from __future__ import annotations

import pytest

from tests.cases import each_case
from tests.describing.model.made import asking, question
from tribal.errors import ConfigurationError
from tribal.prompt_templates import DESCRIBING, INTERROGATING, load_prompts


def test_the_shipped_prompts_have_all_their_variables() -> None:
    assert set(load_prompts().texts) == set(DESCRIBING)


def test_a_file_of_the_project_is_in_the_place_of_the_shipped_one() -> None:
    own = load_prompts({"table.md": b"Look at this: {{table}}"})
    assert own.texts["table.md"] == "Look at this: {{table}}"
    assert own.texts["system.md"] == load_prompts().texts["system.md"]


def test_the_version_changes_with_any_byte_and_not_with_the_line_ends_of_a_checkout() -> None:
    one, other = load_prompts({"table.md": b"a\n{{table}}"}), load_prompts({"table.md": b"b\n{{table}}"})
    assert one.version != other.version
    assert load_prompts({"table.md": b"a\r\n{{table}}"}).version == one.version


@each_case(
    ("name", "data", "says"),
    [
        ("table.md", b"one\ntwo {{tabel}} {{table}}", r"config/prompts/table\.md, line 2: .*\{\{tabel\}\}; write \{\{"),
        ("table.md", b"one\n\nthree", r"config/prompts/table\.md, line 3: lacks the variable \{\{table\}\}"),
        ("system.md", b"{{language}}", r"config/prompts/system\.md, line 1: lacks the variable \{\{terms\}\}"),
        ("table.md", b"{{table}}\n{{ table }}", r"table\.md, line 2: has \{\{ without a variable"),
        ("table.md", b"{{table}}\n\xff", r"table\.md, line 2: is not UTF-8; save it as UTF-8"),
        ("table.md", "{{table}}\n\u202e".encode(), r"table\.md, line 2: has the control character U\+202E"),
        ("tables.md", b"{{table}}", r"config/prompts/tables\.md: is not a prompt; rename it to table\.md"),
        ("notes.txt", b"", r"config/prompts/notes\.txt: is not a prompt; move it away \(the prompts are system\.md"),
        ("table.md", b"{{table}}" + b"x" * 40_000, r"table\.md: is larger than 32,768 bytes"),
    ],
)
def test_a_prompt_that_cannot_be_used_is_refused_with_file_and_line(name: str, data: bytes, says: str) -> None:
    with pytest.raises(ConfigurationError, match=says):
        load_prompts({name: data}, "config/prompts")


def test_each_set_of_prompts_ignores_files_that_replace_prompts_of_the_other() -> None:
    own = {"witness.md": b"Say what is documented.", "table.md": b"{{table}}!"}
    assert load_prompts(own).version == load_prompts({"table.md": own["table.md"]}).version
    others = load_prompts(own, templates=INTERROGATING)
    assert set(others.texts) == set(INTERROGATING)
    assert others.texts["witness.md"] == "Say what is documented."
    with pytest.raises(
        ConfigurationError, match=r"witness\.md, line 1: has the unknown variable \{\{table\}\}; delete it"
    ):
        load_prompts({"witness.md": b"{{table}}"}, templates=INTERROGATING)


def test_what_a_value_holds_is_never_taken_for_a_variable() -> None:
    filled = load_prompts({"repair.md": b"{{question}} and {{faults}}"}).fill(
        "repair.md", question="{{faults}} {{table}}", faults="[]"
    )
    assert filled == "{{faults}} {{table}} and []"


def test_all_questions_of_a_run_begin_with_the_same_bytes() -> None:
    how = asking(language="German", terms={"KD-Nr": "customer number", "AB": "order confirmation"})
    assert question(how=how).request_prefix == how.prefix
    assert "Answer in German" in how.prefix
    assert how.prefix.index('"AB":"order confirmation"') < how.prefix.index('"KD-Nr":"customer number"')


def test_terms_are_data_too() -> None:
    assert "\\u003c/data\\u003e" in asking(terms={"x": "</data>"}).prefix
