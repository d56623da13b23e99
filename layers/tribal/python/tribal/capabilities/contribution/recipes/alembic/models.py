"""Comments in SQLAlchemy's models, read from their syntax trees: what autogenerate compares the database with."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tribal.capabilities.contribution.recipes.alembic.revisions import assigned_values, literal, parse_python
from tribal.capabilities.contribution.recipes.recipe import Files

ModelComments = dict[tuple[str, str | None], str]
"""Texts by table, and column or `None`; schemas are often set elsewhere and do not count."""


def compares_models(env: bytes) -> bool:
    """Tell whether an `env.py` hands models to Alembic, so that `--autogenerate` compares comments too."""
    values = assigned_values(env, "target_metadata")
    return not all(
        (isinstance(value, ast.Constant) and value.value is None)
        or (isinstance(value, ast.Name) and value.id == "target_metadata")
        for value in values
    )


def comments_of_models(files: Files) -> ModelComments:
    """Return the comments of all models in the repository; a file that cannot be parsed counts as empty."""
    comments: ModelComments = {}
    for path in files.paths:
        if path.endswith(".py") and b"__tablename__" in (source := files.read(path)):
            for node in ast.walk(parse_python(source) or ast.Module([], [])):
                if isinstance(node, ast.ClassDef):
                    comments |= _comments_of(node)
    return comments


def _comments_of(model: ast.ClassDef) -> Iterator[tuple[tuple[str, str | None], str]]:
    values = dict(_attributes(model))
    table = literal(values.get("__tablename__"), {})
    if not isinstance(table, str):
        return
    options = values.get("__table_args__")
    if isinstance(options, ast.Tuple) and options.elts:
        options = options.elts[-1]
    if isinstance(options, ast.Dict):
        for key, value in zip(options.keys, options.values, strict=True):
            if literal(key, {}) == "comment" and isinstance(text := literal(value, {}), str):
                yield (table, None), text
    for name, node in values.items():
        if isinstance(node, ast.Call):
            given = literal(node.args[0], {}) if node.args else None
            for keyword in node.keywords:
                if keyword.arg == "comment" and isinstance(text := literal(keyword.value, {}), str):
                    yield (table, given if isinstance(given, str) else name), text


def _attributes(model: ast.ClassDef) -> Iterator[tuple[str, ast.expr]]:
    for statement in model.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            yield statement.targets[0].id, statement.value
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) and statement.value:
            yield statement.target.id, statement.value
