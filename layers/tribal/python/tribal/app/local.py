"""The one place that chooses who answers each port. Every adapter is imported inside its builder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from tribal.catalog.locations import INDEX_FILE
from tribal.errors import ConfigurationError

if TYPE_CHECKING:
    from tribal.adapters.aws.s3 import S3ObjectStore
    from tribal.adapters.sqlite.index import SqliteIndex
    from tribal.ports import (
        Application,
        CatalogReader,
        Clock,
        Describer,
        Embedder,
        ObjectStore,
        Options,
        ProcessLock,
        Secrets,
        Statement,
    )
    from tribal.runs.workers.units import OpenReader
    from tribal.settings import BucketPlace, Settings
    from tribal_contracts import DatabaseEntry


def clock_of(settings: Settings) -> Clock:
    """The system's clock, standing still for what is published where `SOURCE_DATE_EPOCH` is set."""
    from tribal.runs.clock import SystemClock

    return SystemClock(settings.source_date_epoch)


def store_of(settings: Settings) -> ObjectStore:
    """What holds the truth: a folder, or the part of a bucket that `store` names.

    Raises:
        ConfigurationError: when it is a bucket and the packages for AWS are not installed.
    """
    if settings.bucket is not None:
        try:
            return store_in_bucket(settings.bucket, _region(settings))
        except ModuleNotFoundError as error:
            raise aws_missing(error, "a store in S3") from error
    from tribal.adapters.local.folder import FolderStore

    return FolderStore(settings.store)


def aws_missing(error: ModuleNotFoundError, purpose: str) -> ConfigurationError:
    """What to say when a package for AWS is not installed."""
    return ConfigurationError(
        f"{error.name} is not installed, which {purpose} needs: pip install 'tribal-knowledge[aws]'"
    )


def store_in_bucket(place: BucketPlace, region: str | None = None, *, profile: str | None = None) -> S3ObjectStore:
    """The store in a bucket; the AWS identity at hand, or that of a profile, must be allowed to use it."""
    from tribal.adapters.aws.clients import aws_client
    from tribal.adapters.aws.s3 import S3ObjectStore

    return S3ObjectStore(aws_client("s3", region=region, profile=profile), place.bucket, place.prefix)


def sweep_store(settings: Settings) -> None:
    """Remove what killed processes left half written; in a bucket nothing ever is."""
    if settings.bucket is None:
        from tribal.adapters.local.folder import FolderStore

        FolderStore(settings.store).sweep()


def process_lock_of(settings: Settings) -> ProcessLock | None:
    """The lock by which a dead holder of the lease shows at once; a bucket, which many machines write to, has none."""
    if settings.bucket is not None:
        return None
    from tribal.adapters.local.folder import FolderLock

    return FolderLock(settings.store)


def secrets_of(settings: Settings) -> Secrets:
    """Secrets from environment variables, and from files in the folder that `TRIBAL_SECRETS` names.

    Where the store is a bucket, those that are missing there come from Secrets Manager: the `databases.yaml` of a
    deployed environment is to work on a host as it stands.
    """
    from tribal.adapters.local.environment_secrets import EnvironmentSecrets

    folder = settings.environment.get("TRIBAL_SECRETS")
    here = EnvironmentSecrets(settings.environment, Path(folder) if folder else None)
    if settings.bucket is None:
        return here
    from tribal.adapters.local.chained_secrets import ChainedSecrets

    return ChainedSecrets(here, lambda: _secrets_manager(_region(settings)))


def _secrets_manager(region: str | None) -> Secrets:
    from tribal.adapters.aws.clients import aws_client
    from tribal.adapters.aws.secrets_manager import SecretsManagerSecrets

    return SecretsManagerSecrets(aws_client("secretsmanager", region=region))


def _region(settings: Settings) -> str | None:
    """The region that the environment names in the way of the AWS command line, which boto3 does not look at."""
    return settings.environment.get("AWS_REGION") or None


