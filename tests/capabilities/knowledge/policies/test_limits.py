"""Reading takes time in proportion to the text, and a file over a limit is unread."""

from __future__ import annotations

import json
import time
from random import Random

import pytest

from tests.cases import each_case
from tribal.capabilities.knowledge.policies.checking import Rule, check
from tribal.capabilities.knowledge.policies.collecting import DocumentedNames, collect_evidence
from tribal.capabilities.knowledge.policies.dependencies import dependencies_of
from tribal.capabilities.knowledge.policies.evidence import CollectedNames, Evidence, NameUse, SourceFile
from tribal.capabilities.knowledge.policies.imports import imports_of
from tribal.capabilities.knowledge.policies.limits import (
    MAX_FILE_BYTES,
    MAX_NAMES,
    MAX_PARTS,
    MAX_PYTHON_TOKENS,
)
from tribal.capabilities.knowledge.policies.patterns import path_glob
from tribal.capabilities.knowledge.policies.scripts import imported_names
from tribal.sql.references import MAX_SQL_TOKENS
from tribal.sql.statements import references_in
from tribal_contracts.knowledge import Constraint, Severity, Target

pytestmark = pytest.mark.slow

QUICK_SECONDS = 30.0
"""Of processor time, many times what is needed. Each of these took minutes, or as much as the memory allowed, before it
was linear."""


def seconds_of(path: str, text: str) -> float:
    began = time.thread_time()
    file = SourceFile(path, text)
    dependencies_of(file)
    imports_of(file)
    if path.endswith(".sql"):
        references_in(text, "postgres")
    return time.thread_time() - began


@each_case(
    ("path", "text"),
    [
        ("a.js", '\\"' * 100_000),
        ("a.js", "import" + " " * 200_000),
        ("a.js", "import " * 30_000),
        ("a.js", "/*" * 100_000),
        ("a.js", "import{" + "export{ " * 25_000 + "from"),
        ("a.js", "`${" * 60_000),
        ("a.js", "/[" * 100_000),
        ("a.ipynb", json.dumps({"cells": [{"cell_type": "code", "source": "a\n" * 40_000}]})),
        ("a.py", "import a" + ".b" * 100_000),
        ("a.py", "from a" + ".b" * 18 + " import " + ", ".join(f"n{n}" for n in range(20_000))),
        ("a.sql", "SELECT " + ", ".join(f"c{n} AS x{n}" for n in range(4_000)) + " FROM t"),
        ("a.sql", "SELECT 1 FROM t WHERE " + " OR ".join(f"c{n} = 1" for n in range(4_000))),
        ("a.sql", "WITH " + ", ".join(f"a{n + 1} AS (SELECT c FROM a{n})" for n in range(1_500)) + " SELECT 1"),
        ("a.sql", "SELECT * FROM t " + " ".join(f"JOIN t{n} ON t.a = t{n}.a" for n in range(1_500))),
        ("requirements.txt", "".join(f"p{n}==1\n" for n in range(20_000))),
        ("requirements.txt", "a\\\n" * 100_000),
        ("requirements.txt", "a-1" * 100_000 + ".zip"),
        ("setup.cfg", "[options]\ninstall_requires =\n" + " a\n" * 20_000),
        ("setup.py", "setup(install_requires=[" + "'a'," * 40_000 + "])"),
        ("a.py", "# /// script\n" * 50_000),
        ("bun.lock", "{" + "," + " " * 200_000),
        ("package.json", json.dumps({"overrides": {"a>" * 100_000: "1"}})),
        ("package.json", json.dumps({"dependencies": {f"p{n}": "1" for n in range(20_000)}})),
        ("pyproject.toml", "a" + ".a" * 100_000 + " = 1"),
    ],
    ids=lambda value: value[:12].strip(),
)
def test_a_hostile_file_is_read_in_linear_time(path: str, text: str) -> None:
    assert seconds_of(path, text) < QUICK_SECONDS


def test_a_hostile_path_is_matched_in_linear_time() -> None:
    began = time.thread_time()
    assert not path_glob("**/a/**/a/**/a/**/b")("a/" * 480 + "x")
    assert time.thread_time() - began < QUICK_SECONDS


