"""The scenario of one machine, played in a simulated AWS: the same answers."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from opensearchpy import OpenSearch

from tests.e2e.account import AwsAccount
from tests.e2e.deployed_system import assemble, make_ready, require_deployment, stack_of
from tests.e2e.git_server import TOKEN, GitServer
from tests.e2e.scenario.in_aws import DATABASE, FOLDER, GIT_SECRET, InAws, environment
from tests.fakes.github.server import READ_TOKEN, FakeGitHub
from tests.fakes.openai import FakeOpenAI
from tests.fakes.published_issuer import PublishedIssuer
from tests.plugins.postgres import administer, login, unique_name
from tests.scenario.company import MIGRATIONS, QUERIES, migrations_in_order
from tests.scenario.minds import mind
from tests.scenario.settings import KEY, SECRETS
from tests.scenario.steps import ANSWERS, play
from tribal_demo.server.installation import PostgresVersion
from tribal_demo.server.postgres import EmbeddedServer

pytestmark = [pytest.mark.verify, pytest.mark.xdist_group("e2e")]


@pytest.fixture(name="place", scope="module")
def place_fixture(
    tmp_path_factory: pytest.TempPathFactory,
    certificate: Path,
    opensearch: OpenSearch,
    opensearch_address: str,
    postgres_servers: Callable[[PostgresVersion], EmbeddedServer],
) -> Iterator[InAws]:
    require_deployment()
    folder, postgres = tmp_path_factory.mktemp("tour"), postgres_servers(18)
    issuer = PublishedIssuer(certificate)
    vendor, github = FakeOpenAI(mind=mind, keys={KEY}), FakeGitHub(MIGRATIONS)
    github.tokens[READ_TOKEN] = dict.fromkeys(github.installed, "read")
    git = GitServer(folder / "decisions", certificate)
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("AWS_")]:
            patch.delenv(name)
        made = environment(vendor, github, git, issuer)
        assembly = assemble(folder, made)
        account = AwsAccount(patch, folder / "account", opensearch_address, certificate)
        account.vendor, account.github = vendor.address, github
        account.repository = git.address
        account.deploy(assembly, stack_of(made))
        for name, value in SECRETS.items():
            account.keep_secret(FOLDER + name, value)
        account.keep_secret(GIT_SECRET, TOKEN)
        user = unique_name("documenter")
        administer(postgres.dsn(), f"CREATE ROLE {user} LOGIN PASSWORD 'correct horse' IN ROLE pg_read_all_data")
        dsn = postgres.dsn(DATABASE)
        system = make_ready(account, made, (dsn, login(dsn, user, "correct%20horse")))
        laptop = folder / "laptop"
        laptop.mkdir()
        place = InAws(system, laptop, postgres, vendor, github, git, issuer, opensearch)
        place.migrate(migrations_in_order(MIGRATIONS), afresh=True)
        for key, data in QUERIES.items():
            place.put(key, data)
        yield place
        account.close()
    for each in (vendor, github):
        each.stop()
    git.close()
    issuer.close()
    administer(postgres.dsn(), f"DROP DATABASE IF EXISTS {DATABASE} WITH (FORCE)")
    administer(postgres.dsn(), f"DROP ROLE {user}")


def test_it_answers_as_on_one_machine(place: InAws) -> None:
    assert play(place) == json.loads(ANSWERS.read_text(encoding="utf-8"))
