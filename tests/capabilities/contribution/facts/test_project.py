"""Facts of a project come from its files; what no file shows is empty."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from tests.capabilities.contribution.mapped_files import MappedFiles
from tests.cases import each_case
from tribal.capabilities.contribution.facts.code_style import NO_QUOTES, NO_SEMICOLONS
from tribal.capabilities.contribution.facts.guidelines import CONVENTIONAL
from tribal.capabilities.contribution.facts.project import ProjectFacts, project_facts

SETTINGS = (
    "pyproject.toml",
    "package.json",
    ".editorconfig",
    ".sqlfluff",
    ".prettierrc",
    "Makefile",
    "CONTRIBUTING.md",
    "LICENSE",
    "a.py",
    "a.ts",
    "Cargo.toml",
)


def facts_of(files: dict[str, str]) -> ProjectFacts:
    """The facts of files."""
    return project_facts(MappedFiles({path: text.encode() for path, text in files.items()}))


def test_an_empty_repository_has_only_defaults() -> None:
    found = facts_of({})
    assert not any(found.layout.model_dump().values())
    assert not any(found.commands.model_dump().values())
    assert (found.style.quotes, found.style.semicolons, found.style.line_length) == ("double", False, 0)
    assert found.insights == (NO_QUOTES, NO_SEMICOLONS)
    guidelines = found.guidelines
    assert not any(getattr(guidelines, name) for name in type(guidelines).__slots__)


@each_case(
    "paths, framework, language",
    [
        (["dbt_project.yml", "models/a.sql", "models/b.sql"], "dbt", "SQL"),
        (["analytics/dbt_project.yml", "a.py"], "dbt", "Python"),
        (["alembic.ini", "migrations/env.py"], "Alembic", "Python"),
        (["db/V1__first.sql"], "Flyway", "SQL"),
        (["db/V2024.01.01_1__first.sql"], "Flyway", "SQL"),
        (["flyway.conf", "x.java"], "Flyway", "Java"),
        (["db/changelog-master.xml"], "Liquibase", ""),
        (["prisma/schema.prisma", "src/a.ts", "src/b.tsx", "src/c.js"], "Prisma", "TypeScript"),
        (["manage.py", "app/models.py"], "Django", "Python"),
        (["config/application.rb"], "Rails", "Ruby"),
        (["node_modules/a.js", "node_modules/b.js", "a.go"], "", "Go"),
        (["a.py", "b.go"], "", "Go"),
        (["README.md", "data.csv"], "", ""),
        (["db/0001_first.up.sql"], "", "SQL"),
    ],
)
def test_framework_and_language_follow_from_names(paths: list[str], framework: str, language: str) -> None:
    found = facts_of(dict.fromkeys(paths, ""))
    assert (found.layout.framework, found.language) == (framework, language)


@each_case(
    "files, manager, monorepo",
    [
        ({"uv.lock": "", "pyproject.toml": ""}, "uv", False),
        ({"pyproject.toml": ""}, "pip", False),
        ({"package.json": "{}", "yarn.lock": ""}, "yarn", False),
        ({"package.json": '{"workspaces": ["packages/*"]}'}, "npm", True),
        ({"packages/a/package.json": "{}", "packages/b/package.json": "{}"}, "", True),
        ({"packages/a/package.json": "{}"}, "", False),
        ({"Cargo.toml": '[workspace]\nmembers = ["a"]\n'}, "cargo", True),
        ({"go.mod": "", "go.work": ""}, "go", True),
        ({"packages.yml": "", "dbt_project.yml": ""}, "dbt", False),
    ],
)
def test_the_package_manager_is_that_of_the_files_in_the_root(
    files: dict[str, str], manager: str, monorepo: bool
) -> None:
    found = facts_of(files)
    assert (found.layout.package_manager, found.layout.monorepo) == (manager, monorepo)


def test_the_usual_folders_are_named() -> None:
    layout = facts_of(dict.fromkeys(["src/a.py", "test/x.py", "docs/i.md", "tests"], "")).layout
    assert (layout.source_dir, layout.test_dir, layout.docs_dir) == ("src", "test", "docs")


def test_commands_are_those_that_are_stated() -> None:
    makefile = "VAR := test\n.PHONY: lint\nbuild test: dep\n\tpytest\nsetup::\n\ttrue\ninstallation:\n"
    package = json.dumps({"scripts": {"lint": "eslint .", "test": "x", "install": "rm -rf /"}})
    found = facts_of({"Makefile": makefile, "package.json": package, "pnpm-lock.yaml": ""}).commands
    assert found.model_dump() == {
        "install": "make setup",
        "build": "make build",
        "test": "pnpm run test",
        "lint": "pnpm run lint",
    }
    tools = facts_of({"tox.ini": "", ".pre-commit-config.yaml": ""}).commands
    assert (tools.test, tools.lint) == ("tox", "pre-commit run --all-files")


@each_case(
    "files, expected",
    [
        ({"pyproject.toml": "[tool.ruff]\nline-length = 99\n"}, {"line_length": 99, "linter": "ruff", "formatter": ""}),
        (
            {"pyproject.toml": '[tool.ruff.format]\nquote-style = "single"\n'},
            {"quotes": "single", "formatter": "ruff"},
        ),
        ({"pyproject.toml": "[tool.black]\nline-length = 88\n"}, {"line_length": 88, "formatter": "black"}),
        (
            {".editorconfig": "root = true\n\n[*]\nindent_style = space\nindent_size = 2\nmax_line_length = 80\n"},
            {"indent": "2 spaces", "line_length": 80},
        ),
        ({".editorconfig": "[*]\nindent_style=tab\nmax_line_length=off\n"}, {"indent": "tab", "line_length": 0}),
        ({".editorconfig": "[*.md]\nindent_size = 8\n"}, {"indent": ""}),
        (
            {".sqlfluff": "[sqlfluff]\nmax_line_length = 120\n[sqlfluff:indentation]\ntab_space_size = 4\n"},
            {"line_length": 120, "indent": "4 spaces", "linter": "sqlfluff", "formatter": "sqlfluff"},
        ),
        (
            {".prettierrc": '{"singleQuote": true, "semi": false, "printWidth": 100, "trailingComma": "all"}'},
            {"quotes": "single", "semicolons": False, "line_length": 100, "trailing_comma": "all"},
        ),
        ({"a.py": "x = 'a'\ny = 'b'\n", "b.py": 'z = "c"\n', "c.py": "w = 'd'\n"}, {"quotes": "single"}),
        ({"a.py": "x = 'a'\n", "b.py": 'z = "c"\n'}, {"quotes": "double"}),
        ({"a.ts": 'const x = "a";\nf(x);\n', ".eslintrc.json": "{}"}, {"semicolons": True, "linter": "eslint"}),
        ({"a.js": "const x = 'a'\nf(x)\n"}, {"semicolons": False, "quotes": "single"}),
        ({"V1__a.sql": "SELECT 1;\n"}, {"semicolons": True}),
        ({"models/a.sql": "select 1\n"}, {"semicolons": False}),
        ({"pyproject.toml": "[tool.ruff]\nline-length = true\n"}, {"line_length": 0}),
        ({"pyproject.toml": "not toml ["}, {"line_length": 0}),
    ],
)
def test_style_is_that_of_settings_and_of_most_files(files: dict[str, str], expected: dict[str, object]) -> None:
    style = facts_of(files).style.model_dump()
    assert {name: style[name] for name in expected} == expected


def test_an_insight_says_what_is_assumed_without_evidence() -> None:
    assert facts_of({"a.py": "x = 'a'\n"}).insights == (NO_SEMICOLONS,)
    assert facts_of({"a.js": "f('x');\n"}).insights == ()
    assert any("CHANGELOG.md" in each for each in facts_of({"CHANGELOG.md": ""}).insights)
    assert any("CODEOWNERS" in each for each in facts_of({".github/CODEOWNERS": ""}).insights)


def test_documents_are_found_where_forges_look_for_them() -> None:
    found = facts_of(
        {
            "docs/contributing.rst": "third",
            ".github/CONTRIBUTING.md": "x" * 3_000,
            "CONTRIBUTING.md": "second",
            ".github/PULL_REQUEST_TEMPLATE/a.md": "a",
            "docs/CODEOWNERS": "",
            "CHANGES.rst": "",
            "lib/CHANGELOG.md": "",
        }
    ).guidelines
    assert (found.path, found.text) == (".github/CONTRIBUTING.md", "x" * 2_000)
    assert (found.template_path, found.template) == (".github/PULL_REQUEST_TEMPLATE/a.md", "a")
    assert (found.code_owners, found.changelog) == ("docs/CODEOWNERS", "CHANGES.rst")
    template = facts_of({"pull_request_template.md": "b", ".github/PULL_REQUEST_TEMPLATE/a.md": "a"}).guidelines
    assert template.template == "b"


@each_case(
    "text, sign_off, agreement, signed",
    [
        ("Every commit needs a `Signed-off-by` line.", True, False, False),
        ("We use the [DCO](https://example.org).", True, False, False),
        ("Run `git commit -s`.", True, False, False),
        ("Please sign off your commits.", True, False, False),
        ("A DCO is not required.", False, False, False),
        ("You have to sign our CLA first.", False, True, False),
        ("Please sign the Contributor License Agreement.", False, True, False),
        ("There is no CLA.", False, False, False),
        ("Commits must be GPG-signed.", False, False, True),
        ("We require signed commits.", False, False, True),
        ("Use `git commit -S`.", False, False, True),
        ("We don't need signed commits.", False, False, False),
        ("A maintainer signs the release. Declare classes in one file.", False, False, False),
    ],
)
def test_signatures_and_agreements_are_found(text: str, sign_off: bool, agreement: bool, signed: bool) -> None:
    found = facts_of({"CONTRIBUTING.md": f"# Contributing\n\n{text}\n"}).guidelines
    place = "CONTRIBUTING.md:3"
    assert found.sign_off == (place if sign_off else "")
    assert found.agreement == (place if agreement else "")
    assert found.signed_commits == (place if signed else "")


def test_files_of_bots_state_signatures_and_agreements() -> None:
    assert facts_of({".github/dco.yml": ""}).guidelines.sign_off == ".github/dco.yml"
    for path in (".clabot", "CLA.md", ".github/workflows/cla.yml", ".github/workflows/check-cla.yaml"):
        assert facts_of({path: ""}).guidelines.agreement == path
    assert facts_of({".github/workflows/classify.yml": ""}).guidelines.agreement == ""


@each_case(
    "text, expected",
    [
        ("MIT License\n\nPermission is hereby granted,\nfree of charge, to any person", "MIT"),
        ("                Apache License\n          Version 2.0, January 2004", "Apache-2.0"),
        ("GNU GENERAL PUBLIC LICENSE\nVersion 3, 29 June 2007 ... GNU Affero General Public License.", "GPL-3.0"),
        ("GNU GENERAL PUBLIC LICENSE\n Version 2, June 1991", "GPL-2.0"),
        ("GNU AFFERO GENERAL PUBLIC LICENSE\nVersion 3, 19 November 2007", "AGPL-3.0"),
        ("GNU LESSER GENERAL PUBLIC LICENSE\nVersion 3", "LGPL-3.0"),
        ("Mozilla Public License Version 2.0", "MPL-2.0"),
        ("Redistribution and use in source and binary forms, ... Neither the name of", "BSD-3-Clause"),
        ("Redistribution and use in source and binary forms, with", "BSD-2-Clause"),
        ("Permission to use, copy, modify, and/or distribute", "ISC"),
        ("All rights reserved.", ""),
    ],
)
def test_a_license_is_recognised_by_its_text(text: str, expected: str) -> None:
    assert facts_of({"LICENSE.txt": text}).license == expected
    assert facts_of({"lib/LICENSE": text}).license == ""


@each_case(
    "files, expected",
    [
        ({"commitlint.config.js": ""}, CONVENTIONAL),
        ({".releaserc.json": ""}, CONVENTIONAL),
        ({"pyproject.toml": "[tool.commitizen]\n"}, CONVENTIONAL),
        ({"package.json": '{"release": {}}'}, CONVENTIONAL),
        ({"CONTRIBUTING.md": "We follow Conventional Commits."}, CONVENTIONAL),
        ({"CONTRIBUTING.md": "See [this](https://www.conventionalcommits.org)."}, CONVENTIONAL),
        ({"CONTRIBUTING.md": "We do not use conventional commits."}, ""),
        ({"package.json": "[]"}, ""),
    ],
)
def test_a_convention_for_commits_follows_from_settings_and_guidelines(files: dict[str, str], expected: str) -> None:
    assert facts_of(files).guidelines.commit_convention == expected


def test_a_form_of_branch_names_is_quoted() -> None:
    found = facts_of({"CONTRIBUTING.md": "Create a branch named `feature/<topic>` first."})
    assert found.guidelines.branch_naming == "feature/<topic>"


@given(
    st.sampled_from(SETTINGS), st.binary(max_size=200) | st.text(alphabet='{}[]":=\n a1;', max_size=99).map(str.encode)
)
def test_any_content_is_read(path: str, content: bytes) -> None:
    assert project_facts(MappedFiles({path: content}))


def test_deeply_nested_settings_are_read() -> None:
    assert project_facts(MappedFiles({"package.json": b"[" * 200_000, "pyproject.toml": b"a=" + b"[" * 20_000}))


_PROJECT = "[project]\nname = 'a'\n"


@each_case(
    ("files", "install", "test"),
    [
        ({"pytest.ini": "", "tox.ini": ""}, "pip install pytest", "python3 -m pytest"),
        (
            {"requirements.txt": "x", "dev.requirements.txt": "pytest"},
            "pip install -r dev.requirements.txt -r requirements.txt",
            "",
        ),
        (
            {"pyproject.toml": f"{_PROJECT}[project.optional-dependencies]\ntest = ['pytest']\n[tool.pytest]\nx = 1\n"},
            "pip install -e '.[test]'",
            "python3 -m pytest",
        ),
        (
            {"pyproject.toml": f"{_PROJECT}[dependency-groups]\ndev = ['pytest']\n"},
            "pip install -e . --group dev",
            "",
        ),
        ({"setup.py": "", "setup.cfg": "[tool:pytest]\n"}, "pip install -e . pytest", "python3 -m pytest"),
        ({"Makefile": "install:\n\tx\ntest:\n\tx\n", "pytest.ini": ""}, "make install", "make test"),
    ],
)
def test_python_says_what_to_install_and_how_to_test(files: dict[str, str], install: str, test: str) -> None:
    found = facts_of(files).commands
    assert (found.install, found.test) == (install, test)
