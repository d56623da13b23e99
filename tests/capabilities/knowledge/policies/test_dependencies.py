"""What manifests of packages name, in every form that package managers write."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from tests.cases import each_case
from tribal.capabilities.knowledge.policies.checking import violations
from tribal.capabilities.knowledge.policies.collecting import DocumentedNames, collect_evidence
from tribal.capabilities.knowledge.policies.dependencies import dependencies_of, has_dependencies
from tribal.capabilities.knowledge.policies.evidence import CollectedNames, Evidence, SourceFile
from tribal_contracts.knowledge import Constraint

PACKAGE = {"dependencies": {"pg": "^8", "db": "npm:mysql2@^3"}, "devDependencies": {"@types/node": "20"}}
LOCK: dict[str, Any] = {"packages": {"": {}, "node_modules/pg": {}, "node_modules/a/node_modules/@b/c": {}}}
OLD_LOCK: dict[str, Any] = {"dependencies": {"pg": {"dependencies": {"pg-types": {}}}}}
PYPROJECT = """
[build-system]
requires = ["hatchling>=1"]
[project]
dependencies = ["Flask[async]>=2", "psycopg ; python_version > '3'"]
[project.optional-dependencies]
aws = ["boto3"]
[dependency-groups]
dev = ["pytest", {include-group = "other"}]
[tool.poetry.dependencies]
python = "^3.11"
requests = "*"
[tool.poetry.group.dev.dependencies]
black = "*"
"""
REQUIREMENTS = """# comment
-r other.txt
--hash=sha256:aa
Flask==2.0 ; python_version > "3"  # why
zope.interface>=5 \\
    --hash=sha256:bb
git+https://example.org/x.git#egg=own
-e git+ssh://git@example.org/y.git#egg=edited
named[a] @ git+https://example.org/z.git
https://example.org/wheels/built_one-1.0-py3-none-any.whl#sha256=aa
-e .
./local
"""
YARN = (
    '"@babel/core@^7.0.0", "@babel/core@^7.1.0":\n  version "7"\n\nlodash@^4:\n  version "4"\n"left@npm:1":\n  v: 1\n'
)
PNPM = (
    "lockfileVersion: '9.0'\n\npackages:\n\n  '@babel/core@7.0.0':\n    resolution: {}\n  lodash@4.17.21:\n    x: {}\n"
)


SETUP_CFG = """[options]
install_requires =
    requests>=2
setup_requires = wheel
[options.extras_require]
test =
    pytest; python_version > "3"
    flask
"""
SETUP_PY = """from setuptools import setup
NAMES = ["requests>=2", "psycopg"]
setup(name="x", install_requires=NAMES, extras_require={"test": ["pytest"]}, setup_requires="wheel")
"""
CONDA = """name: x
channels: [conda-forge]
dependencies:
  - python=3.11
  - conda-forge::numpy>=1.2
  - scipy
  - pip
  - pip:
    - requests==2
"""
SCRIPT = """# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "rich",
#   "httpx<1",
# ]
# ///
import rich
"""
OVERRIDES: dict[str, Any] = {
    "overrides": {"a@>=1 <2": "1", "b@^2": {".": "2", "@s/c": "npm:d@1"}, "removed": "-"},
    "resolutions": {"**/e": "1", "x/**/f": "1", "@t/x/@s/g": "1"},
    "pnpm": {"overrides": {"x@1>h": "2"}},
    "workspaces": {"packages": ["*"], "catalog": {"i": "1"}, "catalogs": {"old": {"j": "1"}}},
    "catalog": {"k": "1"},
}
WORKSPACE = """packages: ["*"]
catalog:
  react: ^18
catalogs:
  old:
    left-pad: npm:vue@1
overrides:
  "x>lodash@4": "4.17.21"
