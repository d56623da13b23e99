"""A repository with Alembic, in memory."""

from __future__ import annotations

from collections.abc import Mapping

from tests.capabilities.contribution.recipes.sql_texts import CONTEXT, SCHEMA_SQL, files_of, table
from tribal.capabilities.contribution.recipes.alembic import AlembicRecipe
from tribal.capabilities.contribution.recipes.recipe import Edits, OfferedText, RecipeOptions, Relation, TargetName

OPTIONS = RecipeOptions(dialect="postgres")
INI = "[alembic]\nscript_location = %(here)s/migrations\n"
ENV = """
from alembic import context
from sqlalchemy import create_engine

target_metadata = None
with create_engine(context.config.get_main_option("sqlalchemy.url")).connect() as connection:
    context.configure(connection=connection, target_metadata=target_metadata)
    with context.begin_transaction():
        context.run_migrations()
"""
FIRST = f'''"""first"""
from alembic import op

revision = "aaa"
down_revision = None


def upgrade():
    op.execute("""{SCHEMA_SQL.replace(chr(92), chr(92) * 2)}""")


def downgrade():
    pass
'''
ID = "0a1d265956c5"
"""The first digits of `printf %s 6f1c1b0e-1f6f-4c9b-8a55-0d8f5a3a2f10:3 | sha256sum`."""
T = table("t")


def script(revision: str, down: str, body: str = "pass") -> str:
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    return (
        f"from alembic import op\nimport sqlalchemy as sa\nrevision = {revision!r}\n{down}\ndef upgrade():\n{lines}\n"
    )


def environment(scripts: Mapping[str, str], **files: str) -> dict[str, str]:
    return {
        "alembic.ini": INI,
        "migrations/env.py": ENV,
        **{f"migrations/versions/{name}": text for name, text in scripts.items()},
        **files,
    }


def opened(content: Mapping[str, str], folder: str = "", options: RecipeOptions = OPTIONS) -> AlembicRecipe:
    return AlembicRecipe.open(files_of(content), folder, options)


def said(recipe: AlembicRecipe, name: str, column: str | None = None, schema: str = "public") -> str | None:
    found = recipe.said(TargetName(schema, name, column))
    return found.text if found else None


def of_upgrade(body: str, options: RecipeOptions = OPTIONS) -> AlembicRecipe:
    return opened(environment({"a.py": script("a", "down_revision = None", body)}), options=options)


def described(recipe: AlembicRecipe, relation: Relation = T) -> Edits:
    return recipe.edits([OfferedText(relation, None, "Things.", None)], CONTEXT)
