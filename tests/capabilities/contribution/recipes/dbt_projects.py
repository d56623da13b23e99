"""A dbt project with every kind of node, and relations of its database."""

from __future__ import annotations

from collections.abc import Mapping

from tests.capabilities.contribution.mapped_files import MappedFiles
from tribal.capabilities.contribution.recipes.dbt import DbtRecipe
from tribal.capabilities.contribution.recipes.recipe import (
    EditContext,
    OfferedText,
    RecipeOptions,
    Relation,
    TargetName,
)

CONTEXT = EditContext(swarm_id="0123abcd", cycle=1, at="2026-11-01T12:00:00Z", title="Describe orders")
OPTIONS = RecipeOptions(dialect="postgres")
PROJECT = {
    "dbt_project.yml": """\
name: shop
version: '1.0'
profile: shop
model-paths: ["models"]
models:
  shop:
    marts:
      +schema: marts
      +persist_docs: {relation: true, columns: true}
seeds:
  shop:
    +persist_docs:
      relation: true
""",
    "models/staging/stg_orders.sql": "select * from {{ source('shop', 'orders') }}\n",
    "models/staging/stg_items.sql": "{{ config(alias='items', materialized='view') }}\nselect 1 as id\n",
    "models/staging/_shop__sources.yml": """\
version: 2
sources:
  - name: shop
    schema: raw
    tables:
      - name: orders
        columns:
          - name: id
      - name: lines
        identifier: order_lines
""",
    "models/staging/schema.yml": """\
version: 2

models:
    - name: stg_orders
      columns:
          - name: id  # the key
          - name: Note
            description: 'Free text'
          - name: state
            description: "{{ doc('state') }}"
""",
    "models/marts/orders.sql": "{{\n  config(\n    materialized='table',\n  )\n}}\nselect 1 as id, 'x' as \"Note\"\n",
    "models/marts/customers.sql": "select 1 as id, 2 as score\n",
    "seeds/countries.csv": "id,name\n1,Chad\n",
    "snapshots/orders_snapshot.sql": """\
{% snapshot orders_history %}
{{ config(target_schema='history', unique_key='id', strategy='check', check_cols='all') }}
select 1 as id
{% endsnapshot %}
""",
    "snapshots/items.yml": """\
snapshots:
  - name: items_history
    relation: ref('stg_items')
    config: {schema: history, unique_key: id, strategy: check, check_cols: all}
""",
}


def relation(name: str, *columns: str) -> Relation:
    """A relation by `schema.name`."""
    schema, _, table = name.partition(".")
    return Relation(schema, table, "table", columns or ("id",))


def target(name: str, column: str | None = None) -> TargetName:
    """A target by `schema.name`."""
    schema, _, table = name.partition(".")
    return TargetName(schema, table, column)


def offered(name: str, text: str, column: str | None = None) -> OfferedText:
    """A description to write."""
    return OfferedText(relation(name), column, text, None)


def recipe(files: Mapping[str, str] = PROJECT, options: RecipeOptions = OPTIONS, folder: str = "") -> DbtRecipe:
    """The recipe, opened on files."""
    prefix = f"{folder}/" if folder else ""
    content = {prefix + path: text.encode() for path, text in files.items()}
    return DbtRecipe.open(MappedFiles(content), folder, options)
