"""Globs mean what people expect of `.gitignore`, and a constraint that they turn off is reported."""

from __future__ import annotations

import pytest

from tests.cases import each_case
from tribal.capabilities.knowledge.errors import PatternInvalid
from tribal.capabilities.knowledge.policies.checking import Rule, violations
from tribal.capabilities.knowledge.policies.evidence import CollectedNames, Evidence, NameUse, SourceFile
from tribal.capabilities.knowledge.policies.patterns import path_glob
from tribal.capabilities.knowledge.policies.unapplied import notes_on_unapplied
from tribal_contracts.knowledge import Constraint, Target


@each_case("glob", ["a*b*c*d*e.py", "**/**/**/**/**/x", "{a,b}{c,d}{e,f}{g,h}{i,j}{k,l}", "a*a*a*b"])
def test_a_glob_that_would_take_too_long_blocks_or_is_quick(glob: str) -> None:
    evidence = Evidence([SourceFile("a/" + "a" * 200 + ".py", "")], is_complete=True)
    found = violations(Constraint(operator="must_not_exist", target="file", pattern=glob), evidence)
    assert [(each.is_unevaluated, each.severity) for each in found] == ([] if glob == "a*a*a*b" else [(True, "block")])


@each_case(
    ("glob", "paths", "others"),
    [
        ("*.py", ["a.py", "src/a.py", "src/.hidden/a.py"], ["a.pyc", "py"]),
        ("src/*.py", ["src/a.py"], ["src/b/a.py", "a.py"]),
        ("src/**/*.py", ["src/a.py", "src/b/c/a.py"], ["a.py", "lib/src/a.py"]),
        ("**/*.sql", ["a.sql", "b/c.sql"], ["sql"]),
        ("*.{ts,tsx}", ["a.ts", "b/a.tsx"], ["a.js"]),
        ("./Makefile", ["Makefile"], ["src/Makefile"]),
        ("src", ["src/a.py", "src/b/c.py", "lib/src/d.py", "src"], ["srcs/a.py", "src.py"]),
        ("src/", ["src/a.py", "lib/src/b/c.py"], ["src", "a/src"]),
        ("/src", ["src/a.py", "src"], ["lib/src/a.py"]),
        ("/src/**", ["src/a.py", "src/b/c.py"], ["lib/src/a.py"]),
        ("src/api", ["src/api/a.py", "src/api"], ["lib/src/api/a.py", "src/apis/a.py"]),
        ("**/api/", ["src/api/a.py", "api/b/c.py"], ["src/api"]),
        ("src/*", ["src/a.py"], ["src/b/a.py"]),
        ("test_*/", ["test_a/x.py", "b/test_c/d/x.py"], ["test_a.py"]),
        ("{src,lib}/", ["src/a.py", "lib/b.py"], ["app/c.py"]),
        ("{/src,lib}", ["src/a.py", "app/lib/b.py"], ["app/src/c.py"]),
        ("!src/**", ["lib/a.py", "a.py"], ["src/a.py"]),
        ("!*.py", ["a.sql"], ["src/a.py"]),
        ("\\!a.py", ["!a.py", "b/!a.py"], ["a.py"]),
        ("a//b", ["a/b"], ["b"]),
        (".", ["a.py", "src/b.py"], []),
        ("/", ["a.py", "src/b.py"], []),
        ("[Dd]ockerfile", ["x/dockerfile", "Dockerfile"], ["Dockerfiles"]),
    ],
)
def test_a_glob_without_a_slash_names_files_in_any_folder(glob: str, paths: list[str], others: list[str]) -> None:
    constraint = Constraint(operator="must_not_exist", target="file", pattern=glob)
    evidence = Evidence([SourceFile(path, "") for path in [*paths, *others]])
    assert [each.file for each in violations(constraint, evidence)] == paths


@each_case(
    ("glob", "problem"),
    [
        ("..\\\\src", "has a backslash; write / between folders"),
        ("src\\api", "has a backslash; write / between folders"),
        ("../src/**", "has `..`; write it relative to the root of the project"),
        ("src/../lib", "has `..`; write it relative to the root of the project"),
    ],
)
def test_a_glob_that_can_match_no_path_says_what_to_write(glob: str, problem: str) -> None:
    with pytest.raises(PatternInvalid) as refused:
        path_glob(glob.replace("\\\\", "\\"))
    assert problem in refused.value.message


FILES = [SourceFile(path, "") for path in ("src/api/load.py", "src/q.sql", "web/package.json", "README.md")]


def rule(target: Target, applies_to: str | None = None) -> Rule:
    constraint = Constraint(operator="must_not_use", target=target, pattern="x", applies_to=applies_to)
    return Rule("p", "P", "block", constraint)


@each_case(
    ("glob", "nearest"),
    [
        ("Src/**", "src/**"),
        ("scr/api/*.py", "src/api/*.py"),
        ("api/**", "**/api/**"),
        ("src/*.py", "src/**/*.py"),
    ],
)
def test_a_glob_that_matches_no_file_is_reported_with_the_nearest_one_that_does(glob: str, nearest: str) -> None:
    (note,) = notes_on_unapplied([rule("import", glob)], Evidence(FILES))
    assert note == f"appliesTo {glob!r} of p matches none of the checked files, but {nearest!r} does"


@each_case(
    ("rules", "note"),
    [
        ([rule("import", "src/")], None),
        ([rule("import", "src/"), rule("code"), rule("table"), rule("dependency")], None),
        ([rule("import", "docs/**")], "the constraint applies to none of the checked files: p (appliesTo 'docs/**')"),
        ([rule("table", "web/")], "the constraint applies to none of the checked files: p (table in 'web/')"),
        (
            [rule("import", "docs/**"), rule("import"), rule("code", "!**")],
            "2 of 3 constraints apply to none of the checked files: p (appliesTo 'docs/**'), p (appliesTo '!**')",
        ),
    ],
)
def test_constraints_that_apply_to_no_file_are_reported_in_one_line(rules: list[Rule], note: str | None) -> None:
    assert notes_on_unapplied(rules, Evidence(FILES)) == ([] if note is None else [note])


def test_a_constraint_applies_to_names_that_are_in_no_file() -> None:
    given = Evidence(FILES[-1:], CollectedNames([NameUse(("mysql",))]))
    assert notes_on_unapplied([rule("dependency")], given) == []
    assert len(notes_on_unapplied([rule("import")], given)) == 1
    assert notes_on_unapplied([rule("import")], Evidence()) == []