"""
BUN = """{
  "lockfileVersion": 1,
  "workspaces": {"": {"name": "own", "dependencies": {"pg": "^8",},},},
  "packages": {
    "lodash": ["lodash@4.17.21", "", {}, "sha512,}"],
    "@s/c": ["@s/c@npm:1", "",],
    "lodash/nested": ["nested@1.0.0", "", {},],
    "own": ["own@workspace:packages/own"],
  },
}
"""


@each_case(
    ("path", "text", "expected"),
    [
        ("web/package.json", json.dumps(PACKAGE), ["pg", "db", "mysql2", "@types/node"]),
        ("package-lock.json", json.dumps(LOCK), ["pg", "@b/c"]),
        ("npm-shrinkwrap.json", json.dumps(OLD_LOCK), ["pg", "pg-types"]),
        ("pyproject.toml", PYPROJECT, ["hatchling", "Flask", "psycopg", "boto3", "pytest", "requests", "black"]),
        ("requirements-dev.txt", REQUIREMENTS, ["Flask", "zope.interface", "own", "edited", "named", "built_one"]),
        ("poetry.lock", '[[package]]\nname = "attrs"\n', ["attrs"]),
        ("uv.lock", 'version = 1\n[[package]]\nname = "anyio"\n', ["anyio"]),
        ("Pipfile", '[packages]\nrequests = "*"\n', ["requests"]),
        ("Pipfile.lock", '{"default": {"requests": {}}, "develop": {"pytest": {}}}', ["requests", "pytest"]),
        ("yarn.lock", YARN, ["@babel/core", "lodash", "left"]),
        ("pnpm-lock.yaml", PNPM, ["@babel/core", "lodash"]),
        ("requirements/base.txt", "requests==2\n", ["requests"]),
        ("tools/dev-requirements.in", "black\n", ["black"]),
        ("setup.cfg", SETUP_CFG, ["requests", "wheel", "pytest", "flask"]),
        ("setup.py", SETUP_PY, ["requests", "psycopg", "pytest", "wheel"]),
        ("environment.yml", CONDA, ["python", "numpy", "scipy", "pip", "requests"]),
        ("tool.py", SCRIPT, ["rich", "httpx"]),
        ("pylock.dev.toml", '[[packages]]\nname = "attrs"\n', ["attrs"]),
        ("pixi.toml", '[dependencies]\nnumpy = "*"\n[feature.x.pypi-dependencies]\nrich = "*"\n', ["numpy", "rich"]),
        ("package.json", json.dumps(OVERRIDES), ["a", "b", "@s/c", "d", "e", "f", "@s/g", "h", "k", "i", "j"]),
        ("pnpm-workspace.yaml", WORKSPACE, ["react", "left-pad", "vue", "lodash"]),
        (".yarnrc.yml", "catalog:\n  react: ^18\n", ["react"]),
        ("bun.lock", BUN, ["pg", "lodash", "@s/c", "nested"]),
    ],
)
def test_dependencies_are_read_of_what_package_managers_write(path: str, text: str, expected: list[str]) -> None:
    found = dependencies_of(SourceFile(path, text))
    assert [each.name for each in found.named] == expected
    assert not found.unread


def test_only_manifests_and_scripts_that_state_dependencies_have_them() -> None:
    files = [SourceFile(path, "") for path in ("environments/prod.yml", "main.py", "settings.toml", "api/setup.py")]
    assert [has_dependencies(file) for file in (*files, SourceFile("main.py", SCRIPT))] == [False] * 3 + [True] * 2


def test_a_dependency_is_named_as_indexes_of_packages_normalize_it_and_has_its_line() -> None:
    first, second = dependencies_of(SourceFile("requirements.txt", "Zope.Interface\nruamel_yaml==1\n")).named
    assert (first.spellings, first.line) == (("Zope.Interface", "zope-interface"), 1)
    assert (second.spellings, second.line) == (("ruamel_yaml", "ruamel-yaml"), 2)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("package.json", "{"),
        ("package.json", "[]"),
        ("package.json", '{"dependencies": 5}'),
        ("pyproject.toml", "= 1"),
        ("pyproject.toml", "project = 3"),
        ("uv.lock", "[[package]]\nversion = 1\n"),
        ("pnpm-lock.yaml", "lockfileVersion: 5.4\n"),
        ("package.json", '{"a":' * 5_000),
        ("setup.cfg", "install_requires = x\n"),
        ("setup.py", "setup(install_requires=[x for x in y])\n"),
        ("setup.py", "setup(**settings)\n"),
        ("setup.py", "setup(\n"),
        ("environment.yml", "dependencies: *all\n"),
        ("tool.py", "# /// script\n# dependencies = [\n# ///\n"),
        ("bun.lock", '{"packages": {"a": []}}'),
        ("bun.lockb", "text"),
        ("requirements.txt", "git+https://example.org/x.git\n"),
        ("requirements.txt", "-e git+https://example.org/x.git\n"),
        ("requirements.txt", "${PACKAGE}\n"),
    ],
)
def test_a_file_of_dependencies_that_is_damaged_is_reported(path: str, text: str) -> None:
    found = dependencies_of(SourceFile(path, text))
    assert [(each.file, each.targets) for each in found.unread] == [(path, frozenset({"dependency"}))]
    assert not found.named


@each_case(
    ("path", "text", "line"),
    [
        ("package.json", '{"dependencies":\n{"left-pad":"1",}}', 2),
        ("pyproject.toml", "[project]\ndependencies = =\n", 2),
        ("setup.cfg", "[options]\nx = 1\n y\nz\n", 4),
        ("setup.py", "import x\nsetup(install_requires=x.names)\n", 2),
        ("environment.yml", "name: x\ndependencies:\n  - *all\n", 3),
        ("requirements.txt", "a\nb \\\n  ==1\n???\n", 4),
    ],
)
def test_the_line_of_what_is_damaged_is_reported(path: str, text: str, line: int) -> None:
    (gap,) = dependencies_of(SourceFile(path, text)).unread
    assert gap.line == line


def read(*files: tuple[str, str], elsewhere: Mapping[str, str] | None = None) -> CollectedNames:
    """The dependencies of some files, which may include others."""
    others = {path: SourceFile(path, text) for path, text in (elsewhere or {}).items()}
    evidence, _ = collect_evidence(
        [SourceFile(*each) for each in files], DocumentedNames(), {"dependency"}, is_complete=False, find=others.get
    )
    return evidence.dependencies


@each_case(
    ("path", "text"),
    [
        ("requirements.txt", "# all\n-r lists/base.txt\n"),
        ("requirements.txt", "--requirement=lists/base.txt\n"),
        ("web/requirements-dev.txt", "-r ../lists/base.txt\n"),
        ("setup.cfg", "[options]\ninstall_requires = file: lists/base.txt\n"),
        ("pyproject.toml", "[tool.setuptools.dynamic]\ndependencies = {file = ['lists/base.txt']}\n"),
        ("environment.yml", "dependencies:\n  - pip:\n    - -r lists/base.txt\n"),
    ],
)
def test_what_a_manifest_includes_is_read_under_any_name(path: str, text: str) -> None:
    for listed in ({"elsewhere": {"lists/base.txt": "requests==2\n"}}, {}):
        checked = [(path, text)] if listed else [(path, text), ("lists/base.txt", "requests==2\n")]
        (found,) = read(*checked, **listed).named
        assert (found.name, found.file, found.line, found.included_by) == ("requests", "lists/base.txt", 1, (path,))


def test_inclusions_are_followed_once_and_a_constraint_on_the_first_file_applies_to_all_of_them() -> None:
    found = read(
        ("web/requirements.txt", "-r ../a.txt\n-c limits.txt\n"),
        elsewhere={"a.txt": "-r b.txt\none\n", "b.txt": "-r a.txt\ntwo\n"},
    )
    assert not found.unread
    assert sorted((each.name, each.file) for each in found.named) == [("one", "a.txt"), ("two", "b.txt")]
    assert all("web/requirements.txt" in each.included_by for each in found.named)
    constraint = Constraint(operator="must_not_use", target="dependency", pattern="two", applies_to="web/**")
    assert [each.file for each in violations(constraint, Evidence(dependencies=found))] == ["b.txt"]


@each_case(
    "included", ["missing.txt", "../outside.txt", "/etc/requirements.txt", "https://example.org/r.txt", "${A}.txt"]
)
def test_what_is_included_and_cannot_be_read_is_reported_where_it_is_included(included: str) -> None:
    (gap,) = read(("requirements.txt", f"requests\n-r {included}\n")).unread
    assert (gap.file, gap.line) == ("requirements.txt", 2)
    assert gap.reason == f"it includes {included!r}, which is not checked with it"


def test_setup_py_that_reads_its_requirements_from_a_file_includes_that_file() -> None:
    text = "with open('requirements.txt') as f:\n    names = f.read().splitlines()\nsetup(install_requires=names)\n"
    found = read(("setup.py", text), elsewhere={"requirements.txt": "requests\n"})
    assert [each.name for each in found.named] == ["requests"]
    assert not found.unread


def test_manifests_that_are_not_read_are_noted() -> None:
    files = [SourceFile(path, "") for path in ("go.mod", "api/Cargo.toml", "a.py")]
    _, notes = collect_evidence(files, DocumentedNames(), {"dependency"}, is_complete=True)
    assert notes == ["dependencies are read only from manifests of Python and JavaScript, not from 'go.mod' and 1 more"]
    assert collect_evidence(files, DocumentedNames(), {"import"}, is_complete=True)[1] == []
