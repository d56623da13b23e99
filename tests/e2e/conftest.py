"""The deployed system, once for all tests of it."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from opensearchpy import OpenSearch

from infra.environment import Environment
from infra.function_packages import Packages
from infra.packaging import build
from servers.installation import PostgresVersion
from servers.postgres import EmbeddedServer
from tests.e2e.account import CDK, AwsAccount
from tests.e2e.deployed_system import DEV, LONE, DeployedSystem, deploy_system, synthesise
from tests.e2e.lambda_processes import runs_here
from tests.plugins.postgres import COMPANY_SQL, administer, login, new_database, unique_name
from tests.plugins.skips import skip_or_fail


@pytest.fixture(scope="session")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Packages:
    """What is deployed, built for the interpreter at hand from what is installed beside it."""
    built = Packages(tmp_path_factory.mktemp("packages"), f"{sys.version_info.major}.{sys.version_info.minor}")
    build(built, installed=True)
    return built


@pytest.fixture(scope="module")
def database(postgres_servers: Callable[[PostgresVersion], EmbeddedServer]) -> Iterator[tuple[str, str]]:
    """A database that nothing has been read of: as its owner sees it, and as a user who may read it does."""
    with new_database(postgres_servers(18), COMPANY_SQL) as dsn:
        user = unique_name("documenter")
        administer(dsn, f"CREATE ROLE {user} LOGIN PASSWORD 'correct horse' IN ROLE pg_read_all_data")
        yield dsn, login(dsn, user, "correct%20horse")
        administer(dsn, f"DROP OWNED BY {user}; DROP ROLE {user}")


@pytest.fixture(scope="module")
def deploy(
    tmp_path_factory: pytest.TempPathFactory,
    opensearch: OpenSearch,
    opensearch_address: str,
    certificate: Path,
    packages: Packages,
) -> Iterator[Callable[[Environment, tuple[str, str]], DeployedSystem]]:
    """Deploys environments into one account."""
    if shutil.which("node") is None or not CDK.exists():
        skip_or_fail("the AWS CDK's command line is not there; install Node.js, then `make test` brings it")
    if not runs_here():
        skip_or_fail("the runtime client of AWS Lambda runs on Linux alone")
    folder = tmp_path_factory.mktemp("deployed")
    assembly = synthesise(packages, folder / "cdk.out")
    opensearch.indices.delete(index="tribal-knowledge-*", params={"allow_no_indices": "true"})
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("AWS_")]:
            patch.delenv(name)
        account = AwsAccount(patch, folder, opensearch_address, certificate)
        yield lambda environment, dsns: deploy_system(account, environment, assembly, dsns)
        account.close()
    opensearch.indices.delete(index="tribal-knowledge-*", params={"allow_no_indices": "true"})


@pytest.fixture(scope="module")
def system(
    deploy: Callable[[Environment, tuple[str, str]], DeployedSystem], database: tuple[str, str]
) -> DeployedSystem:
    """The environment `dev`, deployed."""
    return deploy(DEV, database)


@pytest.fixture(scope="module")
def lone_system(
    deploy: Callable[[Environment, tuple[str, str]], DeployedSystem], database: tuple[str, str]
) -> DeployedSystem:
    """An environment beside it whose index is a file in its bucket."""
    return deploy(LONE, database)
