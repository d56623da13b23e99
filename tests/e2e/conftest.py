"""The deployed system, once for all tests of it."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from opensearchpy import OpenSearch

from demo.installation import PostgresVersion
from demo.postgres import EmbeddedServer
from infra.function_packages import Packages
from infra.packaging import build
from tests.e2e.account import CDK
from tests.e2e.deployed_system import DeployedSystem, open_system
from tests.e2e.lambda_processes import runs_here
from tests.postgres_fixtures import COMPANY_SQL, administer, login, new_database, unique_name
from tests.skips import skip_or_fail


@pytest.fixture(scope="session")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Packages:
    """What is deployed, built for the interpreter at hand from what is installed beside it."""
    built = Packages(tmp_path_factory.mktemp("packages"), f"{sys.version_info.major}.{sys.version_info.minor}")
    build(built, installed=True)
    return built


@pytest.fixture(scope="module")
def system(
    tmp_path_factory: pytest.TempPathFactory,
    postgres_servers: Callable[[PostgresVersion], EmbeddedServer],
    opensearch: OpenSearch,
    opensearch_address: str,
    certificate: Path,
    packages: Packages,
) -> Iterator[DeployedSystem]:
    """The deployed environment, with a database that nothing has been read of."""
    if shutil.which("node") is None or not CDK.exists():
        skip_or_fail("the AWS CDK's command line is not there; install Node.js, then `make test` brings it")
    if not runs_here():
        skip_or_fail("the runtime client of AWS Lambda runs on Linux alone")
    opensearch.indices.delete(index="tribal-knowledge-*", params={"allow_no_indices": "true"})
    with pytest.MonkeyPatch.context() as patch, new_database(postgres_servers(18), COMPANY_SQL) as dsn:
        for name in [name for name in os.environ if name.startswith("AWS_")]:
            patch.delenv(name)
        user = unique_name("documenter")
        administer(dsn, f"CREATE ROLE {user} LOGIN PASSWORD 'correct horse' IN ROLE pg_read_all_data")
        folder = tmp_path_factory.mktemp("deployed")
        dsns = (dsn, login(dsn, user, "correct%20horse"))
        yield from open_system(patch, folder, opensearch_address, certificate, packages, dsns)
        administer(dsn, f"DROP OWNED BY {user}; DROP ROLE {user}")
    opensearch.indices.delete(index="tribal-knowledge-*", params={"allow_no_indices": "true"})
