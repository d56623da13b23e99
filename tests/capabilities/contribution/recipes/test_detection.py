"""The recipe of a repository is found, or a message says what to do."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.capabilities.contribution.mapped_files import MappedFiles
from tests.capabilities.contribution.recipes.sql_texts import files_of
from tests.cases import each_case
from tribal.capabilities.contribution.recipes.detection import find_recipe
from tribal.capabilities.contribution.recipes.recipe import Recipe, RecipeBlocked, RecipeOptions
from tribal_contracts.contribution.cycles import RecipeName

CREATE = "CREATE TABLE t (id int);"
CONTENT = {
    "alembic.ini": "[alembic]\nscript_location = %(here)s/migrations\n",
    "pyproject.toml": '[tool.alembic]\nscript_location = "%(here)s/migrations"\n',
    "1_first.py": "revision = 'a'\ndown_revision = None\n",
}


def repository(paths: Sequence[str]) -> MappedFiles:
    """Files whose content follows from their names."""
    names = {path: path.rpartition("/")[2] for path in paths}
    return files_of({path: CONTENT.get(name, CREATE if path.endswith(".sql") else "") for path, name in names.items()})


def found(paths: Sequence[str], recipe: RecipeName | None = None, folder: str | None = None) -> Recipe:
    return find_recipe(repository(paths), RecipeOptions(dialect="postgres", recipe=recipe, folder=folder))


ALEMBIC = ["alembic.ini", "migrations/env.py", "migrations/versions/1_first.py"]


@each_case(
    "paths, name, folder",
    [
        (ALEMBIC, "alembic", ""),
        ([f"app/{path}" for path in ALEMBIC], "alembic", "app"),
        (["pyproject.toml", *ALEMBIC[1:]], "alembic", ""),
        (["src/main/resources/db/migration/V1__a.sql"], "flyway", "src/main/resources/db/migration"),
        (["db/migration/2025/V1__a.sql", "db/migration/2026/V2__b.sql"], "flyway", "db/migration"),
        (["sql/V1__a.sql", "sql/R__v.sql"], "flyway", "sql"),
        (["V1__a.sql"], "flyway", ""),
        (["db/0001_a.sql", "db/0002_b.sql"], "numbered", "db"),
        (["db/20250101120000_a.up.sql", "db/20250101120000_a.down.sql"], "timestamped", "db"),
        (["db/0001_a.sql", "tests/db/0001_a.sql", "src/test/resources/db/migration/V1__a.sql"], "numbered", "db"),
        (["db/00000000000000_a.sql", "db/20250101120000_b.sql"], "timestamped", "db"),
    ],
)
def test_the_only_recipe_that_a_repository_shows_is_opened(paths: list[str], name: str, folder: str) -> None:
    recipe = found(paths)
    assert (recipe.name, recipe.folder) == (name, folder)


@each_case(
    "recipe, folder, expected",
    [
        ("flyway", None, ("flyway", "a")),
        ("alembic", None, ("alembic", "")),
        (None, "a", ("flyway", "a")),
        (None, "./b/", ("numbered", "b")),
        ("numbered", "b", ("numbered", "b")),
        (None, "migrations", ("alembic", "migrations")),
    ],
)
def test_settings_choose_between_several(
    recipe: RecipeName | None, folder: str | None, expected: tuple[str, str]
) -> None:
    paths = [*ALEMBIC, "a/V1__a.sql", "b/1_a.sql"]
    with pytest.raises(
        RecipeBlocked, match="several candidates: alembic in 'the root', flyway in 'a', numbered in 'b'"
    ):
        found(paths)
    opened = found(paths, recipe, folder)
    assert (opened.name, opened.folder) == expected


@each_case("folder", ["../other", "/etc", "gone", "db/../../x"])
def test_a_folder_outside_of_the_repository_or_missing_is_refused(folder: str) -> None:
    with pytest.raises(RecipeBlocked, match="has no folder"):
        found(["db/0001_a.sql"], folder=folder)


@each_case(
    "path, tool",
    [
        ("src/db/changelog/db.changelog-master.yaml", "Liquibase"),
        ("prisma/schema.prisma", "Prisma"),
        ("shop/migrations/0001_initial.py", "Django"),
        ("db/migrate/20250101120000_create_users.rb", "Rails"),
        ("knexfile.ts", "Knex"),
        (".sequelizerc", "Sequelize"),
        ("src/data-source.ts", "TypeORM"),
        ("priv/repo/migrations/20250101120000_create.exs", "Ecto"),
        ("database/migrations/2025_01_01_000000_create.php", "Laravel"),
        ("sqitch.plan", "Sqitch"),
    ],
)
def test_a_tool_without_a_recipe_is_named(path: str, tool: str) -> None:
    with pytest.raises(RecipeBlocked, match=f"uses {tool}, for which there is no recipe"):
        found([path])


def test_nothing_found_says_what_is_looked_for() -> None:
    with pytest.raises(RecipeBlocked, match="no migrations were found in the repository"):
        find_recipe(
            files_of({"README.md": "", "queries/01_report.sql": "SELECT 1;"}), RecipeOptions(dialect="postgres")
        )
    with pytest.raises(RecipeBlocked, match="dbt was not found"):
        found(["db/0001_a.sql"], "dbt")


def test_numbered_queries_are_no_migrations_unless_the_folder_is_named() -> None:
    content = {"queries/01_report.sql": "SELECT 1;", "db/01_tables.sql": CREATE}
    recipe = find_recipe(files_of(content), RecipeOptions(dialect="postgres"))
    assert recipe.folder == "db"
    recipe = find_recipe(files_of(content), RecipeOptions(dialect="postgres", folder="queries"))
    assert recipe.folder == "queries"


def test_locations_of_flyway_choose_the_folder() -> None:
    content = {
        "flyway.toml": '[flyway]\nlocations = ["filesystem:sql/{vendor}"]\n',
        "sql/postgresql/V1__a.sql": CREATE,
        "sql/mysql/V1__a.sql": CREATE,
    }
    recipe = find_recipe(files_of(content), RecipeOptions(dialect="postgres"))
    assert (recipe.name, recipe.folder) == ("flyway", "sql/postgresql")
