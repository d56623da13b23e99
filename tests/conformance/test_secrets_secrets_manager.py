"""Secrets Manager, held to what holds of every `Secrets`, on moto by way of the real client."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from moto import mock_aws

from tests.conformance.secrets import *  # noqa: F403
from tests.conformance.secrets import KNOWN, VALUE
from tribal.adapters.aws.clients import aws_client
from tribal.adapters.aws.secrets_manager import SecretsManagerSecrets
from tribal.errors import ConfigurationError, SecretsUnavailable


@pytest.fixture
def client(aws_account: None) -> Iterator[Any]:
    with mock_aws():
        manager = aws_client("secretsmanager", region="eu-central-1")
        manager.create_secret(Name=KNOWN, SecretString=VALUE)
        yield manager


@pytest.fixture
def secrets(client: Any) -> SecretsManagerSecrets:
    return SecretsManagerSecrets(client)


@pytest.fixture
def rotate(client: Any) -> Callable[[str], None]:
    def put(value: str) -> None:
        client.put_secret_value(SecretId=KNOWN, SecretString=value)

    return put


def _value(secrets: SecretsManagerSecrets, name: str) -> str | None:
    secret = secrets.get(name)
    return None if secret is None else secret.get_secret_value()


def test_one_value_of_a_json_secret_is_named_after_a_hash(client: Any, secrets: SecretsManagerSecrets) -> None:
    fields = {"username": "reader", "password": "p#1", "reporting": "p2", "pin": 1234}
    arn = client.create_secret(Name="prod/shop", SecretString=json.dumps(fields))["ARN"]
    assert _value(secrets, "prod/shop") == "p#1"
    assert _value(secrets, "prod/shop#reporting") == "p2"
    assert _value(secrets, "prod/shop#pin") == "1234"
    assert _value(secrets, f"{arn}#username") == "reader"
    with pytest.raises(ConfigurationError, match="without a text 'missing'") as caught:
        secrets.get("prod/shop#missing")
    assert "p2" not in caught.value.message


def test_a_plain_secret_has_no_fields_and_may_look_like_a_number(client: Any, secrets: SecretsManagerSecrets) -> None:
    client.create_secret(Name="pin", SecretString="0042")
    assert _value(secrets, "pin") == "0042"
    with pytest.raises(ConfigurationError, match="not a JSON object"):
        secrets.get("pin#password")


def test_a_binary_secret_is_text_or_refused(client: Any, secrets: SecretsManagerSecrets) -> None:
    client.create_secret(Name="text", SecretBinary="pässword".encode())
    client.create_secret(Name="bytes", SecretBinary=b"\xff\xfe")
    assert _value(secrets, "text") == "pässword"
    with pytest.raises(ConfigurationError, match="not UTF-8"):
        secrets.get("bytes")


def test_a_secret_is_fetched_once_until_it_is_refreshed(client: Any, rotate: Callable[[str], None]) -> None:
    secrets = SecretsManagerSecrets(client)
    assert _value(secrets, KNOWN) == VALUE
    rotate("second-value")
    assert _value(secrets, KNOWN) == VALUE
    renewed = secrets.refresh(KNOWN)
    assert renewed is not None
    assert renewed.get_secret_value() == "second-value"


def test_a_refresh_of_one_field_renews_the_others(client: Any, secrets: SecretsManagerSecrets) -> None:
    client.create_secret(Name="pair", SecretString='{"one": "1", "two": "2"}')
    assert (_value(secrets, "pair#one"), _value(secrets, "pair#two")) == ("1", "2")
    client.put_secret_value(SecretId="pair", SecretString='{"one": "I", "two": "II"}')
    secrets.refresh("pair#one")
    assert (_value(secrets, "pair#one"), _value(secrets, "pair#two")) == ("I", "II")


def test_a_secret_that_is_about_to_be_deleted_says_so(client: Any, secrets: SecretsManagerSecrets) -> None:
    client.delete_secret(SecretId=KNOWN)
    with pytest.raises(ConfigurationError, match="about to be deleted"):
        secrets.get(KNOWN)


def test_a_service_that_does_not_answer_is_retryable(aws_account: None) -> None:
    client = aws_client("secretsmanager", region="eu-central-1", endpoint="http://127.0.0.1:9", attempts=1)
    with pytest.raises(SecretsUnavailable) as caught:
        SecretsManagerSecrets(client).get("a")
    assert caught.value.retryable
