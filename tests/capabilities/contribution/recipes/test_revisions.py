"""Revisions of Alembic are read from their syntax, without being run."""

from __future__ import annotations

import warnings
from collections.abc import Mapping

import pytest

from tests.capabilities.contribution.recipes.alembic_repository import (
    described,
    environment,
    of_upgrade,
    opened,
    said,
    script,
)
from tests.capabilities.contribution.recipes.sql_texts import (
    table,
)
from tests.cases import each_case
from tribal.capabilities.contribution.recipes.recipe import (
    RecipeBlocked,
)


@each_case(
    "down, is_head",
    [
        ('down_revision = "a"', True),
        ('down_revision: Union[str, Sequence[str], None] = "a"', True),
        ("down_revision = ('a',)", True),
        ("down_revision = 'a' ''", True),
        ("down_revision = '' + 'a'", True),
        ("PARENT = 'a'\ndown_revision = PARENT", True),
        ("down_revision = None", False),
    ],
)
def test_the_head_is_read_from_every_form_of_down_revision(down: str, is_head: bool) -> None:
    content = environment({"1.py": script("a", "down_revision: str | None = None"), "2.py": script("b", down)})
    if is_head:
        assert b"down_revision: Union[str, Sequence[str], None] = 'b'" in described(opened(content)).edits[0].after
    else:
        with pytest.raises(RecipeBlocked, match=r"2 heads \('a', 'b'\); run `alembic merge heads`"):
            opened(content)


def test_branches_that_were_merged_have_one_head() -> None:
    content = environment(
        {
            "1.py": script("a", "down_revision = None", 'op.create_table("t", comment="a")'),
            "2.py": script("b", "down_revision = 'a'", 'op.create_table_comment("t", "b")'),
            "3.py": script("c", "down_revision = 'a'\nbranch_labels = ('x',)"),
            "4.py": script("d", "down_revision = ('b', 'c')", 'op.create_table_comment("t", "d")'),
            "__init__.py": "",
            "README": "",
        }
    )
    recipe = opened(content)
    assert said(recipe, "t") == "d"
    assert b"= 'd'" in described(recipe).edits[0].after


@each_case(
    "scripts, reason",
    [
        ({}, "no revision to continue from"),
        ({"1.py": script("a", "down_revision = 'gone'")}, "'gone', which is missing"),
        (
            {"1.py": script("a", "down_revision = None"), "2.py": script("a", "down_revision = None")},
            "same revision 'a'",
        ),
        (
            {
                "1.py": script("a", "down_revision = None"),
                "2.py": script("b", "down_revision = ('a', 'c')"),
                "3.py": script("c", "down_revision = 'b'"),
                "4.py": script("d", "down_revision = 'c'"),
            },
            "circle",
        ),
        ({"1.py": script("a", "down_revision = find()")}, "is computed"),
        ({"1.py": "revision = 'a'\ndef ("}, "cannot parse"),
    ],
)
def test_a_broken_chain_is_refused(scripts: Mapping[str, str], reason: str) -> None:
    with pytest.raises(RecipeBlocked, match=reason):
        opened(environment(scripts))


def test_nothing_of_a_revision_is_run() -> None:
    body = "raise SystemExit(1)\nimport os\nos.abort()"
    assert said(of_upgrade(body), "t") is None


@each_case(
    "body, texts",
    [
        ('op.create_table("t", sa.Column("c", sa.Text, comment="col"), comment="tab")', {None: "tab", "c": "col"}),
        ('op.create_table_comment("t", "a" "b", existing_comment="x")', {None: "ab"}),
        ('op.create_table_comment("t", "a")\nop.drop_table_comment("t", existing_comment="a")', {None: None}),
        ('op.alter_column("t", "c", comment="x")\nop.alter_column("t", "c", nullable=True)', {"c": "x"}),
        ('op.alter_column("t", "c", comment="x")\nop.alter_column("t", "c", comment=None)', {"c": None}),
        ('op.alter_column(table_name="t", column_name="c", comment="x", new_column_name="d")', {"c": None, "d": "x"}),
        ('op.add_column("t", sa.Column("c", comment="x"))', {"c": "x"}),
        ('op.add_column("t", sa.Column("c", comment="x"))\nop.drop_column("t", "c")', {"c": None}),
        ('op.create_table("o", comment="x")\nop.rename_table("o", "t")', {None: "x"}),
        ('op.create_table("t", comment="x")\nop.drop_table("t")', {None: None}),
        ("op.execute(\"COMMENT ON TABLE t IS 'a\\\\\\\\:b %'\")", {None: "a\\:b %"}),
        ("op.execute(sa.text(\"COMMENT ON TABLE t IS 'a\\\\:b'\"))", {None: "a:b"}),
        (
            'if True:\n    with op.batch_alter_table("t") as batch:\n        batch.alter_column("c", comment="x")',
            {"c": "x"},
        ),
        ('op.create_table_comment("t", TEXT)', {None: "constant"}),
        ('op.execute(f"COMMENT ON TABLE t IS \'{x}\'")\nop.create_table_comment("t", x)', {None: None}),
    ],
)
def test_comments_are_read_from_operations_with_literals(body: str, texts: Mapping[str | None, str | None]) -> None:
    content = environment({"a.py": script("a", "down_revision = None\nTEXT = 'constant'", body)})
    recipe = opened(content)
    assert {column: said(recipe, "t", column) for column in texts} == texts


def test_relations_that_revisions_create_are_offered() -> None:
    recipe = of_upgrade(
        'op.create_table("t", schema="s")\nop.create_table("old")\nop.rename_table("old", "new")\n'
        'op.execute("CREATE VIEW v AS SELECT 1; CREATE TABLE s.u ()")\nop.create_table("gone")\nop.drop_table("gone")'
    )
    created = [table("t", "s"), table("new"), table("v", kind="view"), table("u", "s")]
    assert [recipe.refusal(each, None, "x") for each in created] == [None] * 4
    absent = [table("t"), table("old"), table("gone"), table("model")]
    assert {recipe.refusal(each, None, "x") for each in absent} == {"not created here"}


def test_a_script_with_warnings_and_half_characters_is_read_quietly() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        recipe = of_upgrade('x = "\\:"\nop.create_table_comment("t", "a\\ud800b")')
    assert said(recipe, "t") == "a?b"
