"""Tokens: fine-grained ones of a person, those of Actions, and those that an App's installation gets for an hour."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import jwt
from pydantic import SecretStr

from tribal.adapters.github.access import Conflict, Timing, Tokens
from tribal.adapters.github.address import GitHubAddress
from tribal.adapters.github.client import GitHubClient
from tribal.adapters.github.fields import text_at
from tribal.errors import ForgeUnreachable, RepositoryUnusable

Purpose = Literal["read", "follow", "publish"]

_FOLLOW = {"pull_requests": "read", "checks": "read", "statuses": "read"}
PERMISSIONS: Mapping[Purpose, Mapping[str, str]] = {
    "read": {"contents": "read", "metadata": "read"},
    "follow": {"contents": "read", "metadata": "read", **_FOLLOW},
    "publish": {"contents": "write", "metadata": "read", **_FOLLOW, "pull_requests": "write"},
}
"""The permissions of an App's token. A pull request that was just opened is read with its checks."""
_ACCEPTED = re.compile(r"(?:github_pat_|ghs_|ghu_)[A-Za-z0-9_.-]{1,4000}")
_CLASSIC = re.compile(r"ghp_\S*|gho_\S*|ghr_\S*|[0-9a-f]{40}")
_EARLY_SECONDS = 300.0
_CLOCK_SECONDS, _JWT_SECONDS = 60, 540
"""At most ten minutes, from a minute ago on. Source: docs.github.com, Generating a JSON Web Token for a GitHub App."""


class NoToken:
    """Requests without a token, for public repositories."""

    setting = "read_secret"

    def current(self) -> SecretStr | None:
        """Return no token."""
        return None


class AccessToken:
    """A token from a secret. Tokens with all rights of a person are refused.

    Args:
        token: the secret.
        setting: the setting that names it.

    Raises:
        RepositoryUnusable: when it is a classic token, or none that is known.
    """

    def __init__(self, token: SecretStr, setting: str) -> None:
        text = token.get_secret_value().strip()
        if not _ACCEPTED.fullmatch(text):
            kind = "a classic token, which may do more than contributions need" if _CLASSIC.fullmatch(text) else None
            raise RepositoryUnusable(
                f"the secret named by `{setting}` is {kind or 'not a token of GitHub'}; use a fine-grained token"
                " (github_pat_...) for this repository only, or an App"
            )
        self.setting = setting
        self._token = SecretStr(text)

    def current(self) -> SecretStr | None:
        """Return the token."""
        return self._token


@dataclass(frozen=True, slots=True)
class AppKey:
    """An App that is installed for a repository."""

    id: int
    installation: int
    private_key: SecretStr
    """In PEM."""


class InstallationTokens:
    """Tokens of an App's installation, for one repository and one purpose; renewed five minutes before they expire.

    Args:
        app: the App.
        address: the only repository that the tokens are for.
        purpose: what they may do.
        timing: deadlines and pauses of the calls that fetch them.
    """

    setting = "app"

    def __init__(self, app: AppKey, address: GitHubAddress, purpose: Purpose, timing: Timing | None = None) -> None:
        self._app = app
        self._address = address
        self._permissions = PERMISSIONS[purpose]
        self._timing = timing or Timing()
        self._token: SecretStr | None = None
        self._expires = 0.0

    def current(self) -> SecretStr | None:
        """Return the token, fetching one first if it is missing or expires soon.

        Raises:
            RepositoryUnusable: when the App's key cannot be used, or the App lacks permissions or the repository.
            RepositoryUnreadable: when GitHub refuses the App.
            ForgeUnreachable, ForgeRateLimited: retryable.
        """
        if self._token is None or self._timing.now() > self._expires - _EARLY_SECONDS:
            answer = self._fetch()
            token = text_at(answer, "token")
            if not _ACCEPTED.fullmatch(token):
                raise ForgeUnreachable(
                    f"the API of {self._address.page!r} did not answer with a token; check `api_url`"
                )
            self._token = SecretStr(token)
            try:
                self._expires = datetime.fromisoformat(text_at(answer, "expires_at")).timestamp()
            except (ValueError, OverflowError):
                self._expires = 0.0
        return self._token

    def _fetch(self) -> object:
        client = GitHubClient(self._address, _SignedTokens(self._app, self._timing.now), self._timing)
        path = f"/app/installations/{self._app.installation}/access_tokens"
        try:
            answer = client.post(path, {"repositories": [self._address.name], "permissions": dict(self._permissions)})
        finally:
            client.close()
        if isinstance(answer, Conflict):
            wanted = ", ".join(f"{name}: {right}" for name, right in sorted(self._permissions.items()))
            raise RepositoryUnusable(
                f"the App gets no token for {self._address.page!r}: {answer.message}; install it for this repository"
                f" with {wanted}"
            )
        return answer


class _SignedTokens(Tokens):
    """Tokens by which an App itself authenticates, signed with its key."""

    def __init__(self, app: AppKey, now: Callable[[], float]) -> None:
        self._app = app
        self._now = now

    @property
    def setting(self) -> str:
        return "app"

    def current(self) -> SecretStr | None:
        at = int(self._now())
        claims = {"iat": at - _CLOCK_SECONDS, "exp": at + _JWT_SECONDS, "iss": str(self._app.id)}
        # In environment variables keys often have their line ends written out.
        key = self._app.private_key.get_secret_value().replace("\\n", "\n")
        try:
            return SecretStr(jwt.encode(claims, key, algorithm="RS256"))
        except (jwt.PyJWTError, ValueError, TypeError):
            # The cause may quote the key.
            raise RepositoryUnusable(
                "the secret named by `key_secret` is not the App's private key; write the whole .pem file into it"
            ) from None