def reader_opener(settings: Settings) -> OpenReader:
    """What opens a reader of an entry's database; it connects when it is first asked something.

    A named secret is read again when the server refuses the login with it.
    """
    mend = "set the environment variable of that name, or put a file so named into the folder that TRIBAL_SECRETS names"
    if settings.bucket is not None:
        mend += ", or make it in Secrets Manager"
    return opener_with(secrets_of(settings), settings.environment, mend)


def opener_with(secrets: Secrets, environment: Mapping[str, str], mend: str, *, role: str | None = None) -> OpenReader:
    """What opens readers with these secrets; `mend` says what to do where one is missing, `role` who logs in by IAM."""

    def open_reader(entry: DatabaseEntry) -> CatalogReader:
        from tribal.adapters.postgres.catalog import PostgresCatalog
        from tribal.settings.dsn import entry_target

        if entry.auth == "rds_iam":
            from tribal.adapters.aws.rds_tokens import token_source

            renew = token_source(entry_target(entry, environment), role=role)
            target = entry_target(entry.model_copy(update={"password": renew()}), environment)
            return PostgresCatalog(target, entry.limits, renew_password=renew)
        name = entry.password_secret
        if name is None:
            return PostgresCatalog(entry_target(entry, environment), entry.limits)
        password = secrets.get(name)
        if password is None:
            raise ConfigurationError(f"the secret {name!r} of database {entry.name!r} is not there; {mend}")
        target = entry_target(entry.model_copy(update={"password": password}), environment)
        return PostgresCatalog(target, entry.limits, renew_password=lambda: secrets.refresh(name))

    return open_reader


def connection_warnings(settings: Settings) -> list[str]:
    """What a user should know of how the databases will be reached: what was passed over in a DSN or in `.pgpass`."""
    from tribal.settings.dsn import entry_target

    return [
        f"{entry.name}: {warning}"
        for entry in settings.entries
        for warning in entry_target(entry, settings.environment).warnings
    ]


def statements() -> list[Statement]:
    """Every statement that any reader would ever send."""
    from tribal.adapters.postgres.queries import STATEMENTS

    return list(STATEMENTS)


def describer() -> Describer:
    """The describer that needs no model."""
    from tribal.describing import RulesDescriber

    return RulesDescriber()


def embedder() -> Embedder:
    """Vectors from the wheel."""
    from tribal.adapters.wordllama.embedder import WordLlamaEmbedder

    return WordLlamaEmbedder()


def index_of(settings: Settings) -> SqliteIndex:
    """The index in one SQLite file."""
    from tribal.adapters.sqlite.index import SqliteIndex

    return SqliteIndex(settings.store / INDEX_FILE)


def local_application(settings: Settings) -> Application:
    """The application on this machine."""
    from tribal.ports import Application, Provider

    return Application(
        clock=clock_of(settings),
        options=Provider(lambda: options_of(settings)),
        store=Provider(lambda: store_of(settings)),
        secrets=Provider(lambda: secrets_of(settings)),
        open_reader=lambda entry: reader_opener(settings)(entry),
        describer=Provider(describer),
        embedder=Provider(embedder),
        index=Provider(lambda: index_of(settings)),
        index_writer=lambda **_: index_of(settings),
        locks=lambda _: process_lock_of(settings),
    )


def options_of(settings: Settings) -> Options:
    """What the settings decide about a run."""
    from tribal.ports import DocumentingOptions, Options, PlanOptions

    return Options(
        databases=settings.entries,
        planning=PlanOptions(settings.config_hash, settings.tables_per_unit, settings.units_at_once),
        documenting=DocumentingOptions(
            tables_at_once=settings.tables_at_once,
            take_samples=settings.take_samples,
            max_age=settings.statistics_max_age,
        ),
        statistics_max_age=settings.statistics_max_age,
        runs_kept=settings.runs_kept,
        worker_processes=settings.worker_processes,
    )
