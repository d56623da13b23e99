"""The page about prose says what the code does."""

from __future__ import annotations

from tests import ROOT
from tests.cases import each_case
from tribal.prompt_templates import DESCRIBING, INTERROGATING
from tribal.text_checks.judge import RULES

PAGE = (ROOT / "docs" / "prose.md").read_text(encoding="utf-8")


@each_case("rule", RULES)
def test_every_rule_for_sentences_is_documented(rule: str) -> None:
    assert f"| `{rule}` |" in PAGE


@each_case("name", [*DESCRIBING, *INTERROGATING])
def test_every_prompt_is_documented_with_its_variables(name: str) -> None:
    (row,) = [line for line in PAGE.splitlines() if line.startswith(f"| `{name}` |")]
    assert all(f"`{{{{{variable}}}}}`" in row for variable in {**DESCRIBING, **INTERROGATING}[name])
