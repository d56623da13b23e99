"""The settings of a command, read once at its start. The only module that reads the environment of the process."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from tribal.errors import ConfigurationError, ConfigurationNotFound
from tribal.identity.hashing import bytes_hash, object_hash
from tribal.identity.locations import SOURCE_FILE
from tribal.settings.sections import describing_model, with_terms
from tribal.settings.store_place import BucketPlace, store_path
from tribal_contracts import (
    CapabilitySettings,
    DatabaseEntry,
    DatabaseType,
    IdentitySettings,
    LintRules,
    LocatedMetric,
    LocatedTerm,
    ModelEntry,
    ModelSettings,
    ProjectFile,
    ServeSettings,
    SourceRecord,
    SpendingSettings,
    SyncSettings,
)
from tribal_contracts.core.models import EmbedderSection

if TYPE_CHECKING:
    from tribal.settings.postgres_target import PostgresTarget
    from tribal.settings.snowflake.target import SnowflakeTarget

PROJECT_FILE = "databases.yaml"
SCHEMA_FILE = "databases.schema.json"
"""Next to it: the schema by which editors complete and check it."""
PROMPT_FOLDER = "prompts"
"""Next to it: prompts that replace the shipped ones."""
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:/")
_GIVE_IT = "use password_secret, or have the deployer add {name} to `variables` in the environment file"


@dataclass(frozen=True, slots=True)
class Source:
    """A database given by DSN, to be recorded."""

    dsn: str
    """Completed from the environment, without the password."""
    had_password: bool


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one command."""

    project: Path
    store: Path
    """The folder of the documents; with a `bucket`, of the local index only."""
    entries: tuple[DatabaseEntry, ...]
    config_hash: str
    """Hash of the bytes of `databases.yaml` or, without one, of the entry given on the command line."""
    has_file: bool
    units_at_once: int = 4
    tables_at_once: int = 3
    worker_processes: int | None = None
    """Number of processes; `None` chooses it by the size of the run."""
    tables_per_unit: int = 25
    statistics_max_age: timedelta = timedelta(days=7)
    runs_kept: int = 50
    model: ModelSettings | None = None
    """The model that describes tables; `None` if rules do."""
    models: Mapping[str, ModelEntry] = field(default_factory=dict)
    """Models by the names that other sections use."""
    per_day_usd: float = SpendingSettings().per_day_usd
    """What all models together may cost in a UTC day."""
    embedder: EmbedderSection = "wordllama"
    """What makes the vectors of the search index."""
    metrics: tuple[LocatedMetric, ...] = ()
    terms: tuple[LocatedTerm, ...] = ()
    lint: LintRules = field(default_factory=LintRules)
    answer_tokens: int = 3_000
    """The most tokens of a tool's default answer."""
    serve: ServeSettings = field(default_factory=ServeSettings)
    """The section `serve`, for `tribal serve`."""
    identity: IdentitySettings = field(default_factory=IdentitySettings)
    """The user of the command line and of MCP over stdio."""
    sections: Mapping[str, CapabilitySettings] = field(default_factory=dict)
    """The sections of capabilities that the file has, by name."""
    sync: SyncSettings = field(default_factory=SyncSettings)
    database_types: tuple[DatabaseType, ...] = ()
    """The types of the databases in the file, known even to commands that do not read their connections."""
    take_samples: bool = True
    source_date_epoch: int | None = None
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    bucket: BucketPlace | None = None
    """Where the documents are kept, if not in a folder."""
    found: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The databases that match each entry with a list or a glob, once known."""
    source: Source | None = None
    """The DSN from the command line, in a folder without `databases.yaml`."""
    targets: Mapping[str, PostgresTarget | SnowflakeTarget] = field(default_factory=dict, repr=False)
    """The connection target of each entry and each database, once `with_targets` has read the DSNs."""

    @property
    def asks_models(self) -> bool:
        """Whether a model is configured."""
        return self.model is not None or any(section.has_models for section in self.sections.values())

    def address(self, key: str) -> str:
        """The path or S3 address of a file in the store, for messages."""
        return str(self.store / key) if self.bucket is None else self.bucket.address(key)

    def require_entries(self) -> tuple[DatabaseEntry, ...]:
        """The databases to work on.

        Raises:
            ConfigurationNotFound: when neither a file nor a DSN names one.
        """
        if not self.entries:
            why = f"{PROJECT_FILE} lists none" if self.has_file else f"there is no {PROJECT_FILE} in {self.project}"
            raise ConfigurationNotFound(
                f"no database is configured: {why} and no DSN was given; "
                "write `tribal run postgresql://user@host/database`, or run `tribal init` to write a file to fill in"
            )
        return self.entries


def read_environment() -> dict[str, str]:
    """A copy of the process's environment."""
    return dict(os.environ)


