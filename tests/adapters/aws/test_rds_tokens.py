"""Logins to Amazon RDS with tokens, and clients that work as another role."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest
from moto import mock_aws

from tests.cases import each_case
from tests.plugins.postgres import NO_ENVIRONMENT
from tribal.adapters.aws.clients import aws_client
from tribal.adapters.aws.rds_tokens import token_source
from tribal.errors import ConfigurationError
from tribal.settings.dsn import parse_dsn

HOST = "shop.cluster-abc.eu-central-1.rds.amazonaws.com"
ROLE = "arn:aws:iam::123456789012:role/reads-the-shop"


def test_a_token_is_for_one_user_of_one_server_in_its_own_region(aws_account: None) -> None:
    target = parse_dsn(f"postgresql://reader@{HOST}:5433/shop?sslmode=verify-full", NO_ENVIRONMENT)
    token = urlsplit("//" + token_source(target)().get_secret_value())
    query = parse_qs(token.query)
    assert (token.hostname, token.port) == (HOST, 5433)
    assert (query["Action"], query["DBUser"]) == (["connect"], ["reader"])
    assert query["X-Amz-Expires"] == ["900"]
    assert "/eu-central-1/rds-db/" in query["X-Amz-Credential"][0]


@each_case(
    "mode", ["disable", "prefer", "require", "require&sslrootcert=/ca.pem", "verify-ca", "verify-ca&sslrootcert=system"]
)
def test_a_token_is_never_made_for_a_server_that_need_not_prove_which_one_it_is(aws_account: None, mode: str) -> None:
    target = parse_dsn(f"postgresql://reader@{HOST}/shop?sslmode={mode}", NO_ENVIRONMENT)
    with pytest.raises(ConfigurationError, match="sslmode=verify-full"):
        token_source(target)


def test_a_token_is_made_for_a_server_that_own_authorities_vouch_for(aws_account: None) -> None:
    target = parse_dsn(f"postgresql://reader@{HOST}/shop?sslmode=verify-ca&sslrootcert=/ca.pem", NO_ENVIRONMENT)
    assert token_source(target)().get_secret_value().startswith(HOST)


def test_a_client_may_work_as_another_role(aws_account: None) -> None:
    with mock_aws():
        own = aws_client("sts", region="eu-central-1").get_caller_identity()["Arn"]
        as_role = aws_client("sts", region="eu-central-1", role=ROLE).get_caller_identity()["Arn"]
    assert own != as_role
    assert "assumed-role/reads-the-shop/tribal-knowledge" in as_role
