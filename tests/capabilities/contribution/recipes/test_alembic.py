"""A new revision describes tables in real Alembic."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Mapping
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import produce_migrations
from alembic.config import Config
from alembic.migration import MigrationContext
from hypothesis import given
from sqlalchemy import Column, Integer, MetaData, Table, create_engine

from tests.capabilities.contribution.recipes.alembic_repository import (
    ENV,
    FIRST,
    ID,
    INI,
    T,
    described,
    environment,
    of_upgrade,
    opened,
    script,
)
from tests.capabilities.contribution.recipes.sql_texts import (
    CONTEXT,
    HOSTILE,
    ORDER_LINE,
    PLAIN,
    TEXTS,
    assert_checked,
    expected_comments,
    offered,
    stored_comments,
    table,
)
from tests.cases import each_case
from tests.plugins.postgres import FreshDatabase
from tribal.capabilities.contribution.recipes.recipe import (
    OfferedText,
    RecipeBlocked,
    RecipeOptions,
)


def alembic(root: Path, content: Mapping[str, str], dsn: str) -> Config:
    for path, text in content.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="")
    config = Config(str(root / "alembic.ini"))
    config.set_main_option("sqlalchemy.url", dsn.replace("postgresql://", "postgresql+pg8000://").replace("%", "%%"))
    return config


def test_a_revision_has_the_shape_of_the_generic_template() -> None:
    recipe = opened(environment({"aaa_first.py": script("aaa", "down_revision = None", 'op.create_table("t")')}))
    texts = [
        OfferedText(T, None, "It's new.", None),
        OfferedText(T, "id", "Line\nbreak \u202e", 'Old "id".'),
        OfferedText(table("v", kind="view"), None, "At 12:30 {{ x }}", None),
    ]
    edits = recipe.edits(texts, CONTEXT)
    assert_checked(edits)
    (edit,) = edits.edits
    assert edit.path == f"migrations/versions/{ID}_describe_billing_tables.py"
    assert edit.after.decode() == (
        f'''"""Describe billing tables

Revision ID: {ID}
Revises: aaa
Create Date: 2026-02-03T04:05:06Z

