"""Secrets from AWS Secrets Manager: plain text, or one value of a JSON object."""

from __future__ import annotations

import json
import re
import threading
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError
from pydantic import SecretStr

from tribal.adapters.aws.clients import ACCESS_DENIED, error_code
from tribal.errors import ConfigurationError, SecretsUnavailable

_NAME = re.compile(r"(?P<secret>[A-Za-z0-9/_+=.@:-]{1,2048})(?:#(?P<key>[^\n]{1,256}))?\Z")
_PASSWORD = "password"  # noqa: S105 - the name of a field
_REFUSALS = frozenset({"DecryptionFailure", "InvalidRequestException", "InvalidParameterException", "KMSAccessDenied"})


class SecretsManagerSecrets:
    """The `Secrets` of an AWS account, cached until `refresh`; thread-safe.

    A name is that of a secret or its ARN. `name#key` selects one value of a secret that is a JSON object; without a
    key, such a secret yields its `password`, which is the format of secrets managed by RDS.

    Args:
        client: a boto3 client for Secrets Manager.
    """

    def __init__(self, client: Any) -> None:
        self._client = client
        self._read: dict[str, SecretStr] = {}
        self._lock = threading.Lock()

    def get(self, name: str) -> SecretStr | None:
        """The secret of that name; `None` if it does not exist.

        Raises:
            ConfigurationError: when access is denied, or the secret does not have the form that its name implies.
            SecretsUnavailable: when Secrets Manager did not answer. Retryable.
        """
        parts = _NAME.match(name)
        if parts is None:
            return None
        text = self._text(parts["secret"])
        return None if text is None else _value(text.get_secret_value(), parts["secret"], parts["key"])

    def refresh(self, name: str) -> SecretStr | None:
        """The same, bypassing the cache."""
        with self._lock:
            self._read.pop(name.partition("#")[0], None)
        return self.get(name)

    def _text(self, secret: str) -> SecretStr | None:
        with self._lock:
            known = self._read.get(secret)
        if known is not None:
            return known
        read = self._fetch(secret)
        if read is not None:
            with self._lock:
                self._read[secret] = read
        return read

    def _fetch(self, secret: str) -> SecretStr | None:
        try:
            response = self._client.get_secret_value(SecretId=secret)
        except ClientError as exc:
            code = error_code(exc)
            if code in ("ResourceNotFoundException", "ValidationException"):
                return None
            if code in ACCESS_DENIED:
                raise ConfigurationError(
                    f"access to the secret {secret!r} is denied; allow secretsmanager:GetSecretValue on it, and "
                    "kms:Decrypt on its key, to the role in use"
                ) from exc
            if code in _REFUSALS:
                raise ConfigurationError(
                    f"the secret {secret!r} cannot be used ({code}): it is about to be deleted, or its key cannot "
                    "decrypt it"
                ) from exc
            raise SecretsUnavailable(f"Secrets Manager returned {code} for {secret!r}; run again") from exc
        except BotoCoreError as exc:
            raise SecretsUnavailable(f"the secret {secret!r} cannot be fetched: {exc}; check the network") from exc
        if "SecretString" in response:
            return SecretStr(response["SecretString"])
        try:
            return SecretStr(response["SecretBinary"].decode("utf-8"))
        except UnicodeDecodeError:
            # Not chained: the cause contains the secret.
            raise ConfigurationError(f"the secret {secret!r} is not UTF-8 text") from None


def _value(text: str, secret: str, key: str | None) -> SecretStr | None:
    try:
        fields = json.loads(text)
    except ValueError:
        fields = None
    if not isinstance(fields, dict):
        if key is not None:
            raise ConfigurationError(f"the secret {secret!r} is not a JSON object, so it has no {key!r}")
        return SecretStr(text) if text else None
    wanted = _PASSWORD if key is None else key
    value = fields.get(wanted)
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        raise ConfigurationError(
            f"the secret {secret!r} is a JSON object without a text {wanted!r}; name one that it has: {secret}#name"
        )
    return SecretStr(str(value)) if value != "" else None
