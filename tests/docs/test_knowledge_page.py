"""Every constraint that the page of knowledge shows does what the page says of it."""

from __future__ import annotations

import re

import yaml

from tests import ROOT
from tests.cases import each_case
from tribal.capabilities.knowledge.policies.checking import Rule, check
from tribal.capabilities.knowledge.policies.collecting import DocumentedNames, collect_evidence
from tribal.capabilities.knowledge.policies.evidence import SourceFile
from tribal_contracts.knowledge import TARGETS, Constraint

PAGE = (ROOT / "docs" / "knowledge.md").read_text(encoding="utf-8")
_EXAMPLE = re.compile(r"^- (\{operator: .*\})\n# breaks: ([^:\n]+): (.*)\n# keeps: ([^:\n]+): (.*)$", re.MULTILINE)
EXAMPLES = _EXAMPLE.findall(PAGE)


def violated(constraint: Constraint, name: str, content: str) -> list[str]:
    """What is wrong with a folder of one file."""
    evidence, _ = collect_evidence(
        [SourceFile(name, content + "\n")], DocumentedNames(), {constraint.target}, is_complete=True
    )
    answer = check([Rule("x", "X", "warn", constraint)], evidence, "info")
    return [each.message for each in answer.violations]


@each_case("example", EXAMPLES, ids=[each[0] for each in EXAMPLES])
def test_an_example_is_broken_and_kept_as_it_says(example: tuple[str, str, str, str, str]) -> None:
    said, bad, wrong, good, right = example
    constraint = Constraint.model_validate(yaml.safe_load(said))
    broken = violated(constraint, bad, wrong)
    assert len(broken) == 1, broken
    assert "cannot be evaluated" not in broken[0]
    assert violated(constraint, good, right) == []


def test_every_operator_has_an_example_and_every_line_of_one_is_read() -> None:
    constraints = [Constraint.model_validate(yaml.safe_load(each[0])) for each in EXAMPLES]
    assert {each.operator for each in constraints} == set(TARGETS)
    assert {each.target for each in constraints} == {target for targets in TARGETS.values() for target in targets}
    assert len(EXAMPLES) == PAGE.count("# breaks: ") == PAGE.count("# keeps: ")