def export_variable(name: str, value: str) -> None:
    """Set a variable for this process and those that it starts."""
    os.environ[name] = value


def settings_in_bucket(
    bucket: BucketPlace,
    data: bytes,
    variables: Mapping[str, str],
    epoch: int | None = None,
    model: ModelSettings | None = None,
) -> Settings:
    """The settings of a deployed run, from the `databases.yaml` in the bucket.

    Args:
        bucket: the store.
        data: the bytes of the file.
        variables: the only variables that the file may use.
        epoch: the fixed time of everything that is published, if any.
        model: the model of the environment; the file's own section `model` is ignored.

    Raises:
        ConfigurationError: when the file cannot be used.
    """
    from tribal.settings.project_file import parse_project_text
    from tribal.settings.yaml_reader import Variables

    known = Variables(variables, _GIVE_IT, "the variable {name} is not one that a deployed run may use")
    address = bucket.address("config/databases.yaml")
    content = parse_project_text(address, data, known, model=model)
    if not content.databases:
        raise ConfigurationError(f"{address} lists no database; a run needs one")
    folder = Path(tempfile.gettempdir())
    outside = Settings(
        project=folder,
        store=folder,
        entries=(),
        config_hash="0" * 64,
        has_file=True,
        source_date_epoch=epoch,
        bucket=bucket,
    )
    # The deployer decides about spending, not the author of this file.
    with_words = None if model is None else with_terms(model, content)
    return replace(_with_content(outside, content, data), model=with_words, models={})


def load_settings(
    *,
    project: Path | None = None,
    dsn: str | None = None,
    take_samples: bool = True,
    environment: Mapping[str, str] | None = None,
    needs_databases: bool = True,
) -> Settings:
    """Read the settings of one command from the project's folder, the command line and the environment.

    Without a DSN and a file, the database is the one that the folder was documented from.

    Args:
        project: the folder; the current one by default.
        dsn: the database, in place of the file.
        take_samples: whether rows may be read.
        environment: the environment variables; those of the process by default.
        needs_databases: whether the command connects to databases; if not, their connections are not even read.

    Raises:
        ConfigurationError: when any of them cannot be used.
    """
    values = read_environment() if environment is None else dict(environment)
    folder = _project_folder(project)
    if not folder.is_dir():
        problem = "is not a folder; choose one" if folder.exists() else "does not exist; create it, or choose another"
        raise ConfigurationError(f"the project folder {folder} {problem} with --project")
    outside = Settings(
        project=folder,
        store=folder,
        entries=(),
        config_hash="0" * 64,
        has_file=False,
        take_samples=take_samples,
        source_date_epoch=source_date_epoch(values),
        environment=values,
    )
    file = folder / PROJECT_FILE
    if dsn is not None:
        from tribal.settings.entries import dsn_has_password, entry_from_dsn, portable_dsn

        source = None if file.exists() else Source(portable_dsn(dsn, values), dsn_has_password(dsn))
        return _with_entry(replace(outside, source=source), entry_from_dsn(dsn, values))
    if not file.exists():
        return _with_recorded_source(outside) if needs_databases else outside
    # Imported here because YAML is slow to load and most tool calls run in a folder without this file.
    from tribal.settings.project_file import parse_project_file

    parsed = parse_project_file(file, values, with_databases=needs_databases)
    content = parsed.content
    in_bucket = content.store is not None and content.store.startswith("s3://")
    return replace(
        _with_content(outside, content, parsed.data),
        store=folder if in_bucket else store_path(folder, content.store),
        bucket=BucketPlace.parse(content.store) if in_bucket and content.store else None,
        database_types=parsed.database_types,
    )


