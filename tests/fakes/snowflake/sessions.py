"""Sessions: who, as which role, with which parameters, and by which tokens."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.snowflake.account import Account
from tests.fakes.snowflake.catalog import User
from tests.fakes.snowflake.errors import LoginError
from tests.fakes.snowflake.limits import Limits

PARAMETERS: dict[str, Any] = {
    "AUTOCOMMIT": True,
    "BINARY_OUTPUT_FORMAT": "HEX",
    "CLIENT_PREFETCH_THREADS": 4,
    "CLIENT_RESULT_CHUNK_SIZE": 160,
    "CLIENT_SESSION_KEEP_ALIVE": False,
    "CLIENT_TELEMETRY_ENABLED": True,
    "DATE_OUTPUT_FORMAT": "YYYY-MM-DD",
    "PYTHON_CONNECTOR_QUERY_RESULT_FORMAT": "ARROW_FORCE",
    "QUERY_TAG": "",
    "STATEMENT_TIMEOUT_IN_SECONDS": 172_800,
    "TIMESTAMP_NTZ_OUTPUT_FORMAT": "YYYY-MM-DD HH24:MI:SS.FF3",
    "TIMESTAMP_OUTPUT_FORMAT": "YYYY-MM-DD HH24:MI:SS.FF3 TZHTZM",
    "TIMEZONE": "America/Los_Angeles",
    "TIME_OUTPUT_FORMAT": "HH24:MI:SS",
}
"""Defaults: https://docs.snowflake.com/en/sql-reference/parameters , and what a log-in's answer was seen to hold."""

_SECONDARY_ROLES = {"ALL": True, "NONE": False}


@dataclass
class Session:
    """One session, until it is closed or ends."""

    id: int
    user: User
    role: str
    warehouse: str | None
    database: str | None
    parameters: dict[str, Any]
    secondary_roles: bool
    token: str
    master_token: str
    expires: float
    ends: float
    application: str = ""
    ended: bool = False
    closed: bool = False
    heartbeats: int = 0
    renewals: int = 0
    old_tokens: set[str] = field(default_factory=set)

    @property
    def roles(self) -> set[str]:
        """By which statements are judged: the role, and all others of the user unless secondary roles are off."""
        return {self.role, *(self.user.roles if self.secondary_roles else ())}

    @property
    def timeout_seconds(self) -> float:
        """Of a statement; 0 means the most there is."""
        return float(self.parameters["STATEMENT_TIMEOUT_IN_SECONDS"]) or 604_800.0

    def meet(self, what: str) -> None:
        """Let the token want renewal (`expired`), or the session be over (`ended`)."""
        if what == "expired":
            self.expires = 0.0
        else:
            self.ended = True


@dataclass
class Sessions:
    """All sessions there ever were."""

    account: Account
    limits: Limits
    clock: Callable[[], float] = time.monotonic
    all: list[Session] = field(default_factory=list)

    def open(self, user: User, query: dict[str, str], data: dict[str, Any]) -> Session:
        """A session for someone who proved who they are.

        Raises:
            LoginError: the role is not theirs. A database or warehouse that is not is left out, as Snowflake does.
        """
        asked = data.get("SESSION_PARAMETERS", {})
        role = _name(query.get("roleName")) or user.default_role or "PUBLIC"
        if role != "PUBLIC" and role not in user.roles:
            # gosnowflake `errors.go`: ErrRoleNotExist
            text = f"Role '{role}' specified in the connect string is not granted to this user."
            raise LoginError(
                "390189",
                text + " Contact your local system administrator, or attempt to login with another role, e.g. PUBLIC.",
            )
        now = self.clock()
        session = Session(
            id=1000 + len(self.all),
            user=user,
            role=role,
            warehouse=_name(query.get("warehouse")) or user.default_warehouse,
            database=_name(query.get("databaseName")),
            parameters={**PARAMETERS, **{name.upper(): _typed(name.upper(), value) for name, value in asked.items()}},
            secondary_roles=_SECONDARY_ROLES.get(str(data.get("SECONDARY_ROLES")), user.secondary_roles),
            token=secrets.token_hex(16),
            master_token=secrets.token_hex(16),
            expires=now + self.limits.session_seconds,
            ends=now + self.limits.master_seconds,
            application=str(data.get("CLIENT_ENVIRONMENT", {}).get("APPLICATION", "")),
        )
        self.all.append(session)
        return session

    def by_token(self, token: str) -> Session:
        """The session of a request.

        Raises:
            LoginError: its token wants renewal (390112), it is over (390111), or it never was (390104).
        """
        for session in self.all:
            if token in session.old_tokens and not session.closed:
                raise LoginError("390112", "Your session has expired. Please login again.")
            if token == session.token:
                if session.ended or session.closed:
                    raise LoginError("390111", "Session no longer exists.  New login required to access the service.")
                if self.clock() >= session.expires:
                    raise LoginError("390112", "Your session has expired. Please login again.")
                return session
        raise LoginError("390104", "Session is invalid.")

    def renew(self, master_token: str, old_token: str) -> Session:
        """A new token for a session whose old one expired.

        Raises:
            LoginError: it cannot be renewed any more (390114), or the old token is another session's.
        """
        for session in self.all:
            if session.master_token == master_token:
                if session.closed or session.ended or self.clock() >= session.ends:
                    raise LoginError("390114", "Authentication token has expired.  The user must authenticate again.")
                if old_token not in (session.token, *session.old_tokens):
                    break
                session.old_tokens.add(session.token)
                session.token = secrets.token_hex(16)
                session.expires = self.clock() + self.limits.session_seconds
                session.renewals += 1
                return session
        raise LoginError("390103", "Session token not found or invalid data.")

    def expire(self) -> None:
        """Let the token of every open session want renewal."""
        for session in self.all:
            session.expires = self.clock()

    def end(self) -> None:
        """Let every session be over, as after an administrator's ALTER USER ... ABORT ALL QUERIES."""
        for session in self.all:
            session.ended = True


def _typed(name: str, value: Any) -> Any:
    """A parameter's value as answers tell it; the connector sends some of them as text."""
    kind = type(PARAMETERS.get(name))
    if kind is bool and isinstance(value, str):
        return value.lower() == "true"
    return int(value) if kind is int else value


def _name(text: str | None) -> str | None:
    """An identifier of the connect string: folded unless it is quoted."""
    if not text:
        return None
    return text[1:-1].replace('""', '"') if text.startswith('"') else text.upper()
