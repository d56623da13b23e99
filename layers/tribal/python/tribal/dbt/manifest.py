"""The manifest that dbt writes: which node is which relation."""

from __future__ import annotations

import json
from typing import Any

from tribal.dbt.nodes import DbtNode, persisted
from tribal.dbt.properties import Section

MAX_BYTES = 200_000_000
_SECTIONS: dict[str, Section] = {"model": "models", "seed": "seeds", "snapshot": "snapshots", "source": "sources"}


class UnreadableManifest(Exception):
    """The file is not a manifest of the project; the message says why, as a sentence fragment."""


def nodes_of_manifest(data: bytes, project: str) -> list[DbtNode]:
    """Read a project's nodes from its manifest. Nodes of packages and unknown kinds are left out.

    Raises:
        UnreadableManifest: when the file is not a manifest.
    """
    if len(data) > MAX_BYTES:
        raise UnreadableManifest(f"is larger than {MAX_BYTES:,} bytes")
    try:
        manifest = json.loads(data)
    except (ValueError, RecursionError):
        raise UnreadableManifest("cannot be parsed as JSON") from None
    if not isinstance(manifest, dict) or not isinstance(manifest.get("nodes"), dict):
        raise UnreadableManifest("has no nodes")
    listed = [manifest["nodes"], manifest.get("sources")]
    values = [value for each in listed if isinstance(each, dict) for value in each.values()]
    nodes = [_node(value) for value in values if isinstance(value, dict) and value.get("package_name") == project]
    return [node for node in nodes if node is not None]


def _node(value: dict[str, Any]) -> DbtNode | None:
    section = _SECTIONS.get(str(value.get("resource_type")))
    name, path, schema = value.get("name"), value.get("original_file_path"), value.get("schema")
    relation = value.get("identifier") if section == "sources" else value.get("alias")
    texts = (name, path, schema, relation)
    config = value.get("config")
    if section is None or not all(isinstance(each, str) for each in texts):
        return None
    # Ephemeral models are not relations.
    if section == "models" and value.get("relation_name", "") is None:
        return None
    version = value.get("version")
    return DbtNode(
        section=section,
        name=str(name) if version is None else f"{name}_v{version}",
        path=str(path).replace("\\", "/"),
        relation=str(relation),
        schema=str(schema),
        exact_schema=True,
        persisted=persisted(config) if isinstance(config, dict) and section != "sources" else frozenset(),
        source=str(value.get("source_name")) if section == "sources" else None,
    )