def _with_entry(outside: Settings, entry: DatabaseEntry) -> Settings:
    return replace(outside, entries=(entry,), config_hash=_entry_hash(entry))


def _with_recorded_source(outside: Settings) -> Settings:
    """The settings with the database that a run recorded in the folder; an unreadable record is ignored."""
    from tribal.settings.entries import entry_from_dsn

    dsn = recorded_source(outside)
    try:
        return outside if dsn is None else _with_entry(outside, entry_from_dsn(dsn, outside.environment))
    except ConfigurationError:
        return outside


def recorded_source(settings: Settings) -> str | None:
    """The DSN, without a password, that a run recorded in the folder; `None` without a readable record."""
    try:
        return SourceRecord.from_json((settings.store / SOURCE_FILE).read_bytes()).dsn
    except (OSError, ValidationError):
        return None


def _project_folder(project: Path | None) -> Path:
    # A DSN in place of a folder is not shown, since it may contain a password.
    if project is not None and _ADDRESS.match(str(project)):
        raise ConfigurationError("the project folder looks like a DSN; give a DSN without --project before it")
    try:
        return (project or Path.cwd()).expanduser().resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise ConfigurationError("the project folder cannot be resolved; choose another with --project") from error


def _with_content(outside: Settings, content: ProjectFile, data: bytes) -> Settings:
    return replace(
        outside,
        entries=tuple(content.databases),
        config_hash=bytes_hash(data),
        has_file=True,
        units_at_once=content.units_at_once,
        tables_at_once=content.tables_at_once,
        worker_processes=content.worker_processes,
        tables_per_unit=content.tables_per_unit,
        statistics_max_age=timedelta(days=content.statistics_max_age_days),
        runs_kept=content.runs_kept,
        model=describing_model(content),
        models=content.models,
        per_day_usd=(content.spending or SpendingSettings()).per_day_usd,
        embedder=content.embedder,
        metrics=tuple(each for each in content.metrics if isinstance(each, LocatedMetric)),
        terms=tuple(each for each in content.terms if isinstance(each, LocatedTerm)),
        lint=content.lint,
        answer_tokens=content.limits.answer_tokens,
        serve=content.serve,
        identity=content.identity,
        sections=content.sections,
        sync=content.sync,
    )


def source_date_epoch(environment: Mapping[str, str]) -> int | None:
    """The time of `SOURCE_DATE_EPOCH`, in seconds since 1970, if it is set.

    Raises:
        ConfigurationError: when it is invalid.
    """
    text = environment.get("SOURCE_DATE_EPOCH", "")
    if not text:
        return None
    if not text.isdecimal() or int(text) > 253402300799:
        raise ConfigurationError("SOURCE_DATE_EPOCH is not a whole number of seconds since 1970; correct or unset it")
    return int(text)


def _entry_hash(entry: DatabaseEntry) -> str:
    """Hash of the entry's canonical JSON without secrets."""
    return object_hash(entry.model_dump(mode="json", exclude={"dsn", "password"}))


def with_targets(settings: Settings) -> Settings:
    """The same settings with the DSN of every entry and database read; nothing is connected to.

    Raises:
        ConfigurationError: when one of them cannot be read, or two databases would have the same name.
    """
    from tribal.identity.expansion import expanded

    databases = expanded(settings.entries, settings.found)
    targets = {entry.name: _target(entry, settings) for entry in (*settings.entries, *databases)}
    return replace(settings, targets=targets)


def _target(entry: DatabaseEntry, settings: Settings) -> PostgresTarget | SnowflakeTarget:
    from tribal.settings.entries import entry_target

    try:
        return entry_target(entry, settings.environment)
    except ConfigurationError as error:
        if not settings.has_file:
            raise
        raise ConfigurationError(f"database {entry.name!r}: {error.message}") from None
