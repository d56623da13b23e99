"""Parts that several applications share. Each adapter is imported inside the function that needs it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tribal.errors import ConfigurationError, DatabaseUnreachable, SecretsUnavailable, missing_package
from tribal.ports import Provider
from tribal.settings.snowflake.target import SnowflakeTarget

if TYPE_CHECKING:
    from opensearchpy import OpenSearch
    from pydantic import SecretStr

    from tribal.adapters.aws.s3 import S3ObjectStore
    from tribal.adapters.postgres.connections.server import PostgresServers
    from tribal.app.project_text import ProjectText
    from tribal.ports import CatalogReader, Clock, Describers, Embedder, MessageQueue, ObjectStore, Secrets, Spending
    from tribal.settings import BucketPlace, Settings
    from tribal.settings.deployment import Deployment
    from tribal.settings.postgres_target import PostgresTarget
    from tribal_contracts import Contract, DatabaseEntry


def system_clock(source_date_epoch: int | None = None) -> Clock:
    """The system clock; with an epoch, published times are fixed at it."""
    from tribal.jobs.clock import SystemClock

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
    return ConfigurationError(missing_package(error.name, purpose, "aws"))


def model_missing(error: ModuleNotFoundError, *, bedrock: bool = False) -> ConfigurationError:
    """The error for a missing package of a model."""
    said = missing_package(error.name, "the model", "aws,model" if bedrock else "model")
    return ConfigurationError(f"{said}, or remove `model` from databases.yaml")


@dataclass(frozen=True, slots=True)
class Databases:
    """Opens readers of databases; those on one server share its connections."""

    secrets: Provider[Secrets]
    """Used only for entries with a secret."""
    target_of: Callable[[DatabaseEntry], PostgresTarget | SnowflakeTarget]
    hint: str
    """Tells the user what to do when a secret is missing."""
    servers: Provider[PostgresServers]
    take_samples: bool = True
    """Whether rows may be read at all."""
    role: str | None = None
    """AWS role to assume for IAM logins."""

    def open_reader(self, entry: DatabaseEntry) -> CatalogReader:
        """Open a reader, which connects on first use; a secret is fetched again when the login is refused."""
        target = self.target_of(entry)
        if isinstance(target, SnowflakeTarget):
            return self._snowflake(target, entry)
        from tribal.adapters.postgres.catalog import PostgresCatalog

        renew: Callable[[], SecretStr | None] | None = None
        server = self.servers().of(target, entry.limits.connections)
        if entry.auth == "rds_iam":
            try:
                from tribal.adapters.aws.rds_tokens import token_source
            except ModuleNotFoundError as error:
                raise aws_missing(error, "a login by IAM") from error
            renew = token_source(target, role=self.role)
            target = replace(target, password=renew())
        elif (name := entry.password_secret) is not None:
            target = replace(target, password=self._named(name, entry))
            renew = partial(_secret, lambda: self.secrets().refresh(name))
        return PostgresCatalog(target, entry.limits, server=server, renew_password=renew)

    def server_of(self, entry: DatabaseEntry) -> str:
        """Host and port of an entry's server, or its socket."""
        target = self.target_of(entry)
        if isinstance(target, SnowflakeTarget):
            return target.place
        from tribal.adapters.postgres.connections.server import server_name

        return server_name(target)

    def retry_servers(self) -> None:
        """Forget which servers had no free connection."""
        if self.servers.made:
            self.servers().ask_again()

    def _snowflake(self, target: SnowflakeTarget, entry: DatabaseEntry) -> CatalogReader:
        renew: Callable[[], SecretStr | None] | None = None
        if (name := target.secret_name) is not None:
            target = replace(target, secret=self._named(name, entry))
            renew = partial(_secret, lambda: self.secrets().refresh(name))
        elif target.key_file is not None:
            target = replace(target, secret=_key_in(target.key_file))
        if target.passphrase_name is not None:
            target = replace(target, passphrase=self._named(target.passphrase_name, entry))
        try:
            from tribal.adapters.snowflake.catalog import SnowflakeCatalog
        except ModuleNotFoundError as error:
            raise ConfigurationError(missing_package(error.name, "reading Snowflake", "snowflake")) from error
        may_sample = self.take_samples and entry.sample_rows > 0
        return SnowflakeCatalog(target, entry.limits, may_sample=may_sample, renew_secret=renew)

    def _named(self, name: str, entry: DatabaseEntry) -> SecretStr:
        secret = _secret(lambda: self.secrets().get(name))
        if secret is None:
            raise ConfigurationError(f"the secret {name!r} of database {entry.name!r} is missing; {self.hint}")
        return secret