"""
from typing import Sequence, Union

from alembic import op


revision: str = '{ID}'
down_revision: Union[str, Sequence[str], None] = 'aaa'
branch_labels: Union[str, Sequence[str], None] = None
depends_on: Union[str, Sequence[str], None] = None


def upgrade() -> None:
    """Upgrade schema."""
    op.create_table_comment(
        't',
        "It's new.",
        existing_comment=None,
        schema='public',
    )
    op.alter_column(
        't',
        'id',
        comment='Line\\nbreak \\u202e',
        existing_comment='Old "id".',
        schema='public',
    )
    op.execute("COMMENT ON VIEW public.v IS E'At 12\\\\:30 \\\\x7B{{ x }}}}'")


def downgrade() -> None:
    """Downgrade schema."""
    op.execute('COMMENT ON VIEW public.v IS NULL')
    op.alter_column(
        't',
        'id',
        comment='Old "id".',
        existing_comment='Line\\nbreak \\u202e',
        schema='public',
    )
    op.drop_table_comment(
        't',
        existing_comment="It's new.",
        schema='public',
    )
'''
    )


def test_hostile_texts_reach_a_real_database_by_alembic_and_are_removed_again(
    fresh_database: FreshDatabase, tmp_path: Path
) -> None:
    content = environment({"aaa_first.py": FIRST})
    for start in range(0, len(HOSTILE), 8):
        folder, dsn = tmp_path / str(start), fresh_database()
        texts = offered(HOSTILE[start : start + 8])
        edits = opened(content).edits(texts, CONTEXT)
        assert_checked(edits)
        (edit,) = edits.edits
        config = alembic(folder, {**content, edit.path: edit.after.decode()}, dsn)
        command.upgrade(config, "head")
        assert stored_comments(dsn) == expected_comments(texts)
        command.downgrade(config, "aaa")
        assert stored_comments(dsn) == {}
        old = [dataclasses.replace(each, text=each.text[::-1], comment=each.text) for each in texts]
        command.upgrade(config, "head")
        (second,) = (
            opened({**content, edit.path: edit.after.decode()}).edits(old, dataclasses.replace(CONTEXT, cycle=4)).edits
        )
        config = alembic(folder, {second.path: second.after.decode()}, dsn)
        command.upgrade(config, "head")
        assert stored_comments(dsn) == expected_comments(old)
        command.downgrade(config, "-1")
        assert stored_comments(dsn) == expected_comments(texts)


def test_autogenerate_would_drop_what_the_warning_lists(fresh_database: FreshDatabase, tmp_path: Path) -> None:
    models = 'class Plain(Base):\n    __tablename__ = "plain"\n    id = mapped_column(Integer, comment="Number.")\n'
    env = ENV.replace("target_metadata = None", "from sqlalchemy import MetaData; target_metadata = MetaData()")
    content = {**environment({"aaa_first.py": FIRST}), "migrations/env.py": env, "app/models.py": models}
    texts = [OfferedText(PLAIN, None, "Plain `things`.", None), OfferedText(PLAIN, "id", "Number.", None)]
    edits = opened(content).edits(texts, CONTEXT)
    assert len(edits.warnings) == 1
    assert "autogenerate" in edits.warnings[0]
    assert edits.notes[1:] == ["- `public.plain`: ``comment='Plain `things`.'``"]
    assert opened(content).edits(texts[1:], CONTEXT).warnings == []
    dsn = fresh_database()
    alembic(tmp_path, {**content, edits.edits[0].path: edits.edits[0].after.decode()}, dsn)
    config = alembic(tmp_path, {}, dsn)
    command.upgrade(config, "head")
    metadata = MetaData()
    Table("plain", metadata, Column("id", Integer, comment="Number."))
    with create_engine(str(config.get_main_option("sqlalchemy.url"))).connect() as connection:
        operations = produce_migrations(MigrationContext.configure(connection), metadata).upgrade_ops
    assert operations is not None
    assert [type(each).__name__ for each in _flat(operations.ops)].count("DropTableCommentOp") == 1


def _flat(operations: object) -> list[object]:
    found: list[object] = []
    for each in operations:  # type: ignore[attr-defined]
        found += _flat(each.ops) if hasattr(each, "ops") else [each]
    return found


def test_a_revision_of_our_own_that_is_still_open_is_not_forked() -> None:
    recipe = opened(environment({"1.py": script("a", "down_revision = None")}))
    context = dataclasses.replace(CONTEXT, taken=frozenset({"migrations/versions/x_describe.py"}))
    with pytest.raises(RecipeBlocked, match="merge or close it first"):
        recipe.edits([OfferedText(T, None, "x", None)], context)


def test_snowflake_gets_sql_for_every_target() -> None:
    recipe = of_upgrade('op.create_table("t")\nop.create_table("Mixed")', RecipeOptions(dialect="snowflake"))
    texts = [OfferedText(table("T", "PUBLIC"), "ID", "It's C:\\", None)]
    assert recipe.refusal(table("Mixed", "PUBLIC"), None, "x") is None
    edits = recipe.edits(texts, CONTEXT)
    assert_checked(edits)
    assert b"""op.execute("COMMENT ON COLUMN PUBLIC.T.ID IS 'It''s C\\\\:\\\\\\\\'")""" in edits.edits[0].after


@each_case(
    "content, folder, path",
    [
        ({"alembic.ini": INI}, "", "migrations/versions/{id}_describe_billing_tables.py"),
        ({"alembic.ini": INI}, "migrations", "migrations/versions/{id}_describe_billing_tables.py"),
        (
            {"alembic.ini": "[alembic]\nscript_location = migrations\n"},
            "",
            "migrations/versions/{id}_describe_billing_tables.py",
        ),
        (
            {"pyproject.toml": '[tool.alembic]\nscript_location = "%(here)s/migrations"\n'},
            "",
            "migrations/versions/{id}_describe_billing_tables.py",
        ),
        (
            {
                "alembic.ini": f"{INI}file_template = %%(year)d_%%(month).2d_%%(hour)d-%%(slug)s-%%(rev)s\n"
                "truncate_slug_length = 12"
            },
            "",
            "migrations/versions/2026_02_4-describe_-{id}.py",
        ),
        ({"alembic.ini": f"{INI}file_template = %%(epoch)s_%%(rev)s"}, "", "migrations/versions/1770091506_{id}.py"),
        (
            {
                "alembic.ini": f"{INI}version_locations = %(here)s/migrations/versions %(here)s/other\n",
                "other/b.py": script("b", "down_revision = 'a'"),
            },
            "",
            "other/{id}_describe_billing_tables.py",
        ),
        (
            {
                "alembic.ini": f"{INI}path_separator = os\n"
                "version_locations = %(here)s/other:%(here)s/migrations/versions\n"
                "recursive_version_locations = true\nfile_template = %%(year)d/%%(rev)s\n",
                "other/2025/b.py": script("b", "down_revision = 'a'"),
            },
            "",
            "other/2026/{id}.py",
        ),
    ],
)
def test_files_are_named_and_placed_as_configured(content: Mapping[str, str], folder: str, path: str) -> None:
    scripts = {"migrations/env.py": ENV, "migrations/versions/a.py": script("a", "down_revision = None")}
    (edit,) = described(opened({**scripts, **content}, folder)).edits
    assert edit.path == path.format(id=ID)


def test_an_environment_without_configuration_is_found_by_its_env_file() -> None:
    content = {"db/alembic/env.py": ENV, "db/alembic/versions/a.py": script("a", "down_revision = None")}
    assert described(opened(content, "db/alembic")).edits[0].path.startswith("db/alembic/versions/")
    flask = {"migrations/alembic.ini": "[alembic]\n# file_template\n[loggers]\nkeys = root\n"}
    content = {**flask, "migrations/env.py": ENV, "migrations/versions/a.py": script("a", "down_revision = None")}
    assert described(opened(content, "migrations")).edits[0].path.startswith("migrations/versions/")
    with pytest.raises(RecipeBlocked, match=r"cannot find Alembic's env\.py"):
        opened({"alembic.ini": "[alembic]\nscript_location = ../outside\n"})


def test_line_ends_are_those_of_the_head() -> None:
    recipe = opened(environment({"a.py": script("a", "down_revision = None").replace("\n", "\r\n")}))
    after = described(recipe).edits[0].after
    assert after.count(b"\r\n") == after.count(b"\n") > 20


def test_percent_signs_warn_about_scripts() -> None:
    recipe = of_upgrade("pass")
    assert "--sql" in recipe.edits([OfferedText(T, None, "100 %", None)], CONTEXT).warnings[0]


@given(TEXTS, TEXTS)
def test_every_text_is_a_literal_on_one_line(text: str, comment: str) -> None:
    recipe = opened(environment({"a.py": FIRST}))
    views = table("open_items", "billing", "view")
    texts = [OfferedText(ORDER_LINE, "id", text, comment), OfferedText(views, "id", text, comment)]
    context = dataclasses.replace(CONTEXT, title='Say """ and \\')
    edits = recipe.edits(texts, context)
    assert_checked(edits)
    source = edits.edits[0].after.decode()
    lines = source.splitlines()
    assert len(lines) == len(source.split("\n")) - 1 == 40
    assert text in [node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)]
