"""The schema of `databases.yaml` for editors: it accepts what the loader accepts, and refuses misspelt keys."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from tests import ROOT
from tests.cases import each_case
from tribal.errors import ConfigurationError
from tribal.settings import load_settings
from tribal_contracts import ProjectFile
from tribal_contracts.schemas import json_schema

SCHEMA = json_schema("databases")
VALIDATOR = jsonschema.Draft7Validator(SCHEMA)
OF_AN_ENVIRONMENT = ("deploying.md", "contribution-aws.md")
"""Pages whose blocks are of another file."""


def models() -> Iterator[tuple[str, dict[str, Any]]]:
    yield "", SCHEMA
    yield from SCHEMA["definitions"].items()


class Yaml12(yaml.SafeLoader):
    """Reads `yes` and `off` as text, as editors do."""


Yaml12.yaml_implicit_resolvers = {
    first: [(tag, form) for tag, form in resolvers if not tag.endswith(":bool") or first in "tfTF"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def problems(text: str) -> list[str]:
    found = VALIDATOR.iter_errors(yaml.load(text, Yaml12))
    return [f"{'.'.join(map(str, error.absolute_path))}: {error.message}" for error in found]


def blocks() -> list[Any]:
    """Each block of the documents that is a part of a `databases.yaml`."""
    found = []
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        if page.name in OF_AN_ENVIRONMENT:
            continue
        text = page.read_text(encoding="utf-8")
        for block in re.finditer(r"^```yaml\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
            data = yaml.safe_load(block[1])
            if isinstance(data, dict) and data.keys() <= ProjectFile.model_fields.keys():
                added = "" if "databases" in data else "databases: []\n"
                line = text.count("\n", 0, block.start()) + 1
                found.append(pytest.param(block[1] + added, id=f"{page.name}, line {line}"))
    assert len(found) > 20
    return found


def test_no_model_accepts_unknown_keys() -> None:
    assert [name for name, definition in models() if definition["additionalProperties"] is not False] == []


def test_every_scalar_may_be_a_variable() -> None:
    scalars = {
        f"{model}.{key}": schema
        for model, definition in models()
        for key, schema in definition["properties"].items()
        if not {"$ref", "items", "additionalProperties"} & schema.keys()
    }
    assert len(scalars) > 180
    refused = [
        name
        for name, schema in scalars.items()
        if not jsonschema.Draft7Validator({"definitions": SCHEMA["definitions"]} | schema).is_valid("${NAME:-x}")
    ]
    assert refused == [".model", "CollectionEntry.models"], "they hold further keys, or a list"


@each_case("text", blocks())
def test_the_blocks_of_the_documents_are_accepted(text: str) -> None:
    assert problems(text) == []


@each_case(
    "lines",
    [
        "lint: {orphaned: yes, unclear: Off, broken: TRUE}",
        "lint: {orphaned: '${ORPHANED:-true}', minimum_coverage: '${COVERAGE:-80}'}",
        "units_at_once: '8'",
        "units_at_once: 8.0",
        "statistics_max_age_days: '0.5'",
        "worker_processes:",
        "memory:",
        "lint:",
        "limits:",
        "serve:\n  audience:",
        "collections:",
        "models:",
        "store:",
        "model: {provider: ollama, name: x, region: }",
        "model: {provider: ollama, name: x, language: '${LANGUAGE_OF_THE_DESCRIPTIONS_OF_THIS_COMPANY_AND_OTHERS:-x}'}",
        "databases: [{name: a, port: '${PORT:-5432}', database: [a, '!b'], sslmode: '${MODE:-require}'}]",
        "databases: [{name: a, port: '5432', database: 'shop_*', include: {schemas: }, sslmode: }]",
        "databases: [{name: a, type: '${TYPE:-postgres}', dsn: '${DSN:-postgresql://}', describer: , limits: }]",
        "databases:",
    ],
)
def test_what_the_loader_accepts_is_accepted(tmp_path: Path, lines: str) -> None:
    text = lines if lines.startswith("databases") else f"databases: []\n{lines}\n"
    (tmp_path / "databases.yaml").write_text(text, encoding="utf-8")
    load_settings(project=tmp_path, environment={})
    assert problems(text) == []


@each_case(
    "lines",
    [
        "databases: [{name: a, dns: x}]",
        "databases: [{name: a, includes: {schemas: [b]}}]",
        "databases: [{name: a, include: {schema: [b]}}]",
        "databases: [{name: a, limits: {conections: 2}}]",
        "databases: [{dsn: x}]",
        "databases: [{name: a, type: postgress}]",
        "databases: [{name: a, port: 70000}]",
        "databases: [{name: a, include: {schemas: b}}]",
        "database: []",
        "lints:",
        "lint: {orphaned: maybe}",
        "units_at_once: many",
        "units_at_once: 65",
        "units_at_once:",
        "worker_processes: 65",
        "models: {a: {provider: ollama, nane: b}}",
        "model: {use: a, per_run_us: 5}",
        "embedder: {onnx: a, near: 0.5}",
        "embedder: wordlama",
        "collections: [{name: a, models: {slow: [b]}}]",
        "metrics: [{name: a, description: b, expression: c}]",
        "contribution: {repositories: []}",
        "contribution:",
    ],
)
def test_mistakes_are_refused_as_the_loader_refuses_them(tmp_path: Path, lines: str) -> None:
    text = lines if lines.startswith("databases") else f"databases: []\n{lines}\n"
    (tmp_path / "databases.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError):
        load_settings(project=tmp_path, environment={})
    assert problems(text) != []
