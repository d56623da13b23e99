"""Reads `databases.yaml`: every error names the line and says what to write instead."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import get_args, get_origin

import yaml
from pydantic import BaseModel, ValidationError

from tribal.errors import ConfigurationError
from tribal.identity.expansion import PLACE, names_several, only_excludes
from tribal.settings.entries import check_dsn
from tribal.settings.sections import describing_model
from tribal.settings.store_place import check_store
from tribal.settings.yaml_reader import Location, Variables, YamlReader, read_small_file, with_empty_sections
from tribal.yaml_lines import at_line, compose_yaml, line_of, locate, value_at
from tribal_contracts import (
    CAPABILITY_SECTIONS,
    AnswerLimits,
    CapabilitySettings,
    DatabaseEntry,
    DatabaseLimits,
    DatabaseType,
    IdentitySettings,
    LintRules,
    LocatedMetric,
    LocatedTerm,
    ModelEntry,
    ModelPrice,
    ModelSettings,
    ProjectFile,
    Selection,
    ServeSettings,
    SpendingSettings,
    SyncSettings,
)
from tribal_contracts.core.models import EmbedderSection, OnnxEmbedding, ServerEmbedding
from tribal_contracts.core.sections import written_place

_ORIGIN = re.compile(r"https?://([a-z0-9-]+(\.[a-z0-9-]+)*|\[[0-9a-f:.]+\])(:[0-9]{1,5})?", re.ASCII | re.IGNORECASE)
_OWN_PORTS = {"http": "80", "https": "443"}
_UNREAD = {"databases": [{"name": "unread"}]}
_SECTIONS: dict[str, type[BaseModel]] = {
    "limits": DatabaseLimits,
    "include": Selection,
    "exclude": Selection,
    "lint": LintRules,
    "serve": ServeSettings,
    "identity": IdentitySettings,
    **CAPABILITY_SECTIONS,
    "sync": SyncSettings,
    "model": ModelSettings,
    "spending": SpendingSettings,
    "price": ModelPrice,
    "embedder": ServerEmbedding,
}
_LISTED: dict[str, type[BaseModel]] = {
    name: kind
    for name, field in ProjectFile.model_fields.items()
    for kind in get_args(field.annotation)
    if get_origin(field.annotation) is list and isinstance(kind, type) and issubclass(kind, BaseModel)
}
_NO_MODEL_HERE = "the file has no section `model`; add it, or leave describer out"
_NO_MODEL_THERE = (
    "the environment has no model; have its deployer add the section `model` to its file, or leave describer out here"
)


_OF_POSTGRES = ("sslmode", "sslrootcert", "require_auth")
_LOGIN = "private_key_secret private_key_file passphrase_secret token_secret workload_provider".split()
_OF_SNOWFLAKE = ("account", "role", "warehouse", *_LOGIN)
_IN_DSNS = ("account", "host", "port", "database", "user", "password", "role", "warehouse")


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """A valid `databases.yaml`."""

    content: ProjectFile
    data: bytes
    """The file's bytes, for `config_hash`."""
    database_types: tuple[DatabaseType, ...]
    """The types of its databases, known even if their connections are not read."""


def parse_project_file(path: Path, environment: Mapping[str, str], *, with_databases: bool = True) -> ParsedFile:
    """Read and validate a `databases.yaml`, with `${VARIABLE}` and `${VARIABLE:-default}` substituted.

    Without `with_databases`, the content of that key is not read and may use undefined variables.

    Raises:
        ConfigurationError: naming the file, the line and what to write instead.
    """
    data, name = read_small_file(path), str(path)
    root = _composed(name, data)
    listed = value_at(root, ("databases",))
    reader = YamlReader(name, Variables(environment), _model_at)
    content = _validated(root, reader, folder=path.parent, with_databases=with_databases)
    return ParsedFile(content, data, _database_types(listed))


def _database_types(listed: yaml.Node | None) -> tuple[DatabaseType, ...]:
    entries = listed.value if isinstance(listed, yaml.SequenceNode) else []
    nodes = [value_at(entry, ("type",)) for entry in entries]
    return tuple(
        each
        for each in get_args(DatabaseType)
        if any((node.value == each) if node is not None else each == "postgres" for node in nodes)
    )


def parse_project_text(
    path: str,
    data: bytes,
    variables: Variables,
    *,
    folder: Path | None = None,
    model: ModelSettings | None = None,
) -> ProjectFile:
    """Validate the bytes of a `databases.yaml`.

    Args:
        path: the file's name in messages.
        data: its bytes.
        variables: the values of `${NAME}`.
        folder: base of a relative store folder; `None` for a file in a bucket.
        model: the model of the deployed environment, which takes precedence in a bucket.

    Raises:
        ConfigurationError: naming the file, the line and what to write instead.
    """
    root = _composed(path, data)
    return _validated(root, YamlReader(path, variables, _model_at), folder=folder, model=model)