def postgres_servers(share: Callable[[int], int]) -> PostgresServers:
    """The servers that a process connects to; `share` computes its share of a connection limit."""
    from tribal.adapters.postgres.connections.server import PostgresServers

    return PostgresServers(share)


def _key_in(file: Path) -> SecretStr:
    from pydantic import SecretStr

    try:
        return SecretStr(file.read_text(encoding="ascii"))
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not PEM"
        raise ConfigurationError(f"private_key_file {file} cannot be read: {reason}") from error


def _secret(read: Callable[[], SecretStr | None]) -> SecretStr | None:
    """A database's secret; if the secret store does not respond, the database counts as unreachable."""
    try:
        return read()
    except SecretsUnavailable as error:
        raise DatabaseUnreachable(error.message) from error


def rules_describers() -> Describers:
    """Describers by rules, without a model."""
    from tribal.describing import RulesDescribers

    return RulesDescribers()


def spending(store: Provider[ObjectStore], clock: Clock) -> Spending:
    """Spending on models today and in the last run that used one."""
    from tribal.models import read_spending

    return read_spending(store(), clock)


def wheel_embedder() -> Embedder:
    """The embedder whose weights come with the `wordllama` wheel."""
    from tribal.adapters.wordllama.embedder import WordLlamaEmbedder

    return WordLlamaEmbedder()


def queue_of(deployment: Deployment) -> MessageQueue:
    """The queue that a deployed function sends to."""
    from tribal.adapters.aws.clients import aws_client
    from tribal.adapters.aws.queue import SqsQueue

    if deployment.queue_url is None:
        raise ConfigurationError("TRIBAL_QUEUE_URL is not set; the stack sets it, so deploy again")
    return SqsQueue(aws_client("sqs", region=deployment.region), deployment.queue_url)


def start_job(deployment: Deployment, name: str, task: Contract) -> None:
    """Have the state machine of a deployed function run a job; one that was started by that name is not run again.

    Raises:
        ConfigurationError: when the function has no state machine.
        DeploymentRefused, DeploymentUnreachable: when it cannot be started.
    """
    from tribal.adapters.aws.clients import aws_client
    from tribal.adapters.aws.state_machine import StateMachine

    if deployment.state_machine is None:
        raise ConfigurationError("TRIBAL_STATE_MACHINE is not set; the stack sets it, so deploy again")
    machine = StateMachine(aws_client("stepfunctions", region=deployment.region), deployment.state_machine)
    machine.start_once(name, task.to_compact_json())


def cluster_client(deployment: Deployment, *, reading: bool = False) -> OpenSearch:
    """A client of the search domain; one for `reading` gives up early."""
    from tribal.adapters.opensearch.client import opensearch_client

    cluster, build = deployment.cluster, partial(opensearch_client, reading=reading)
    if cluster is None:
        raise ConfigurationError("TRIBAL_SEARCH_ENDPOINT is not set; the stack sets it, so deploy again")
    if cluster.secret is None:
        return build(cluster.endpoint, region=cluster.region, certificates=cluster.ca_bundle)
    secrets = secrets_manager(cluster.region)
    user, password = secrets.get(f"{cluster.secret}#username"), secrets.get(f"{cluster.secret}#password")
    if user is None or password is None:
        raise ConfigurationError(f"the secret {cluster.secret!r} has no username and password; add both")
    return build(cluster.endpoint, user=user.get_secret_value(), password=password, certificates=cluster.ca_bundle)


def text_in_folder(settings: Settings) -> ProjectText:
    """The `databases.yaml` of a project."""
    from tribal.app.project_text import ProjectText
    from tribal.settings import PROJECT_FILE
    from tribal.settings.yaml_reader import read_small_file

    file = settings.project / PROJECT_FILE
    return ProjectText(str(file), read_small_file(file))


def text_in_bucket(store: ObjectStore) -> ProjectText:
    """The `databases.yaml` of a bucket."""
    from tribal.app.project_text import ProjectText
    from tribal.settings.deployment import PROJECT_KEY

    return ProjectText(f"{store.location}{PROJECT_KEY}", store.get(PROJECT_KEY).data)
