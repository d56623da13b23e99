"""Finds the recipe of a repository, or says why it has none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tribal.capabilities.contribution.recipes.alembic import AlembicRecipe
from tribal.capabilities.contribution.recipes.alembic.layout import alembic_folders
from tribal.capabilities.contribution.recipes.migrations import MigrationsRecipe
from tribal.capabilities.contribution.recipes.migrations.flyway import flyway_settings, is_for_tests
from tribal.capabilities.contribution.recipes.migrations.markers import read_parts
from tribal.capabilities.contribution.recipes.migrations.versioned_files import (
    VersionedFile,
    flyway_files,
    numbered_files,
)
from tribal.capabilities.contribution.recipes.paths import folder_of, is_inside, join, normalize
from tribal.capabilities.contribution.recipes.recipe import Files, Recipe, RecipeBlocked, RecipeOptions
from tribal.capabilities.contribution.recipes.schema_history import default_schema
from tribal.sql.comments import changes_in
from tribal_contracts import DatabaseType
from tribal_contracts.contribution.cycles import RecipeName

_DBT_FILES = ("dbt_project.yml", "dbt_project.yaml")
_ENTRY = "its entry in `contribution.repositories`"
_MOST_CANDIDATES = 8

_WITHOUT_RECIPE: Sequence[tuple[str, str]] = (
    ("Liquibase", r"(?:^|/)(?:liquibase\.properties|(?:db\.)?changelog[^/]*\.(?:xml|ya?ml|json|sql))$"),
    ("Prisma", r"(?:^|/)schema\.prisma$"),
    ("Django", r"(?:^|/)migrations/\d{4}_\w+\.py$"),
    ("Rails", r"(?:^|/)db/migrate/\d+_\w+\.rb$"),
    ("Knex", r"(?:^|/)knexfile\.[cm]?[jt]s$"),
    ("Sequelize", r"(?:^|/)\.sequelizerc$"),
    ("TypeORM", r"(?:^|/)(?:ormconfig\.\w+|data-source\.[jt]s)$"),
    ("Drizzle", r"(?:^|/)drizzle\.config\.\w+$"),
    ("Ecto", r"(?:^|/)priv/[^/]+/migrations/\d+_\w+\.exs$"),
    ("Laravel", r"(?:^|/)database/migrations/\d{4}_\d\d_\d\d_\d+_\w+\.php$"),
    ("Entity Framework", r"(?:^|/)Migrations/\w+ModelSnapshot\.cs$"),
    ("Sqitch", r"(?:^|/)sqitch\.(?:plan|conf)$"),
    ("Atlas", r"(?:^|/)atlas\.(?:hcl|sum)$"),
    ("Diesel", r"(?:^|/)diesel\.toml$"),
    ("Hasura", r"(?:^|/)migrations/(?:[^/]+/)?\d+_\w+/up\.sql$"),
)
"""Tools by a file that shows their use."""


class _Candidate(NamedTuple):
    """A recipe that a repository shows."""

    name: RecipeName
    folder: str

    @property
    def shown(self) -> str:
        """The candidate in a message."""
        return f"{self.name} in {self.folder or 'the root'!r}"


def find_recipe(files: Files, options: RecipeOptions) -> Recipe:
    """Open the recipe that the settings name, or the only one that the repository shows.

    Raises:
        RecipeBlocked: there is no recipe or more than one, or the repository does not allow its edits.
    """
    folder = options.folder
    if folder is not None:
        folder = normalize(folder)
        if folder is None or not any(is_inside(path, folder) for path in files.paths):
            raise RecipeBlocked(f"the repository has no folder {options.folder!r}; correct `folder` in {_ENTRY}")
    candidates = sorted(set(_candidates(files, options, folder)))
    if options.recipe is not None:
        named = [each for each in candidates if each.name == options.recipe]
        candidates = named or ([_Candidate(options.recipe, folder)] if folder is not None else [])
    # A project of dbt or Alembic in a deeper folder than the one that was named, such as `db/alembic.ini` for `db`.
    if len(candidates) > 1 and folder is not None:
        candidates = [each for each in candidates if each.folder == folder] or candidates
    if len(candidates) == 1:
        return _opened(files, candidates[0], options)
    if not candidates:
        raise RecipeBlocked(_nothing_found(files, options, folder))
    shown = ", ".join(each.shown for each in candidates[:_MOST_CANDIDATES])
    raise RecipeBlocked(f"the repository has several candidates: {shown}; set `recipe` and `folder` in {_ENTRY}")


def _opened(files: Files, candidate: _Candidate, options: RecipeOptions) -> Recipe:
    if candidate.name == "dbt":
        # Reading YAML takes a parser that the other recipes do not need.
        from tribal.capabilities.contribution.recipes.dbt import DbtRecipe

        return DbtRecipe.open(files, candidate.folder, options)
    if candidate.name == "alembic":
        return AlembicRecipe.open(files, candidate.folder, options)
    return MigrationsRecipe.open(files, candidate.name, candidate.folder, options)


def _candidates(files: Files, options: RecipeOptions, folder: str | None) -> Iterator[_Candidate]:
    """Yield what the repository, or the folder that was named, shows."""

    def is_wanted(place: str) -> bool:
        return not is_for_tests(f"{place}/") if folder is None else is_inside(place, folder)

    alembic = [place for place in alembic_folders(files) if is_wanted(place)]
    if not alembic and folder is not None and join(folder, "env.py") in files.paths:
        alembic = [folder]
    yield from (_Candidate("alembic", place) for place in alembic)
    for path in files.paths:
        if path.rpartition("/")[2] in _DBT_FILES and is_wanted(folder_of(path)) and "/dbt_packages/" not in f"/{path}":
            yield _Candidate("dbt", folder_of(path))
    flyway = flyway_files(files.paths, flyway_settings(files, folder, options.dialect), folder)
    yield from (_Candidate("flyway", place) for place in flyway)
    for place, found in numbered_files(files.paths, folder).items():
        if folder is not None or _creates_tables(files, found, options.dialect):
            styles = [file.version.style for file in found if file.version.order != (0,)]
            timestamped = bool(styles) and styles.count("number") * 2 < len(styles)
            yield _Candidate("timestamped" if timestamped else "numbered", place)


def _creates_tables(files: Files, found: Sequence[VersionedFile], dialect: DatabaseType) -> bool:
    """Tell numbered migrations from other numbered scripts, such as queries."""
    for file in found:
        if file.is_sql:
            parts = read_parts(files.read(file.path).decode("utf-8-sig", "replace"))
            changes = changes_in(parts.text, dialect, default_schema(dialect))
            if parts.markers or any(change.action == "create" for change in changes):
                return True
    return False


def _nothing_found(files: Files, options: RecipeOptions, folder: str | None) -> str:
    """Say what the repository has instead of migrations that can be continued."""
    paths = [path for path in files.paths if is_inside(path, folder or "")]
    tools = [name for name, pattern in _WITHOUT_RECIPE if any(re.search(pattern, path) for path in paths)]
    wanted = f"{options.recipe} was not found" if options.recipe else "no migrations were found"
    if tools:
        return f"the repository uses {' and '.join(tools)}, for which there is no recipe; write the comments yourself"
    where = repr(folder) if folder else "the repository"
    return (
        f"{wanted} in {where}: there is no dbt_project.yml, alembic.ini, `V1__name.sql`, `0001_name.sql` or "
        f"`20260131120000_name.sql`; set `recipe` and `folder` in {_ENTRY}"
    )
