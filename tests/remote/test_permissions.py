"""Anyone who is allowed what the documentation says may look into an environment; others are shown what is missing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from moto import settings

from tests import ROOT
from tests.plugins.postgres import new_database
from tests.remote.environments import Deployed, deployed
from tests.remote.test_running import SHOP, configure, slow_machine
from tribal_demo.server.postgres import EmbeddedServer

pytestmark = pytest.mark.xdist_group("permissions")

OPERATING = ROOT / "docs" / "operating.md"


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory, postgres_server: EmbeddedServer) -> Iterator[Deployed]:
    """An environment in which a run has ended."""
    with (
        pytest.MonkeyPatch.context() as patch,
        deployed(tmp_path_factory.mktemp("deployed"), patch) as made,
        new_database(postgres_server, SHOP) as dsn,
    ):
        configure(made, dsn)
        assert made.ask("run", "--follow").returncode == 0
        yield made


def documented_actions(row: str) -> list[str]:
    """What a row of the table of permissions allows."""
    line = next(line for line in OPERATING.read_text(encoding="utf-8").splitlines() if line.startswith(f"| {row}"))
    return re.findall(r"`([a-z0-9-]+:[A-Za-z]+)`", line)


def someone(environment: Deployed, *actions: str) -> dict[str, str]:
    """The credentials of a user who may do these things and no others."""
    iam = environment.client("iam")
    name = f"user{len(iam.list_users()['Users'])}"
    iam.create_user(UserName=name)
    policy = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": actions, "Resource": "*"}]}
    iam.put_user_policy(UserName=name, PolicyName="may", PolicyDocument=json.dumps(policy))
    key = iam.create_access_key(UserName=name)["AccessKey"]
    return {"AWS_ACCESS_KEY_ID": key["AccessKeyId"], "AWS_SECRET_ACCESS_KEY": key["SecretAccessKey"]}


def test_what_the_documentation_says_is_enough_and_what_is_missing_is_named(
    environment: Deployed, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow_machine(environment)
    looking = [*documented_actions("every command"), *documented_actions("`status`, `tail`")]
    starting = documented_actions("`run`")
    assert looking == ["cloudformation:DescribeStacks", "s3:GetObject", "s3:ListBucket"]
    nobody = someone(environment, "s3:ListAllMyBuckets")
    guest, reader = someone(environment, looking[0]), someone(environment, *looking)
    starter = someone(environment, looking[0], *starting)
    monkeypatch.setattr(settings, "INITIAL_NO_AUTH_ACTION_COUNT", 0)
    for who, command, code, said in (
        (nobody, "status", 8, "cloudformation:DescribeStacks"),
        (guest, "status", 5, "s3:GetObject"),
        (guest, "run", 8, "states:StartExecution"),
        (reader, "status", 0, ""),
        (reader, "tail", 0, ""),
        (reader, "todo", 0, ""),
        (reader, "queries", 0, ""),
        (reader, "run", 8, "states:StartExecution"),
        (starter, "run", 0, ""),
    ):
        ran = environment.ask(command, **who)
        assert (ran.returncode, said in ran.stderr) == (code, True), f"{command}: {ran.stdout}{ran.stderr}"


def test_credentials_that_no_one_knows_are_distinguished_from_missing_permissions(
    environment: Deployed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "INITIAL_NO_AUTH_ACTION_COUNT", 0)
    ran = environment.ask("status", AWS_ACCESS_KEY_ID="AKIANOBODY", AWS_SECRET_ACCESS_KEY="wrong")
    assert (ran.returncode, "aws sso login" in ran.stderr) == (8, True), ran.stderr
