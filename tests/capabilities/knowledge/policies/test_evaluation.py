"""Every operator on every target it may be asked of, over a whole evidence and over a part of one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from pydantic import ValidationError

from tests.cases import each_case
from tribal.capabilities.knowledge.policies.checking import Rule, check, violations
from tribal.capabilities.knowledge.policies.evidence import CollectedNames, Evidence, Gap, NameUse, SourceFile
from tribal_contracts.knowledge import TARGETS, Constraint, Severity

FILES = (
    SourceFile("src/orders/load.py", "import os\nimport pymysql\n\nDEBUG = True\n"),
    SourceFile("src/orders/store.py", "import psycopg\n\nDEBUG = False\n"),
    SourceFile("deploy/prod.yaml", "replicas: 3\nimage: orders:latest\n"),
    SourceFile("README.md", "# Orders\n"),
)
PICTURE = Evidence(
    files=FILES,
    dependencies=CollectedNames([NameUse(("mysql2",), "package.json", 4), NameUse(("pg",), "package.json", 5)]),
    imports=CollectedNames(
        [NameUse(("pymysql.cursors", "pymysql"), "src/orders/load.py", 2), NameUse(("os",), "a.py", 1)]
    ),
    tables=CollectedNames([NameUse(("shop.billing.Invoice_Old", "billing.Invoice_Old", "Invoice_Old"), "q.sql", 3)]),
    columns=CollectedNames([NameUse(("shop.billing.invoice.totalAmount", "totalAmount"), "q.sql", 4)]),
)
YES, NO = True, False
HERE = ("src/orders/load.py", 4)

CASES: list[tuple[str, str, str, list[tuple[str | None, int | None]], list[tuple[str | None, int | None]]]] = [
    # operator, target, pattern, where it is violated of a part, where of the whole
    ("must_use", "dependency", "pg", [], []),
    ("must_use", "dependency", "psycopg", [], [(None, None)]),
    ("must_use", "import", "pymysql", [], []),
    ("must_use", "import", "psycopg", [], [(None, None)]),
    ("must_use", "table", "billing.invoice", [], [(None, None)]),
    ("must_use", "table", "billing.invoice_old", [], []),
    ("must_use", "column", "created_at", [], [(None, None)]),
    ("must_use", "column", "totalamount", [], []),
    ("must_use", "code", "import logging", [], [(None, None)]),
    ("must_use", "code", "^import psycopg$", [], []),
    ("must_not_use", "dependency", "mysql|mysql2|mariadb", [("package.json", 4)], [("package.json", 4)]),
    ("must_not_use", "dependency", "sql", [], []),
    ("must_not_use", "import", "pymysql", [("src/orders/load.py", 2)], [("src/orders/load.py", 2)]),
    ("must_not_use", "import", "cursors", [], []),
    ("must_not_use", "table", r"billing\.invoice_old", [("q.sql", 3)], [("q.sql", 3)]),
    ("must_not_use", "table", "invoice", [], []),
    ("must_not_use", "column", "totalAmount", [("q.sql", 4)], [("q.sql", 4)]),
    ("must_not_use", "column", "amount", [], []),
    ("must_not_use", "code", "DEBUG = True", [HERE], [HERE]),
    ("must_not_use", "code", "TRACE", [], []),
    ("must_match", "dependency", "[a-z0-9]+", [], []),
    ("must_match", "dependency", "pg", [("package.json", 4)], [("package.json", 4)]),
    ("must_match", "import", "os|pymysql", [], []),
    ("must_match", "import", "pymysql", [("a.py", 1)], [("a.py", 1)]),
    ("must_match", "table", "[A-Za-z_]+", [], []),
    ("must_match", "table", "[a-z_]+", [("q.sql", 3)], [("q.sql", 3)]),
    ("must_match", "column", "[a-zA-Z]+", [], []),
    ("must_match", "column", "[a-z_]+", [("q.sql", 4)], [("q.sql", 4)]),
    ("must_match", "code", ".", [], []),
    ("must_match", "code", "import|^#|image", [], []),
    ("must_match", "code", "import|^#", [("deploy/prod.yaml", None)], [("deploy/prod.yaml", None)]),
    ("must_match", "config", "^replicas: [2-9]$", [], []),
    ("must_match", "config", "^replicas: 1$", [("deploy/prod.yaml", None)], [("deploy/prod.yaml", None)]),
    ("must_not_match", "dependency", "mysql.*", [("package.json", 4)], [("package.json", 4)]),
    ("must_not_match", "dependency", "oracle.*", [], []),
    ("must_not_match", "import", "pymysql.*", [("src/orders/load.py", 2)], [("src/orders/load.py", 2)]),
    ("must_not_match", "import", "oracle.*", [], []),
    ("must_not_match", "table", ".*_old", [("q.sql", 3)], [("q.sql", 3)]),
    ("must_not_match", "table", ".*_new", [], []),
    ("must_not_match", "column", "total.*", [("q.sql", 4)], [("q.sql", 4)]),
    ("must_not_match", "column", "sum.*", [], []),
    ("must_not_match", "code", "^DEBUG = True$", [HERE], [HERE]),
    ("must_not_match", "code", "^TRACE", [], []),
    ("must_not_match", "config", ":latest$", [("deploy/prod.yaml", 2)], [("deploy/prod.yaml", 2)]),
    ("must_not_match", "config", "^# Orders", [], []),
    ("must_exist", "file", "README.md", [], []),
    ("must_exist", "file", "src/**/test_*.py", [], [(None, None)]),
    ("must_exist", "config", "deploy/*.yaml", [], []),
    ("must_exist", "config", "README.md", [], [(None, None)]),
    ("must_not_exist", "file", "load.py", [("src/orders/load.py", None)], [("src/orders/load.py", None)]),
    ("must_not_exist", "file", "*.sql", [], []),
    ("must_not_exist", "config", "deploy/**", [("deploy/prod.yaml", None)], [("deploy/prod.yaml", None)]),
    ("must_not_exist", "config", "README.md", [], []),
]


def found(constraint: Constraint, evidence: Evidence) -> list[tuple[str | None, int | None]]:
    return [(each.file, each.line) for each in violations(constraint, evidence)]


@each_case(("operator", "target", "pattern", "of_a_part", "of_the_whole"), CASES)
def test_a_constraint_is_violated_where_it_says(
    operator: Any, target: Any, pattern: str, of_a_part: list[Any], of_the_whole: list[Any]
) -> None:
    constraint = Constraint(operator=operator, target=target, pattern=pattern)
    assert found(constraint, PICTURE) == of_a_part
    assert found(constraint, replace(PICTURE, is_complete=True)) == of_the_whole


def test_the_table_has_every_operator_on_every_target_kept_and_violated() -> None:
    asked = {(operator, target, bool(whole)) for operator, target, _, _, whole in CASES}
    allowed = {(operator, target) for operator, targets in TARGETS.items() for target in targets}
    assert asked == {(*pair, violated) for pair in allowed for violated in (YES, NO)}


@each_case("pair", [("must_use", "file"), ("must_exist", "code"), ("must_match", "file")])
def test_what_an_operator_cannot_be_asked_of_is_no_constraint(pair: tuple[Any, Any]) -> None:
    with pytest.raises(ValidationError, match="cannot be asked of"):
        Constraint(operator=pair[0], target=pair[1], pattern="x")


@each_case("pattern", ["(", "a(?=b)", r"(a)\1", "(?<!x)y", "a{1001}", "a)(b"])
def test_a_pattern_that_cannot_be_evaluated_blocks(pattern: str) -> None:
    for target in ("dependency", "code"):
        (violation,) = violations(Constraint(operator="must_not_use", target=target, pattern=pattern), Evidence())
        assert (violation.severity, violation.is_unevaluated) == ("block", True)
        assert "cannot be evaluated" in violation.reason


def test_a_constraint_is_about_the_files_that_it_applies_to_and_about_what_is_in_no_known_file() -> None:
    constraint = Constraint(operator="must_not_use", target="dependency", pattern="mysql.*", applies_to="api/**")
    named = [NameUse(("mysql2",), "web/package.json"), NameUse(("mysql2",), "api/package.json"), NameUse(("mysql",))]
    evidence = Evidence(dependencies=CollectedNames(named))
    assert [each.file for each in violations(constraint, evidence)] == ["api/package.json", None]


def test_what_could_not_be_read_is_a_violation_of_each_constraint_that_needed_it() -> None:
    gap = Gap("broken.sql", frozenset({"table", "column"}), "the SQL cannot be read", 7)
    evidence = Evidence(tables=CollectedNames(unread=[gap]), columns=CollectedNames(unread=[gap]))
    for target in ("table", "column"):
        (violation,) = violations(Constraint(operator="must_not_use", target=target, pattern="x"), evidence)
        assert (violation.file, violation.line, violation.severity, violation.is_unreadable) == (
            "broken.sql",
            7,
            None,
            True,
        )
    assert violations(Constraint(operator="must_not_use", target="code", pattern="x"), evidence) == []


def test_what_could_not_be_read_matters_to_what_must_be_used_only_if_nothing_else_is() -> None:
    gap = Gap("package.json", frozenset({"dependency"}), "cannot parse it")
    named = CollectedNames([NameUse(("pg",), "web/package.json")], [gap])
    evidence = Evidence([SourceFile("big.txt", "", "it is too large")], named, is_complete=True)
    assert found(Constraint(operator="must_use", target="dependency", pattern="pg"), evidence) == []
    missing = Constraint(operator="must_use", target="dependency", pattern="psycopg")
    (violation,) = violations(missing, evidence)
    assert (violation.file, violation.is_unreadable) == ("package.json", True)
    assert found(missing, replace(evidence, is_complete=False)) == []
    (violation,) = violations(Constraint(operator="must_use", target="code", pattern="x"), evidence)
    assert (violation.file, violation.is_unreadable) == ("big.txt", True)


@each_case(
    ("severity", "softened", "expected"),
    [
        ("block", False, "block"),
        ("block", True, "warn"),
        ("warn", False, "warn"),
        ("warn", True, "warn"),
        ("info", False, "info"),
        ("info", True, "info"),
    ],
)
def test_a_file_that_cannot_be_read_counts_as_its_constraint_does_unless_the_policy_softens_it(
    severity: Severity, softened: bool, expected: Severity
) -> None:
    gap = Gap("a.sql", frozenset({"table"}), "cannot parse the SQL", 3)
    constraint = Constraint(operator="must_not_use", target="table", pattern="evil", message="Ask the owner")
    answer = check([Rule("x", "X", severity, constraint, softened)], Evidence(tables=CollectedNames((), [gap])), "info")
    (violation,) = answer.violations
    assert violation.severity == expected
    assert answer.passed == (expected != "block")
    remedy = "; fix the file, exclude it with `appliesTo`, or put `unreadable: warn` into the policy"
    assert violation.message == "cannot be evaluated: cannot parse the SQL" + (remedy if expected == "block" else "")


def test_a_name_that_is_used_often_in_a_file_is_reported_once() -> None:
    named = [NameUse(("mysql2",), "a.json", 3), NameUse(("mysql2",), "a.json", 9), NameUse(("mysql2",), "b.json", 1)]
    constraint = Constraint(operator="must_not_use", target="dependency", pattern="mysql2")
    found = violations(constraint, Evidence(dependencies=CollectedNames(named)))
    assert [(each.file, each.line) for each in found] == [("a.json", 3), ("b.json", 1)]
