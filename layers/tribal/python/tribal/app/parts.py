"""Parts that several builders share. Each adapter is imported inside the function that needs it."""

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
    """The system clock; with an epoch, published times are fixed at it."""
    from tribal.runs.clock import SystemClock

    return SystemClock(source_date_epoch)


def store_in_bucket(place: BucketPlace, region: str | None = None, *, profile: str | None = None) -> S3ObjectStore:
    """The store in a bucket, accessed with the current AWS identity or that of a profile."""
    from tribal.adapters.aws.clients import aws_client
    from tribal.adapters.aws.s3 import S3ObjectStore

    return S3ObjectStore(aws_client("s3", region=region, profile=profile), place.bucket, place.prefix)


def secrets_manager(region: str | None, role: str | None = None) -> Secrets:
    """Secrets Manager, accessed with the current AWS identity or a role."""
    from tribal.adapters.aws.clients import aws_client
    from tribal.adapters.aws.secrets_manager import SecretsManagerSecrets

    return SecretsManagerSecrets(aws_client("secretsmanager", region=region, role=role))


def aws_missing(error: ModuleNotFoundError, purpose: str) -> ConfigurationError:
    """The error for a missing AWS package."""
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
    """Build the function that opens a reader for an entry's database; the reader connects on first use.

    When the server refuses a login, a named secret is fetched again.

    Args:
        secrets: used only for entries that name a secret.
        target_of: gives the connection target of an entry.
        hint: tells the user what to do when a secret is missing.
        role: AWS role to assume for IAM logins.
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
    """A database's password; if the secret store does not answer, the database counts as unreachable."""
    try:
        return read()
    except SecretsUnavailable as error:
        raise DatabaseUnreachable(error.message) from error


def rules_describer() -> Describer:
    """The rule-based describer, which needs no model."""
    from tribal.describing import RulesDescriber

    return RulesDescriber()


def wheel_embedder() -> Embedder:
    """The embedder whose weights come with the `wordllama` wheel."""
    from tribal.adapters.wordllama.embedder import WordLlamaEmbedder

    return WordLlamaEmbedder()