@each_case(
    ("path", "text", "reason"),
    [
        ("a.py", "#" * (MAX_FILE_BYTES + 1), "it is larger than 1,048,576 bytes"),
        ("a.js", "é" * (MAX_FILE_BYTES // 2 + 1), "it is larger than 1,048,576 bytes"),
        ("a.py", "a," * (MAX_PYTHON_TOKENS // 2 + 1), "it has more than 200,000 tokens"),
        ("a.py", "import a" + ".b" * MAX_PARTS, "the name 'a.b.b'... has more than 20 parts"),
        ("a.js", "import 'a" + "/b" * MAX_PARTS + "'", "the name 'a.b.b'... has more than 20 parts"),
        ("a.py", "x = " + "-" * 100_000 + "1", "it is nested too deeply"),
        (
            "requirements.txt",
            "".join(f"p{n}\n" for n in range(MAX_NAMES + 1)),
            "it has more than 20,000 different names",
        ),
        ("package.json", '{"a":' * 100_000, "it is nested too deeply"),
        ("pyproject.toml", "a" + ".a" * MAX_PARTS + " = 1", "a key has more than 20 parts"),
        ("q.sql", "SELECT " + "1," * (MAX_SQL_TOKENS // 2) + "1", "it has more than 60,000 tokens"),
        ("q.sql", "SELECT " + "(" * 500, "its parentheses or brackets are nested too deeply"),
        ("q.sql", "SELECT " + "ARRAY[" * 20 + "1" + "]" * 20, "its parentheses or brackets are nested too deeply"),
        ("q.sql", "SELECT " + "NOT " * 5_000 + "a", "the SQL is nested too deeply"),
    ],
    ids=lambda value: value[:20].strip(),
)
@each_case(("severity", "passed"), [("block", False), ("warn", True), ("info", True)])
def test_a_file_over_a_limit_cannot_be_evaluated_and_blocks_where_the_policy_blocks(
    path: str, text: str, reason: str, severity: Severity, passed: bool
) -> None:
    targets: tuple[Target, ...] = ("import", "dependency", "table")
    rules = [
        Rule("x", "X", severity, Constraint(operator="must_not_use", target=target, pattern="evil"))
        for target in targets
    ]
    evidence, _ = collect_evidence([SourceFile(path, text)], DocumentedNames(), targets, is_complete=False)
    answer = check(rules, evidence, "info")
    (violation,) = answer.violations
    assert answer.passed is passed
    assert violation.message.startswith(f"cannot be evaluated: {reason}")
    assert violation.severity == severity


def test_one_statement_that_is_nested_too_deeply_hides_no_other() -> None:
    found = references_in(f"SELECT 1 FROM a;\nSELECT {'NOT ' * 5_000} x;\nSELECT 1 FROM b", "postgres")
    assert [each.parts for each in found.tables] == [("a",), ("b",)]
    assert [(each.line, each.reason) for each in found.unread] == [(2, "the SQL is nested too deeply")]


_TEXTS = (
    "// import 'no'\n",
    "/* import 'no' */",
    "x = \"import 'no'\";",
    "x = 'import \"no\"';",
    "x = `import 'no' ${x} \"`;",
    "x = /import 'no'[/'\"]/;",
    "x = a / b;",
    "f(x);\n",
)
_IMPORTS = ("import '{}';", 'import {{ a,\n b }} from "{}";', "x = require( '{}');", "export * from '{}'\n")


def test_the_scanner_finds_every_import_between_texts_that_look_like_imports() -> None:
    random = Random(20261127)
    for _ in range(500):
        pieces = random.choices((*_TEXTS, *_IMPORTS), k=random.randint(1, 12))
        text, expected = "", []
        for number, piece in enumerate(pieces):
            text += piece.format(f"p{number}") if piece in _IMPORTS else piece
            if piece in _IMPORTS:
                place = text.rindex(f"p{number}")
                expected.append((f"p{number}", text.count("\n", 0, place) + 1))
        assert [*imported_names(text)] == expected, text


def test_lines_of_dependencies_are_where_their_names_stand_alone() -> None:
    text = '{"dependencies": {\n "lodash": "1",\n "lodash.debounce": "2",\n "@a/b": "3",\n "b": "4"}}\n'
    found = dependencies_of(SourceFile("package.json", text))
    assert [(each.name, each.line) for each in found.named] == [
        ("lodash", 2),
        ("lodash.debounce", 3),
        ("@a/b", 4),
        ("b", 5),
    ]
    assert not found.unread


def test_a_name_that_breaks_a_rule_is_counted_even_when_it_is_not_reported() -> None:
    rule = Rule("x", "X", "block", Constraint(operator="must_match", target="dependency", pattern="q.*"))
    evidence = Evidence(dependencies=CollectedNames([NameUse((f"p{n}",)) for n in range(500)]))
    answer = check([rule], evidence, "warn", limit=3)
    assert (answer.summary.block, len(answer.violations), answer.returned, answer.truncated) == (500, 3, 3, True)


def test_the_gravest_violations_are_reported_first_and_those_of_one_severity_in_order() -> None:
    severities: tuple[Severity, ...] = ("warn", "block", "warn", "block", "info")
    rules = [
        Rule(name, name, severity, Constraint(operator="must_not_use", target="dependency", pattern=name))
        for name, severity in zip("abcde", severities, strict=True)
    ]
    evidence = Evidence(dependencies=CollectedNames([NameUse((name,)) for name in "abcde"]))
    answer = check(rules, evidence, "warn", limit=3)
    assert [each.knowledge_item_id for each in answer.violations] == ["b", "d", "a"]
    assert (answer.summary.block, answer.summary.warn, answer.summary.info) == (2, 2, 1)


def test_rules_that_are_left_when_the_time_is_over_cannot_be_evaluated_and_block_where_they_block() -> None:
    severities: tuple[Severity, ...] = ("block", "warn")
    rules = [
        Rule("x", "X", severity, Constraint(operator="must_not_use", target="dependency", pattern="evil"))
        for severity in severities
    ]
    late = iter([False, True])
    answer = check(rules, Evidence(), "warn", is_late=lambda: next(late))
    assert answer.passed
    (violation,) = answer.violations
    assert violation.message == "cannot be evaluated: the check timed out; check fewer files at once"
    assert not check(rules, Evidence(), "warn", is_late=lambda: True).passed
