"""Every block of YAML on a page can be loaded by what reads such a file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import yaml

from infra.environment import FOLDER, load_environment
from tests.cases import each_case
from tests.docs.blocks import PAGES, Block, blocks_of_page
from tribal.settings import load_settings
from tribal.settings.profiles import load_profile
from tribal.store.annotations import parse_annotations
from tribal_contracts import Annotations

_ENVIRONMENTS = {"contribution-aws.md", "deploying.md"}
"""Pages whose sections belong to the file of an environment, unless they list databases."""
_LISTS = {"knowledge.md": "tests/docs/test_knowledge_page.py checks constraints"}
"""Pages with lists, which are not a file, with what checks them."""
_VARIABLES = {"DATABASE_URL": "postgresql://reader@localhost/company", "TRIBAL_PROD_TOKEN": "none"}

BLOCKS = [block for page in PAGES for block in blocks_of_page(page) if block.language == "yaml"]
LISTS = [block for block in BLOCKS if isinstance(yaml.safe_load(block.text), list)]


@each_case("block", [block for block in BLOCKS if block not in LISTS], ids=lambda block: block.place)
def test_a_block_of_yaml_is_valid(block: Block, tmp_path: Path) -> None:
    sections = yaml.safe_load(block.text) or {}
    if block.page in _ENVIRONMENTS and "databases" not in sections:
        _load_environment(sections, tmp_path)
    elif "profiles" in sections:
        file = tmp_path / "profiles.yaml"
        file.write_text(block.text, encoding="utf-8")
        for name in sections["profiles"]:
            load_profile(name, {**_VARIABLES, "TRIBAL_PROFILES": str(file)})
    elif set(sections) <= set(Annotations.model_fields):
        parse_annotations(block.text.encode(), "annotations/company.yaml")
    else:
        if "embedder" in sections and "onnx" in sections["embedder"]:
            (tmp_path / sections["embedder"]["onnx"]).mkdir(parents=True)
        (tmp_path / "databases.yaml").write_text(block.text, encoding="utf-8")
        load_settings(project=tmp_path, environment=_VARIABLES, needs_databases="databases" in sections)


def _load_environment(sections: Mapping[str, object], folder: Path) -> None:
    """Load the environment `dev` with the sections of a page."""
    whole = yaml.safe_load((FOLDER / "dev.yaml").read_text(encoding="utf-8"))
    (folder / "dev.yaml").write_text(yaml.safe_dump({**whole, **sections}), encoding="utf-8")
    load_environment("dev", folder)


def test_the_pages_with_lists_are_exact() -> None:
    assert {block.page for block in LISTS} == set(_LISTS)