def _composed(path: str, data: bytes) -> yaml.MappingNode:
    root = compose_yaml(path, data)
    if root is None:
        raise at_line(path, 1, "the file is empty; it must start with `databases:` (`tribal init` writes one)")
    if not isinstance(root, yaml.MappingNode):
        raise at_line(path, line_of(root), "the file must start with `databases:`, with a list of databases below it")
    return root


def _validated(
    root: yaml.MappingNode,
    reader: YamlReader,
    *,
    folder: Path | None,
    with_databases: bool = True,
    model: ModelSettings | None = None,
) -> ProjectFile:
    if not with_databases:
        root.value = [(key, value) for key, value in root.value if key.value != "databases"]
    content = with_empty_sections(reader.value(root), ProjectFile)
    try:
        project = ProjectFile.model_validate(content if with_databases else content | _UNREAD)
    except ValidationError as error:
        raise reader.invalid(error, root) from None
    if folder is not None:
        if project.store is not None:
            _at(reader, root, ("store",), partial(check_store, project.store, folder))
        _at(reader, root, ("embedder", "onnx"), partial(_check_embedder, project.embedder, folder))
    _at(reader, root, ("model", "use"), partial(describing_model, project))
    _at(reader, root, ("model", "terms"), partial(_check_terms, project))
    for section in project.sections.values():
        for place, problem, code in section.problems(project.models):
            message = f"{written_place(place)}: {problem}"
            raise at_line(reader.path, line_of(locate(root, place)), message, code=code)
    project = project.model_copy(update=_located_definitions(project, root, reader.path))
    _at(reader, root, ("serve",), partial(_check_serve, project.serve))
    for index, origin in enumerate(project.serve.origins):
        _at(reader, root, ("serve", "origins", index), partial(_check_origin, origin))
    project = project.model_copy(update=_completed_sections(project, root, reader))
    if not with_databases:
        return project.model_copy(update={"databases": []})
    _check_entries(project, root, reader)
    _check_describers(project, root, reader, _missing_model(project, model, deployed=folder is None))
    return project


def _check_embedder(embedder: EmbedderSection, folder: Path) -> None:
    if isinstance(embedder, OnnxEmbedding) and not (folder / embedder.onnx).is_dir():
        raise ConfigurationError(f"embedder.onnx: there is no folder {embedder.onnx!r}; write that of the model")


def _check_terms(project: ProjectFile) -> None:
    if project.terms and project.model is not None and project.model.terms:
        raise ConfigurationError(
            "model.terms is the older spelling of terms; keep the newer one, at the top of the file"
        )


def _completed_sections(project: ProjectFile, root: yaml.Node, reader: YamlReader) -> dict[str, object]:
    completed: dict[str, object] = {}
    for name in CAPABILITY_SECTIONS:
        section: CapabilitySettings | None = getattr(project, name)
        if section is not None:
            try:
                completed[name] = section.completed(project.identity)
            except ValueError as error:
                raise reader.error(locate(root, (name,)), f"{name}: {error}") from None
    return completed


def _located_definitions(project: ProjectFile, root: yaml.Node, path: str) -> dict[str, object]:
    """Metrics and terms with their file and line; terms in the older spelling too."""
    file = Path(path).name

    def line(*location: int | str) -> int:
        return line_of(locate(root, location))

    older = {} if project.model is None else project.model.terms
    return {
        "metrics": [
            LocatedMetric(**each.model_dump(), file=file, line=line("metrics", number))
            for number, each in enumerate(project.metrics)
        ],
        "terms": [
            *(
                LocatedTerm(**each.model_dump(), file=file, line=line("terms", number))
                for number, each in enumerate(project.terms)
            ),
            *(
                LocatedTerm(name=name, definition=meaning, file=file, line=line("model", "terms", name))
                for name, meaning in older.items()
            ),
        ],
    }


def _at(reader: YamlReader, root: yaml.Node, location: Location, check: Callable[[], object]) -> None:
    try:
        check()
    except ConfigurationError as error:
        raise reader.error(locate(root, location), error.message) from None


def _model_at(location: Location) -> type[BaseModel]:
    parent = location[-2] if len(location) > 1 else None
    if len(location) == 3 and location[0] in _LISTED:
        return _LISTED[str(location[0])]
    if location[:-1] == ("limits",):
        return AnswerLimits
    if parent is not None and location[:-2] == ("models",):
        return ModelEntry
    return DatabaseEntry if isinstance(parent, int) else _SECTIONS.get(str(parent), ProjectFile)


