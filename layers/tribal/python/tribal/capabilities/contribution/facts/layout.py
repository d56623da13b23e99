"""Tells the language, the tools and the folders of a repository from the names of its files."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from tribal.capabilities.contribution.facts.documents import nested, read_json, read_toml
from tribal.capabilities.contribution.recipes.recipe import Files
from tribal_contracts.contribution.handoffs import RepositoryLayout

_LANGUAGES = {
    "py": "Python", "sql": "SQL", "ts": "TypeScript", "tsx": "TypeScript", "js": "JavaScript", "jsx": "JavaScript",
    "java": "Java", "kt": "Kotlin", "scala": "Scala", "go": "Go", "rb": "Ruby", "php": "PHP", "cs": "C#", "rs": "Rust",
    "ex": "Elixir", "exs": "Elixir", "c": "C", "cpp": "C++", "swift": "Swift", "r": "R", "sh": "Shell",
}  # fmt: skip
_NOT_OWN = re.compile(r"(?:^|/)(?:node_modules|vendor|third_party|dbt_packages|dist|build|target|\.venv)/")
_MANAGERS = {
    "uv.lock": "uv", "poetry.lock": "poetry", "pdm.lock": "pdm", "Pipfile.lock": "pipenv", "Pipfile": "pipenv",
    "pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn", "bun.lock": "bun", "bun.lockb": "bun", "package-lock.json": "npm",
    "package.json": "npm", "pyproject.toml": "pip", "requirements.txt": "pip", "setup.py": "pip", "go.mod": "go",
    "Cargo.toml": "cargo", "pom.xml": "maven", "build.gradle": "gradle", "build.gradle.kts": "gradle",
    "Gemfile": "bundler", "composer.json": "composer", "mix.exs": "mix", "packages.yml": "dbt",
}  # fmt: skip
"""By file in the root; locks before manifests."""
_FRAMEWORKS = {
    "dbt": r"(?:.*/)?dbt_project\.ya?ml",
    "Alembic": r"(?:.*/)?alembic\.ini",
    "Flyway": r"(?:.*/)?(?:flyway\.(?:conf|toml)|V\d[\w.]*__\w+\.sql)",
    "Liquibase": r"(?:.*/)?(?:liquibase\.properties|(?:db\.)?changelog[\w.-]*\.(?:xml|ya?ml|json|sql))",
    "Prisma": r"(?:.*/)?schema\.prisma",
    "Django": r"(?:.*/)?manage\.py",
    "Rails": r"config/application\.rb",
}
_WORKSPACES = {"lerna.json", "nx.json", "turbo.json", "rush.json", "pnpm-workspace.yaml", "go.work"}
_PART = re.compile(
    r"(?:packages|apps|services|libs)/([^/]+)/(?:package\.json|pyproject\.toml|go\.mod|Cargo\.toml|pom\.xml)"
)
_SOURCE_FOLDERS = ("src", "lib", "app", "models")
_TEST_FOLDERS = ("tests", "test", "spec", "__tests__")
_DOCS_FOLDERS = ("docs", "doc", "documentation")


def layout_of(files: Files) -> RepositoryLayout:
    """Describe the layout of a repository; what no file shows is empty."""
    paths = [path for path in files.paths if not _NOT_OWN.search(path)]
    known = set(paths)
    folders = {path.partition("/")[0] for path in paths if "/" in path}
    return RepositoryLayout(
        framework=next(
            (name for name, form in _FRAMEWORKS.items() if any(re.fullmatch(form, each) for each in paths)), ""
        ),
        language=_language(paths),
        package_manager=next((manager for name, manager in _MANAGERS.items() if name in known), ""),
        monorepo=_is_monorepo(files, paths),
        source_dir=_first(_SOURCE_FOLDERS, folders),
        test_dir=_first(_TEST_FOLDERS, folders),
        docs_dir=_first(_DOCS_FOLDERS, folders),
    )


def _language(paths: Sequence[str]) -> str:
    counted = Counter(
        _LANGUAGES.get(path.rpartition("/")[2].rpartition(".")[2].lower()) for path in paths if "." in path
    )
    counted.pop(None, None)
    return min(counted, key=lambda name: (-counted[name], name or ""), default="") or ""


def _is_monorepo(files: Files, paths: Sequence[str]) -> bool:
    parts = {found[1] for path in paths if (found := _PART.fullmatch(path))}
    return (
        len(parts) > 1
        or not _WORKSPACES.isdisjoint(paths)
        or "workspaces" in read_json(files, "package.json")
        or isinstance(nested(read_toml(files, "Cargo.toml"), "workspace"), Mapping)
    )


def _first(names: Sequence[str], folders: set[str]) -> str:
    return next((name for name in names if name in folders), "")
