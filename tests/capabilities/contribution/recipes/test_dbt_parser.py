"""dbt itself reads the descriptions back that the recipe has written."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from tests import ROOT
from tests.capabilities.contribution.recipes.dbt_projects import CONTEXT, PROJECT, recipe, relation
from tests.dbt.test_any_text import TEXTS
from tests.edges.cli.tribal_command import clean_environment
from tests.plugins.skips import skip_or_fail
from tribal.capabilities.contribution.recipes.dbt import DbtRecipe
from tribal.capabilities.contribution.recipes.recipe import OfferedText, RecipeOptions

pytestmark = pytest.mark.verify
CACHE = ROOT / ".cache" / "dbt"
PACKAGES = ("dbt-core>=1.11,<1.12", "dbt-postgres>=1.9,<1.12")
PROFILE = """\
shop:
  target: dev
  outputs:
    dev: {type: postgres, host: localhost, user: u, password: p, port: 1, dbname: shop, schema: public, threads: 1}
"""
NODES = {
    "model.shop.stg_orders": "public.stg_orders",
    "model.shop.stg_items": "public.items",
    "model.shop.orders": "marts.orders",
    "model.shop.customers": "marts.customers",
    "source.shop.shop.orders": "raw.orders",
    "source.shop.shop.lines": "raw.order_lines",
    "seed.shop.countries": "public.countries",
    "snapshot.shop.orders_history": "history.orders_history",
    "snapshot.shop.items_history": "history.items_history",
}
FILES = {
    **PROJECT,
    "models/docs.md": "{% docs state %}\nThe state.\n{% enddocs %}\n",
    "macros/schema.sql": ("{% macro generate_schema_name(name, node) %}{{ name or target.schema }}{% endmacro %}\n"),
}


def run(*command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return subprocess.run(
        command, cwd=cwd, env=clean_environment(), capture_output=True, text=True, check=False, timeout=600
    )


@pytest.fixture(name="dbt", scope="module")
def dbt_fixture() -> str:
    """The command of dbt in an environment of its own, which is installed once."""
    CACHE.mkdir(parents=True, exist_ok=True)
    python, installed = CACHE / "venv" / "bin" / "python", CACHE / "installed.txt"
    with FileLock(CACHE / "lock"):
        if not installed.exists() or installed.read_text() != " ".join(PACKAGES):
            for command in (
                (sys.executable, "-m", "venv", "--clear", str(CACHE / "venv")),
                (str(python), "-m", "pip", "install", "--quiet", *PACKAGES),
            ):
                if (done := run(*command, cwd=CACHE)).returncode:
                    skip_or_fail(f"dbt cannot be installed:\n{done.stderr[-1000:]}")
            installed.write_text(" ".join(PACKAGES))
    return str(python.with_name("dbt"))


def parsed(dbt: str, folder: Path, files: dict[str, str]) -> dict[str, Any]:
    """The nodes and sources of the manifest that dbt writes for a project."""
    for name, text in {**files, "profiles.yml": PROFILE}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    flags = ("--no-send-anonymous-usage-stats", "--no-version-check", "--no-partial-parse", "--no-use-colors")
    done = run(dbt, *flags, "parse", "--profiles-dir", ".", cwd=folder)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    manifest = json.loads((folder / "target" / "manifest.json").read_text(encoding="utf-8"))
    nodes: dict[str, Any] = {**manifest["nodes"], **manifest["sources"]}
    return nodes


def texts_for(opened: DbtRecipe) -> list[OfferedText]:
    """Every text, in places of every node in turn."""
    places = [
        (relation(name), column) for column in (None, "id", "Other", "c d", "x", "y", "z") for name in NODES.values()
    ]
    free = iter([place for place in places if opened.refusal(*place, "x") is None])
    return [OfferedText(*next(free), text, None) for text in (*TEXTS, "ends in }}", "has #} and %} and }} in it")]


@pytest.mark.timeout(1200)
def test_dbt_reads_every_description_back_and_its_manifest_finds_them(dbt: str, tmp_path: Path) -> None:
    unique_ids = {name: unique_id for unique_id, name in NODES.items()}
    texts = texts_for(recipe(FILES))
    edits = recipe(FILES).edits(texts, CONTEXT).edits
    files = FILES | {edit.path: edit.after.decode() for edit in edits}
    nodes = parsed(dbt, tmp_path, files)
    for each in texts:
        node = nodes[unique_ids[f"{each.relation.schema}.{each.relation.name}"]]
        found = node if each.column is None else node["columns"][each.column]
        assert found["description"] == each.text
    assert nodes["model.shop.stg_orders"]["columns"]["state"]["description"] == "The state."

    manifest = (tmp_path / "target" / "manifest.json").read_bytes()
    by_manifest = recipe(files, RecipeOptions(dialect="postgres", manifest=manifest))
    for each in texts:
        said = by_manifest.said(each.target)
        assert (said.text if said else "") == (each.text if each.text.strip() else "")
    assert {name: by_manifest.reaches_database(relation(name)) for name in unique_ids} == {
        name: recipe(FILES).reaches_database(relation(name)) for name in unique_ids
    }
