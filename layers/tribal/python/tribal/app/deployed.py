"""Chooses who answers each port in a deployed function, as `wiring` does on one machine."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from tribal.app.local import opener_with, store_in_bucket
from tribal.errors import ConfigurationError, ObjectNotFound
from tribal.settings import settings_in_bucket
from tribal.settings.deployment import PROJECT_KEY

if TYPE_CHECKING:
    from tribal.adapters.aws.s3 import S3ObjectStore
    from tribal.ports import Application, ObjectStore, SearchIndex, Secrets
    from tribal.runs.workers.units import OpenReader
    from tribal.settings import Settings
    from tribal.settings.deployment import Deployment


def deployed_store(deployment: Deployment) -> S3ObjectStore:
    """The bucket that holds the truth."""
    return store_in_bucket(deployment.bucket, deployment.region)


def deployed_settings(deployment: Deployment, store: ObjectStore) -> Settings:
    """The `databases.yaml` of the bucket, as it is now.

    Raises:
        ConfigurationError: when it is missing or cannot be used.
    """
    try:
        data = store.get(PROJECT_KEY).data
    except ObjectNotFound as error:
        raise ConfigurationError(
            f"there is no {PROJECT_KEY} in {store.location}; upload it: aws s3 cp databases.yaml "
            f"{store.location}{PROJECT_KEY}",
            code="PLAN_CONFIG_NOT_FOUND",
        ) from error
    return settings_in_bucket(deployment.bucket, data, deployment.environment)


def deployed_secrets(deployment: Deployment) -> Secrets:
    """Secrets Manager, in the account of the databases."""
    from tribal.adapters.aws.clients import aws_client
    from tribal.adapters.aws.secrets_manager import SecretsManagerSecrets

    role = deployment.network_role
    return SecretsManagerSecrets(aws_client("secretsmanager", region=deployment.region, role=role))


def deployed_reader(deployment: Deployment) -> OpenReader:
    """What opens readers with passwords from Secrets Manager."""
    mend = "make it in Secrets Manager, in the region of the functions"
    return opener_with(deployed_secrets(deployment), deployment.environment, mend, role=deployment.network_role)


def deployed_index(deployment: Deployment, store: ObjectStore | None = None, *, in_place: bool = False) -> SearchIndex:
    """The index of the environment; `in_place` for writers side by side.

    A store that is at hand is used; a cluster needs none, and who only asks it is spared the client.

    Raises:
        ConfigurationError: when the stack named no cluster.
    """
    if deployment.index == "sqlite":
        from tribal.adapters.sqlite.published import PublishedSqliteIndex

        return PublishedSqliteIndex(store or deployed_store(deployment), Path(tempfile.gettempdir()) / "tribal-index")
    from tribal.adapters.aws.clients import aws_client
    from tribal.adapters.opensearch.client import opensearch_client
    from tribal.adapters.opensearch.index import OpenSearchIndex

    cluster = deployment.cluster
    if cluster is None:
        raise ConfigurationError("TRIBAL_SEARCH_ENDPOINT is not set; the stack sets it, so deploy it anew")
    if cluster.secret is None:
        client = opensearch_client(cluster.endpoint, region=cluster.region, certificates=cluster.ca_bundle)
    else:
        from tribal.adapters.aws.secrets_manager import SecretsManagerSecrets

        secrets = SecretsManagerSecrets(aws_client("secretsmanager", region=cluster.region))
        user, password = secrets.get(f"{cluster.secret}#username"), secrets.get(f"{cluster.secret}#password")
        if user is None or password is None:
            raise ConfigurationError(f"the secret {cluster.secret!r} has no username and password; write both into it")
        client = opensearch_client(
            cluster.endpoint, user=user.get_secret_value(), password=password, certificates=cluster.ca_bundle
        )
    return OpenSearchIndex(client, in_place=in_place)


def deployed_application(deployment: Deployment) -> Application:
    """The application in a deployed function; what nobody asks for is neither made nor imported."""
    from tribal.app.local import describer, embedder, options_of
    from tribal.ports import Application, Provider
    from tribal.runs.clock import SystemClock

    store: Provider[ObjectStore] = Provider(lambda: deployed_store(deployment))

    return Application(
        clock=SystemClock(),
        options=Provider(lambda: options_of(deployed_settings(deployment, store()))),
        store=store,
        secrets=Provider(lambda: deployed_secrets(deployment)),
        open_reader=lambda entry: deployed_reader(deployment)(entry),
        describer=Provider(describer),
        embedder=Provider(embedder),
        index=Provider(lambda: deployed_index(deployment)),
        index_writer=lambda **options: deployed_index(deployment, **options),
        locks=lambda _: None,
    )
