"""What headers choose among a caller's own identifiers; they add nothing that the caller does not have.

Source: docs/contracts.md, Memory, layers and callers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tribal.errors import IdentifierRefused, RequestRefused
from tribal.ports.caller import Caller
from tribal.ports.remembering.identity import LONGEST_IDENTIFIER, is_identifier

SESSION = "x-tribal-session"
AGENT = "x-tribal-agent"
PROJECT = "x-tribal-project"


def with_context_headers(caller: Caller, headers: Mapping[str, str]) -> Caller:
    """The caller with the session and the agent that headers name, and the project that new memories go to.

    Args:
        caller: whom the request's token, signature or machine identifies.
        headers: by name in lower case.

    Raises:
        RequestRefused: when a header is no name.
        IdentifierRefused: when the project is none of the caller's.
    """
    identity = caller.identity
    session, agent, project = (_named(headers, name) for name in (SESSION, AGENT, PROJECT))
    if session is None and agent is None and project is None:
        return caller
    if project is not None:
        if project not in identity.projects:
            raise IdentifierRefused(f"the project that {_spelled(PROJECT)} names is none of the caller's")
        others = tuple(pair for pair in identity.chosen if pair[0] != "project")
        identity = replace(identity, chosen=(*others, ("project", project)))
    identity = replace(identity, session=session or identity.session, agent=agent or identity.agent)
    return replace(caller, identity=identity)


def _named(headers: Mapping[str, str], name: str) -> str | None:
    value = headers.get(name)
    if value is None:
        return None
    text = _as_sent(value).strip()
    if not is_identifier(text):
        raise RequestRefused(
            f"the header {_spelled(name)} is no name: it has up to {LONGEST_IDENTIFIER} characters that can be read"
        )
    return text


def _as_sent(value: str) -> str:
    """The text of a header: servers take its bytes for Latin-1, and clients send UTF-8."""
    try:
        return value.encode("latin-1").decode()
    except UnicodeError:
        return value


def _spelled(name: str) -> str:
    return name.title()
