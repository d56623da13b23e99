"""The caller on this machine: on the command line, over stdio, and for a server that requires no token."""

from __future__ import annotations

import secrets
import socket
from collections.abc import Mapping
from typing import TYPE_CHECKING

from tribal.errors import ConfigurationError
from tribal.ports.caller import Caller
from tribal.ports.remembering.identity import LONGEST_IDENTIFIER, Identity, is_identifier

if TYPE_CHECKING:
    from tribal.identity.scope import Scope
    from tribal.settings import Settings

USER_VARIABLE = "TRIBAL_USER"
SESSION_VARIABLE = "TRIBAL_SESSION"
_UNKNOWN_USER = "local"


def local_caller(settings: Settings, scope: Scope | None = None, *, session: str | None = None) -> Caller:
    """The caller on this machine, who has every right and sees everything unless a scope is given.

    Args:
        settings: the identity of the user, and the environment variables.
        scope: limits what the caller sees.
        session: the session, unless the environment names one.

    Raises:
        ConfigurationError: when a variable is not a valid identifier.
    """
    from tribal.identity.scope import EVERYTHING

    values, here = settings.environment, settings.identity
    user = _identifier(values, USER_VARIABLE) or _os_user(values)
    identity = Identity(
        user=user,
        session=_identifier(values, SESSION_VARIABLE) or session,
        projects=() if here.project is None else (here.project,),
        teams=tuple(dict.fromkeys(here.teams)),
        orgs=() if here.org is None else (here.org,),
        company=here.company,
    )
    return Caller(user, scope or EVERYTHING, identity=identity, owner=f"user:{user}@{socket.gethostname()}")


def new_session() -> str:
    """A unique name for a session."""
    return secrets.token_hex(16)


def _identifier(values: Mapping[str, str], name: str) -> str | None:
    text = values.get(name, "").strip()
    if text and not is_identifier(text):
        raise ConfigurationError(f"{name} is not a valid name: use up to {LONGEST_IDENTIFIER} printable characters")
    return text or None


def _os_user(values: Mapping[str, str]) -> str:
    """The user name of the operating system, from the environment or the account."""
    account = next((values[name] for name in ("USER", "LOGNAME", "USERNAME") if values.get(name)), "")
    if is_identifier(account):
        return account
    try:
        import os
        import pwd

        return pwd.getpwuid(os.getuid()).pw_name
    except (ImportError, KeyError):
        return _UNKNOWN_USER
