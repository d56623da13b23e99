"""Descriptions are written into the properties files of a dbt project, where dbt looks for them."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest

from tests.capabilities.contribution.mapped_files import MappedFiles
from tests.capabilities.contribution.recipes.dbt_projects import (
    CONTEXT,
    OPTIONS,
    PROJECT,
    offered,
    recipe,
    relation,
    target,
)
from tests.cases import each_case
from tribal.capabilities.contribution.recipes.dbt import DbtRecipe
from tribal.capabilities.contribution.recipes.recipe import OfferedText, Recipe, RecipeBlocked


def edited(opened: DbtRecipe, *texts: OfferedText) -> dict[str, str]:
    """The changed files."""
    for each in texts:
        assert opened.refusal(each.relation, each.column, each.text) is None
    return {edit.path: edit.after.decode() for edit in opened.edits(texts, CONTEXT).edits}


def node(kind: str, name: str, path: str, **values: Any) -> dict[str, Any]:
    return {
        "resource_type": kind,
        "name": name,
        "package_name": "shop",
        "original_file_path": path,
        "schema": "prod",
        "alias": name,
        "relation_name": f'"shop"."prod"."{name}"',
        "config": {"persist_docs": {}},
        **values,
    }


def test_it_is_a_recipe() -> None:
    opened: Recipe = recipe(folder="transform")
    assert (opened.name, opened.folder) == ("dbt", "transform")


def test_the_repository_says_what_its_properties_files_say() -> None:
    opened = recipe(folder="transform")
    said = opened.said(target("public.stg_orders", "Note"))
    assert said is not None
    assert (said.text, said.path, said.line) == ("Free text", "transform/models/staging/schema.yml", 8)
    assert opened.said(target("public.stg_orders", "id")) is None
    assert opened.said(target("public.stg_orders", "gone")) is None
    assert opened.said(target("public.unknown")) is None


@each_case(
    ("name", "path"),
    [
        ("public.stg_orders", "models/staging/schema.yml"),
        ("public.items", "models/staging/schema.yml"),
        ("raw.orders", "models/staging/_shop__sources.yml"),
        ("raw.order_lines", "models/staging/_shop__sources.yml"),
        ("prod_marts.orders", "models/marts/_marts__models.yml"),
        ("marts.customers", "models/marts/_marts__models.yml"),
        ("public.countries", "seeds/_seeds__seeds.yml"),
        ("history.orders_history", "snapshots/items.yml"),
        ("history.items_history", "snapshots/items.yml"),
    ],
)
def test_a_description_goes_where_the_entry_is_or_next_to_the_node(name: str, path: str) -> None:
    files = edited(recipe(), offered(name, "What it holds."), offered(name, "The key.", "id"))
    assert list(files) == [path]
    assert recipe(PROJECT | files).said(target(name)) is not None
    said = recipe(PROJECT | files).said(target(name, "id"))
    assert said is not None
    assert said.text == "The key."


def test_a_missing_entry_is_added_after_its_siblings_in_their_style() -> None:
    files = edited(recipe(), offered("public.items", "Items."), offered("public.stg_orders", "Orders, staged."))
    before = PROJECT["models/staging/schema.yml"]
    assert files["models/staging/schema.yml"] == (
        before.replace("stg_orders\n", "stg_orders\n      description: Orders, staged.\n")
        + "    - name: stg_items\n      description: Items.\n"
    )


def test_a_file_of_one_model_gets_no_other_model() -> None:
    files = PROJECT | {"models/marts/orders.yml": "models:\n  - name: orders\n"}
    assert list(edited(recipe(files), offered("marts.customers", "Customers."))) == ["models/marts/_marts__models.yml"]


def test_columns_that_only_quotes_can_name_get_them_where_they_are_added() -> None:
    files = edited(recipe(), offered("marts.orders", "Free text.", "Note"), offered("marts.orders", "The key.", "id"))
    assert files["models/marts/_marts__models.yml"] == (
        "version: 2\n\nmodels:\n  - name: orders\n    columns:\n      - name: Note\n        quote: true\n"
        "        description: Free text.\n      - name: id\n        description: The key.\n"
    )


def test_names_of_snowflake_are_found_without_their_case() -> None:
    opened = recipe(options=dataclasses.replace(OPTIONS, dialect="snowflake"))
    files = edited(opened, offered("PUBLIC.STG_ORDERS", "The key.", "ID"), offered("RAW.ORDERS", "Its state.", "STATE"))
    assert "name: id  # the key\n            description: The key.\n" in files["models/staging/schema.yml"]
    added = "          - name: STATE\n            description: Its state.\n"
    assert added in files["models/staging/_shop__sources.yml"]


@each_case(
    ("name", "column", "text", "reason"),
    [
        ("public.unknown", None, "x", "not created here"),
        ("public.customers_old", None, "x", "not created here"),
        ("other.orders", None, "x", "not created here"),
        ("raw.payments", None, "x", "not created here"),
        ("marts.orders", None, "{{ doc('x') }}", "template markers"),
        ("marts.orders", None, "{% raw %}", "template markers"),
        ("marts.orders", None, "a {# b", "template markers"),
        ("marts.orders", None, "ends in }}\n", "template markers"),
        ("marts.orders", None, "half \ud83d", "half of a character"),
        ("public.stg_orders", "state", "x", "models/staging/schema.yml:10 is a template"),
        ("public.stg_orders", "Note", "Free  text", None),
        ("marts.orders", None, "ends in }}", None),
    ],
)
def test_a_refusal_says_why(name: str, column: str | None, text: str, reason: str | None) -> None:
    refusal = recipe().refusal(relation(name), column, text)
    assert refusal is None if reason is None else reason in str(refusal)


@each_case(
    ("path", "content", "reason"),
    [
        (
            "models/other.yml",
            "models:\n  - name: orders\n",
            "listed twice: models/marts/m.yml:2 and models/other.yml:2",
        ),
        ("models/marts/m.yml", "models:\n  - name: orders\n  - name: orders\n", "m.yml:2 and models/marts/m.yml:3"),
        ("models/marts/m.yml", "models: &m\n  - name: orders\n", "models/marts/m.yml has an anchor at line 1"),
        ("models/marts/m.yml", "a: &a {x: 1}\nmodels:\n  - name: orders\n    <<: *a\n", "merges other values"),
        ("models/marts/m.yml", "a: &a {name: orders}\nmodels:\n  - *a\n", "an alias at line 3"),
        (
            "models/marts/m.yml",
            "models:\n  - name: orders\n    columns:\n      - name: ID\n      - name: Id\n",
            "listed twice: models/marts/m.yml:4 and models/marts/m.yml:5",
        ),
        ("models/x/orders.sql", "{{ config(schema='marts') }} select 1", "may be each of model 'orders' (models/marts"),
    ],
)
def test_a_conflict_in_properties_files_is_named(path: str, content: str, reason: str) -> None:
    files = PROJECT | {"models/marts/m.yml": "models:\n  - name: orders\n", path: content}
    assert reason in str(recipe(files).refusal(relation("marts.orders"), "id", "The key."))


@each_case(
    ("setting", "path"),
    [
        ("model-paths: ['./transform/']", "transform/coded.sql"),
        ("model-paths: ['.']", "anywhere/coded.sql"),
        ("model-paths: [models, models/more]", "models/more/coded.sql"),
        ("source-paths: [older]", "older/coded.sql"),
        ("seed-paths: [seeds, data]", "data/coded.csv"),
        ("data-paths: [data]", "data/coded.csv"),
        ("model-paths: &p [more]\nseed-paths: *p", "more/coded.csv"),
    ],
)
def test_nodes_are_found_in_the_folders_that_the_project_names(setting: str, path: str) -> None:
    opened = recipe({"dbt_project.yml": f"name: shop\n{setting}\n", path: "select 1"})
    (name,) = edited(opened, offered("public.coded", "x"))
    assert name.rpartition("/")[0] == path.rpartition("/")[0]


def test_foreign_tables_are_not_offered() -> None:
    foreign = relation("marts.orders")._replace(kind="foreign_table")
    assert recipe().refusal(foreign, None, "x") == "foreign tables are not offered"


def test_versions_of_models_are_left_to_people() -> None:
    versions = "models:\n  - name: dim\n    versions:\n      - v: 1\n      - v: 2\n        defined_in: dim_new\n"
    files = PROJECT | {"models/dim_v1.sql": "select 1", "models/dim_new.sql": "select 1", "models/dim.yml": versions}
    for name in ("public.dim_v1", "public.dim_new"):
        assert "version of a model; describe it in models/dim.yml:2" in str(
            recipe(files).refusal(relation(name), None, "x")
        )


def test_a_table_that_the_settings_name_is_added_to_the_source_of_its_schema() -> None:
    opened = recipe(options=dataclasses.replace(OPTIONS, tables=["raw.*", "other.*"]))
    files = edited(opened, offered("raw.payments", "Payments."))
    after = PROJECT["models/staging/_shop__sources.yml"] + "      - name: payments\n        description: Payments.\n"
    assert files == {"models/staging/_shop__sources.yml": after}
    assert opened.refusal(relation("other.payments"), None, "x") == "not created here"


@each_case(
    ("code", "found"),
    [
        ("{{ config(alias='renamed') }}", True),
        ('{{- config(\n  alias = "renamed",\n  tags=["a)"],\n  persist_docs={"relation": true}) -}}', True),
        ("{{ config(materialized='table') }} {{ config(alias='renamed') }}", True),
        ("{# {{ config(alias='old') }} #}{{ config(post_hook=\"{{ f() }}\", alias='renamed') }}", True),
        ("{{ config(alias=var('name')) }}", False),
        ("{{ config(alias='a' ~ 'b') }}", False),
        ("{{ config(alias='renamed', enabled=false) }}", False),
        ("{{ config(alias='renamed', materialized='ephemeral') }}", False),
    ],
)
def test_the_alias_in_the_code_of_a_model_is_its_relation(code: str, found: bool) -> None:
    opened = recipe(PROJECT | {"models/coded.sql": f"{code}\nselect 1 as id\n"})
    assert (opened.refusal(relation("public.renamed"), None, "x") is None) is found
    assert opened.refusal(relation("public.coded"), None, "x") == "not created here"


def test_models_in_python_and_aliases_in_properties_files_are_found() -> None:
    files = PROJECT | {
        "models/py.py": "def model(dbt, session):\n    dbt.config(alias='renamed', materialized='table')\n",
        "models/plain.sql": "select 1",
        "models/p.yml": "models:\n  - name: plain\n    config: {alias: named}\n",
    }
    assert recipe(files).refusal(relation("public.renamed"), None, "x") is None
    assert recipe(files).refusal(relation("public.named"), None, "x") is None


@each_case(
    ("name", "reaches", "note"),
    [
        ("marts.orders", True, "`persist_docs` applies: dbt writes"),
        ("public.stg_orders", False, "`persist_docs` does not apply"),
        ("public.countries", False, "applies to descriptions of the relation only"),
        ("raw.orders", False, "dbt never writes descriptions of sources"),
    ],
)
def test_a_note_says_whether_dbt_writes_into_the_database(name: str, reaches: bool, note: str) -> None:
    opened = recipe()
    assert opened.reaches_database(relation(name)) is reaches
    (said,) = opened.edits([offered(name, "x")], CONTEXT).notes
    assert note in said
    assert f"`{name}`" in said


LAUGHS = "".join(
    f"{each}: &{each}\n" + f"  - {{name: x, {key}: {value}}}\n" * 300
    for each, key, value in (("a", "x", "1"), ("b", "columns", "*a"), ("sources", "tables", "*b"))
)
"""27 million columns of tables of sources."""


def test_the_manifest_decides_which_node_a_relation_is() -> None:
    nodes = {
        "model.shop.orders": node("model", "orders", "models/marts/orders.sql", alias="facts"),
        "model.shop.gone": node("model", "gone", "models/gone.sql"),
        "model.other.orders": node("model", "orders", "models/orders.sql", package_name="other", alias="others"),
        "model.shop.stg_items": node("model", "stg_items", "models/staging/stg_items.sql", relation_name=None),
        "test.shop.x": node("test", "x", "tests/x.sql"),
        "broken": {"resource_type": "model"},
        "text": "x",
    }
    sources = {
        "source.shop.shop.orders": node(
            "source", "orders", "models/staging/_shop__sources.yml", source_name="shop", identifier="o", alias=None
        )
    }
    manifest = json.dumps({"nodes": nodes, "sources": sources}).encode()
    opened = recipe(options=dataclasses.replace(OPTIONS, manifest=manifest))
    assert list(edited(opened, offered("prod.facts", "Orders."))) == ["models/marts/_marts__models.yml"]
    assert list(edited(opened, offered("prod.o", "Orders."))) == ["models/staging/_shop__sources.yml"]
    for name in ("prod.orders", "prod.others", "prod.stg_items", "prod.x"):
        assert opened.refusal(relation(name), None, "x") == "not created here, by the manifest"
    assert "models/gone.sql of the manifest does not exist" in str(opened.refusal(relation("prod.gone"), None, "x"))


@each_case("manifest", [b"{", b"[]", b'{"nodes": 1}', b"[" * 100_000])
def test_a_file_that_is_no_manifest_blocks_the_recipe(manifest: bytes) -> None:
    with pytest.raises(RecipeBlocked, match="write it again with `dbt parse`"):
        recipe(options=dataclasses.replace(OPTIONS, manifest=manifest))


def test_two_relations_of_one_node_are_not_described_together() -> None:
    with pytest.raises(RecipeBlocked, match=r"dev\.stg_orders and prod\.stg_orders are both described by 'stg_orders'"):
        recipe().edits([offered("dev.stg_orders", "x"), offered("prod.stg_orders", "y")], CONTEXT)


def test_a_file_that_an_open_contribution_adds_is_not_added_again() -> None:
    context = dataclasses.replace(CONTEXT, taken=frozenset({"models/marts/_marts__models.yml"}))
    with pytest.raises(RecipeBlocked, match=r"an open contribution adds models/marts/_marts__models\.yml"):
        recipe().edits([offered("marts.orders", "x")], context)


@each_case(
    ("path", "content", "reason"),
    [
        ("models/bad.yml", "a: [", "models/bad.yml cannot be parsed as YAML"),
        ("models/deep.yml", "[" * 100_000, "models/deep.yml has more than"),
        ("models/laughs.yml", LAUGHS, "models/laughs.yml repeats too much by aliases"),
        ("dbt_project.yml", "version: 2\n", "dbt_project.yml has no name"),
        ("dbt_project.yml", "name: [", "dbt_project.yml cannot be parsed"),
    ],
)
def test_a_file_that_cannot_be_read_blocks_the_recipe_and_is_named(path: str, content: str, reason: str) -> None:
    with pytest.raises(RecipeBlocked, match=reason):
        recipe(PROJECT | {path: content})


def test_a_folder_without_a_project_blocks_the_recipe() -> None:
    with pytest.raises(RecipeBlocked, match=r"x/dbt_project\.yml does not exist"):
        DbtRecipe.open(MappedFiles({"dbt_project.yml": b"name: shop"}), "x", OPTIONS)


def test_the_checks_and_the_edits_say_what_was_done() -> None:
    edits = recipe(folder="t").edits(
        [offered("public.stg_orders", "Orders."), offered("public.stg_orders", "The key.", "id")], CONTEXT
    )
    assert [(check.name, check.passed) for check in edits.checks] == [
        ("parsed", True),
        ("equal", True),
        ("only_intended_lines", True),
    ]
    assert "t/models/staging/schema.yml: 2 lines added, 0 changed" in edits.checks[2].output
    (edit,) = edits.edits
    assert edit.before == PROJECT["models/staging/schema.yml"].encode()
    assert edit.description
    assert recipe().edits([offered("public.stg_orders", "x")], CONTEXT) == recipe().edits(
        [offered("public.stg_orders", "x")], CONTEXT
    )
