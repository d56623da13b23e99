"""The file `dbt_project.yml`: where a project has its files, and how it configures their nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from posixpath import normpath
from typing import Any

from tribal.dbt.properties import Section
from tribal.dbt.yaml_nodes import BYTE_ORDER_MARK, Expansion, UnreadableYaml, compose, decode

_PATHS: dict[Section, tuple[str, str, str]] = {
    "models": ("model-paths", "source-paths", "models"),
    "seeds": ("seed-paths", "data-paths", "seeds"),
    "snapshots": ("snapshot-paths", "snapshot-paths", "snapshots"),
}
"""The keys of each kind of file, today's and the older one, and the folder where neither is set."""


@dataclass(frozen=True, slots=True)
class ProjectSettings:
    """What `dbt_project.yml` says."""

    name: str
    folders: Mapping[Section, Sequence[str]]
    """Folders relative to the project; empty for the project's own."""
    configs: Mapping[Section, Any]

    def config(self, section: Section, folders: Sequence[str], node: str) -> dict[str, Any]:
        """Return a node's configuration from the blocks of the project; inner blocks take precedence.

        Args:
            section: the kind of node.
            folders: the folders of its file inside of the one that the project lists.
            node: its name.
        """
        block = self.configs.get(section)
        found: dict[str, Any] = {}
        for step in ("", self.name, *folders, node):
            block = block.get(step) if step and isinstance(block, dict) else block
            if not isinstance(block, dict):
                break
            found |= {key.lstrip("+ "): value for key, value in block.items() if _is_config(key)}
        return found


def _is_config(key: str) -> bool:
    return key.startswith("+") or key in ("persist_docs", "schema", "target_schema", "alias", "enabled", "materialized")


def read_project_file(data: bytes) -> ProjectSettings:
    """Read `dbt_project.yml`.

    Raises:
        UnreadableYaml: when it is not the file of a project.
    """
    expansion = Expansion()
    fields = expansion.plain(compose(decode(data).removeprefix(BYTE_ORDER_MARK)))
    if not isinstance(fields, dict) or not isinstance(fields.get("name"), str):
        raise UnreadableYaml("has no name of a project")
    folders = {}
    for section, (key, older, default) in _PATHS.items():
        listed = fields.get(key, fields.get(older))
        named = [each for each in listed if isinstance(each, str)] if isinstance(listed, list) else [default]
        folders[section] = tuple(f"/{normpath(each)}/".replace("/./", "/").strip("/") for each in named)
    return ProjectSettings(fields["name"], folders, {section: fields.get(section) for section in _PATHS})
