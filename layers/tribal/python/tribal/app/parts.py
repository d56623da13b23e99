"""Parts that several builders make in the same way. Every adapter is imported inside the function that needs it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from tribal.errors import ConfigurationError, DatabaseUnreachable, SecretsUnavailable

if TYPE_CHECKING:
    from pydantic import SecretStr

    from tribal.adapters.aws.s3 import S3ObjectStore
    from tribal.ports import CatalogReader, Clock, Describer, Embedder, Provider, Secrets
    from tribal.ports.application import OpenReader
    from tribal.settings import BucketPlace
    from tribal.settings.postgres_target import PostgresTarget
    from tribal_contracts import DatabaseEntry


def system_clock(source_date_epoch: int | None = None) -> Clock:
    """The system's clock; what is published stands still at an epoch."""
    from tribal.runs.clock import SystemClock

    return SystemClock(source_date_epoch)


def store_in_bucket(place: BucketPlace, region: str | None = None, *, profile: str | None = None) -> S3ObjectStore:
    """The store in a bucket; the AWS identity at hand, or that of a profile, must be allowed to use it."""
    from tribal.adapters.aws.clients import aws_client
    from tribal.adapters.aws.s3 import S3ObjectStore

    return S3ObjectStore(aws_client("s3", region=region, profile=profile), place.bucket, place.prefix)


def secrets_manager(region: str | None, role: str | None = None) -> Secrets:
    """Secrets Manager, reached as the identity at hand or in a role."""
    from tribal.adapters.aws.clients import aws_client
    from tribal.adapters.aws.secrets_manager import SecretsManagerSecrets

    return SecretsManagerSecrets(aws_client("secretsmanager", region=region, role=role))


def aws_missing(error: ModuleNotFoundError, purpose: str) -> ConfigurationError:
    """What to say when a package for AWS is not installed."""
    return ConfigurationError(
        f"{error.name} is not installed, which {purpose} needs: pip install 'tribal-knowledge[aws]'"
    )


def reader_opener(
    secrets: Provider[Secrets],
    target_of: Callable[[DatabaseEntry], PostgresTarget],
    hint: str,
    *,
    role: str | None = None,
) -> OpenReader:
    """What opens a reader of an entry's database; it connects when it is first asked something.

    A named secret is read again when the server refuses the login with it.

    Args:
        secrets: asked only for entries that name one.
        target_of: where the database of an entry is, and how it is entered.
        hint: says what to do where a secret is missing.
        role: logs in by IAM.
    """

    def open_reader(entry: DatabaseEntry) -> CatalogReader:
        from tribal.adapters.postgres.catalog import PostgresCatalog

        target = target_of(entry)
        if entry.auth == "rds_iam":
            from tribal.adapters.aws.rds_tokens import token_source

            renew = token_source(target, role=role)
            return PostgresCatalog(replace(target, password=renew()), entry.limits, renew_password=renew)
        name = entry.password_secret
        if name is None:
            return PostgresCatalog(target, entry.limits)
        password = _password(lambda: secrets().get(name))
        if password is None:
            raise ConfigurationError(f"the secret {name!r} of database {entry.name!r} is not there; {hint}")
        target = replace(target, password=password)
        return PostgresCatalog(target, entry.limits, renew_password=lambda: _password(lambda: secrets().refresh(name)))

    return open_reader


def _password(read: Callable[[], SecretStr | None]) -> SecretStr | None:
    """A database's password; without an answer from whoever keeps it, the database cannot be reached."""
    try:
        return read()
    except SecretsUnavailable as error:
        raise DatabaseUnreachable(error.message) from error


def rules_describer() -> Describer:
    """The describer that needs no model."""
    from tribal.describing import RulesDescriber

    return RulesDescriber()


def wheel_embedder() -> Embedder:
    """Vectors from the wheel."""
    from tribal.adapters.wordllama.embedder import WordLlamaEmbedder

    return WordLlamaEmbedder()
