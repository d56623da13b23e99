"""The deployed system, once for all tests of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest
from opensearchpy import OpenSearch

from tests.capabilities.contribution.writing.issues import PACKAGE
from tests.e2e.account import AwsAccount
from tests.e2e.deployed.contributing import MIGRATIONS
from tests.e2e.deployed_system import (
    DEV,
    LONE,
    MODEL_SECRET,
    READ_SECRET,
    TOKEN_SECRET,
    WRITE_SECRET,
    DeployedSystem,
    assemble,
    make_ready,
    require_deployment,
    stack_of,
)
from tests.e2e.git_server import TOKEN, GitServer
from tests.fakes.claude import FakeClaude
from tests.fakes.github.server import READ_TOKEN, WRITE_TOKEN, FakeGitHub
from tests.fakes.openai import KEY as OPENAI_KEY
from tests.fakes.openai import FakeOpenAI
from tests.plugins.postgres import administer, login, new_database, unique_name
from tribal_demo import COMPANY_SQL
from tribal_demo.server.installation import PostgresVersion
from tribal_demo.server.postgres import EmbeddedServer


@pytest.fixture(scope="package")
def under_construction(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Future[Path]]:
    """The assembly of both environments, and what it deploys, made while servers start."""
    require_deployment()
    with ThreadPoolExecutor(1) as aside:
        yield aside.submit(assemble, tmp_path_factory.mktemp("assembly"), DEV, LONE)


SMALLER = """
DROP SCHEMA people, audit CASCADE;
DROP TABLE crm.country, crm.consent, crm.interaction, sales.price_list, sales.shipment, sales.return_reason,
  sales.return_request, billing.dunning_run, billing.dunning_letter, billing.credit_note, billing.bank_acct CASCADE;
"""
"""Leaves some thirty of the company's tables: each run asks for every table that is left, some of them a model."""


@pytest.fixture(scope="package")
def database(postgres_servers: Callable[[PostgresVersion], EmbeddedServer]) -> Iterator[tuple[str, str]]:
    """A database that nothing has been read of: as its owner sees it, and as a user who may read it does."""
    with new_database(postgres_servers(18), COMPANY_SQL) as dsn:
        user = unique_name("documenter")
        administer(dsn, SMALLER)
        administer(dsn, f"CREATE ROLE {user} LOGIN PASSWORD 'correct horse' IN ROLE pg_read_all_data")
        yield dsn, login(dsn, user, "correct%20horse")
        administer(dsn, f"DROP OWNED BY {user}; DROP ROLE {user}")


@pytest.fixture(scope="package")
def account(
    under_construction: Future[Path],
    tmp_path_factory: pytest.TempPathFactory,
    opensearch: OpenSearch,
    opensearch_address: str,
    certificate: Path,
) -> Iterator[AwsAccount]:
    """One account that both environments are deployed to."""
    opensearch.indices.delete(index="tribal-knowledge-*", params={"allow_no_indices": "true"})
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("AWS_")]:
            patch.delenv(name)
        account = AwsAccount(patch, tmp_path_factory.mktemp("deployed"), opensearch_address, certificate)
        account.deploy(under_construction.result(), *(stack_of(environment) for environment in (DEV, LONE)))
        yield account
        account.close()
    opensearch.indices.delete(index="tribal-knowledge-*", params={"allow_no_indices": "true"})


@pytest.fixture(scope="package")
def git(account: AwsAccount, tmp_path_factory: pytest.TempPathFactory, certificate: Path) -> Iterator[GitServer]:
    """The repository that decisions of the environment `dev` are kept in."""
    server = GitServer(tmp_path_factory.mktemp("git") / "decisions", certificate)
    account.repository = server.address
    account.keep_secret(TOKEN_SECRET, TOKEN)
    yield server
    server.close()


@pytest.fixture(scope="package")
def github(account: AwsAccount) -> Iterator[FakeGitHub]:
    """The repository that contributions of the environment `dev` are published in."""
    fake = FakeGitHub({**MIGRATIONS, **PACKAGE})
    fake.tokens[READ_TOKEN] = {**fake.installed, "issues": "read"}
    account.github = fake
    account.keep_secret(READ_SECRET, READ_TOKEN)
    account.keep_secret(WRITE_SECRET, WRITE_TOKEN)
    yield fake
    fake.stop()


@pytest.fixture(scope="package")
def system(account: AwsAccount, vendor: FakeOpenAI, database: tuple[str, str]) -> DeployedSystem:
    """The environment `dev`, ready, with the models' vendor known before a function first starts."""
    assert account.vendor == vendor.address
    return make_ready(account, DEV, database)


@pytest.fixture(scope="package")
def vendor(account: AwsAccount) -> Iterator[FakeOpenAI]:
    """The vendor of the models that answer in the chat."""
    fake = FakeOpenAI()
    account.vendor = fake.address
    account.keep_secret(MODEL_SECRET, OPENAI_KEY)
    yield fake
    fake.stop()
    assert fake.violations == []


@pytest.fixture(scope="package")
def active_model(account: AwsAccount) -> Iterator[FakeClaude]:
    """The model behind the account's Bedrock."""
    claude = FakeClaude()
    account.answer_bedrock_by(claude)
    yield claude
    claude.stop()
    assert claude.violations == []


@pytest.fixture(scope="package")
def lone_system(account: AwsAccount, active_model: FakeClaude, database: tuple[str, str]) -> DeployedSystem:
    """An environment next to it whose index is a file in its bucket, and which has a model."""
    return make_ready(account, LONE, database)
