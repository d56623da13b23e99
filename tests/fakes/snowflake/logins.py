"""Logging in: every proof is verified as Snowflake does.

Members of the request: recorded from the connector 5.2. Numbers: gosnowflake `errors.go` and its `authexternalbrowser`
tests (394400: its test of tokens), https://docs.snowflake.com/en/user-guide/key-pair-auth-troubleshooting (390144).
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_public_key

from tests.fakes.snowflake.account import Account
from tests.fakes.snowflake.catalog import User
from tests.fakes.snowflake.errors import LoginError

_LONGEST_LIFE = 3_600
"""https://docs.snowflake.com/en/developer-guide/sql-api/authenticating : a JWT lives an hour at the most."""


class Doors:
    """The ways into an account."""

    def __init__(self, account: Account) -> None:
        self._account = account
        self._by_name: dict[str, Callable[[dict[str, Any]], User]] = {
            "SNOWFLAKE": self._password,
            "USERNAME_PASSWORD_MFA": self._password,
            "SNOWFLAKE_JWT": self._key_pair,
            "OAUTH": self._oauth,
            "PROGRAMMATIC_ACCESS_TOKEN": self._access_token,
        }

    def enter(self, data: dict[str, Any]) -> User:
        """A client that proves to be a user.

        Raises:
            LoginError: the proof is wrong; Snowflake does not say what of it.
        """
        name = str(data.get("AUTHENTICATOR", "SNOWFLAKE")).upper()
        if name not in self._by_name:
            raise LoginError("390137", f"Authenticator {name} is not supported.")
        user = self._by_name[name](data)
        if user.disabled:
            raise LoginError("390101", "User access disabled. Contact your local system administrator.")
        if user.kept_out:
            # https://docs.snowflake.com/en/user-guide/network-policies ; number and text as people report them.
            text = "Incoming request with IP/Token 127.0.0.1 is not allowed to access Snowflake."
            raise LoginError("390422", text + " Contact your account administrator.")
        return user

    def add(self, authenticator: str, door: Callable[[dict[str, Any]], User]) -> None:
        """Open one more way in."""
        self._by_name[authenticator] = door

    def _user(self, data: dict[str, Any]) -> User | None:
        return self._account.users.get(str(data.get("LOGIN_NAME", "")).upper())

    def _password(self, data: dict[str, Any]) -> User:
        user = self._user(data)
        if user is None or not user.password or user.password != data.get("PASSWORD"):
            raise LoginError("390100", "Incorrect username or password was specified.")
        # The number of the second factor is assumed; a type of user that needs none is SERVICE.
        if user.second_factor and not data.get("PASSCODE"):
            raise LoginError(
                "390197", "Multi-factor authentication is required for this account. Log in to Snowsight to enroll."
            )
        return user

    def _key_pair(self, data: dict[str, Any]) -> User:
        user = self._user(data)
        token = str(data.get("TOKEN", ""))
        for pem in user.public_keys if user else ():
            key = load_pem_public_key(pem.encode())
            assert isinstance(key, RSAPublicKey)
            if user is not None and self._proves(token, user, key):
                return user
        raise LoginError("390144", "JWT token is invalid.")

    def _proves(self, token: str, user: User, key: RSAPublicKey) -> bool:
        subject = f"{self._account.name.upper()}.{user.name}"
        issuer = f"{subject}.{fingerprint(key)}"
        try:
            claims = jwt.decode(
                token, key, algorithms=["RS256"], issuer=issuer, options={"require": ["exp", "iat", "iss", "sub"]}
            )
        except jwt.InvalidTokenError:
            return False
        return bool(claims["sub"] == subject and claims["exp"] - claims["iat"] <= _LONGEST_LIFE)

    def _oauth(self, data: dict[str, Any]) -> User:
        for user in self._account.users.values():
            if data.get("TOKEN") in user.oauth_tokens:
                return user
        raise LoginError("390303", "Invalid OAuth access token.")

    def _access_token(self, data: dict[str, Any]) -> User:
        user = self._user(data)
        if user is None or data.get("TOKEN") not in user.access_tokens:
            raise LoginError("394400", "Programmatic access token is invalid.")
        return user


def fingerprint(key: RSAPublicKey) -> str:
    """Of a public key, as issuers of JWTs name it."""
    encoded = key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return "SHA256:" + base64.b64encode(hashlib.sha256(encoded).digest()).decode()