def _check_serve(serve: ServeSettings) -> None:
    if serve.issuer is not None and not serve.audience:
        raise ConfigurationError("serve: an issuer without an audience would accept tokens for others; add audience")
    of_issuer = (serve.audience, serve.authorized_parties, serve.rights)
    claims = (serve.org_claim, serve.teams_claim, serve.projects_claim)
    if serve.issuer is None and any((*of_issuer, *claims)):
        raise ConfigurationError(
            "serve: audience, authorized_parties, rights and claims of organization, teams and projects need an "
            "issuer; add issuer"
        )


def _check_origin(origin: str) -> None:
    port = origin.rpartition(":")[2]
    if not _ORIGIN.fullmatch(origin) or port == _OWN_PORTS[origin.partition(":")[0].lower()]:
        raise ConfigurationError(
            f"serve.origins: {origin!r} is not an origin as browsers send it; write scheme://host or "
            "scheme://host:port, without a path and without the port 80 of http or 443 of https, such as "
            "https://portal.example.com"
        )


def _missing_model(project: ProjectFile, model: ModelSettings | None, *, deployed: bool) -> str | None:
    """What to do about an entry that requires a model; `None` if there is a model."""
    if deployed:
        return _NO_MODEL_THERE if model is None else None
    return _NO_MODEL_HERE if project.model is None else None


def _check_describers(project: ProjectFile, root: yaml.Node, reader: YamlReader, missing: str | None) -> None:
    for index, entry in enumerate(project.databases):
        if entry.describer == "model" and missing is not None:
            node = locate(root, ("databases", index, "describer"))
            raise reader.error(node, f"{entry.name!r} has describer: model, and {missing}")


def _check_entries(project: ProjectFile, root: yaml.Node, reader: YamlReader) -> None:
    """Checks on the entries that the models cannot express."""
    names: set[str] = set()
    for index, entry in enumerate(project.databases):
        node = locate(root, ("databases", index))
        if entry.name in names:
            raise reader.error(node, f"two databases are named {entry.name!r}; give each its own name")
        names.add(entry.name)
        if names_several(entry) and only_excludes(entry):
            raise reader.error(node, f"{entry.name!r} only excludes databases; include some, such as '*'")
        if PLACE in entry.name and not names_several(entry):
            raise reader.error(node, f"{entry.name!r} has {PLACE} in its name; give it a list of databases, or a glob")
        several = names_several(entry)
        _check_type(entry, node, reader)
        separate = [f for f in _IN_DSNS if getattr(entry, f) is not None]
        if several and "database" in separate:
            # The DSN is the database to list them from.
            separate.remove("database")
        if entry.dsn is not None and separate:
            raise reader.error(node, f"{entry.name!r} has both dsn and {separate[0]}; keep one of them")
        if entry.password is not None and entry.password_secret is not None:
            raise reader.error(node, f"{entry.name!r} has both password and password_secret; keep one of them")
        if entry.auth == "rds_iam" and (entry.password or entry.password_secret):
            raise reader.error(node, f"{entry.name!r} logs in with IAM but has a password; keep one of them")
        _at(reader, root, ("databases", index, "dsn"), partial(check_dsn, entry))


def _check_type(entry: DatabaseEntry, node: yaml.Node, reader: YamlReader) -> None:
    """Refuse fields that the entry's type of database does not have."""
    is_snowflake = entry.type == "snowflake"
    strange = [name for name in (_OF_POSTGRES if is_snowflake else _OF_SNOWFLAKE) if getattr(entry, name) is not None]
    if entry.auth is not None and entry.auth != "password" and (entry.auth == "rds_iam") == is_snowflake:
        strange.append(f"auth: {entry.auth}")
    if strange:
        raise reader.error(node, f"{entry.name!r} is of type {entry.type}, which has no {strange[0]}; leave it out")
    if not is_snowflake:
        return
    if entry.sample_views:
        raise reader.error(node, f"{entry.name!r} has sample_views, but Snowflake views are not sampled; leave it out")
    if entry.sample_rows and entry.warehouse is None and "warehouse=" not in _dsn(entry):
        raise reader.error(node, f"{entry.name!r} has sample_rows but no warehouse; add one; each sample costs credits")
    if entry.account is None and entry.dsn is None:
        raise reader.error(node, f"{entry.name!r} names no account; write account: myorg-account1, or a dsn")


def _dsn(entry: DatabaseEntry) -> str:
    return "" if entry.dsn is None else entry.dsn.get_secret_value()
