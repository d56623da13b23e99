"""Headers that select a session, an agent and one of the caller's projects; they never add rights.

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
    """The caller with the session and agent from headers, and the project for new memories.

    Args:
        caller: the caller identified by token, signature or machine.
        headers: by lower-case name.

    Raises:
        RequestRefused: when a header is not a valid name.
        IdentifierRefused: when the caller does not belong to the project.
    """
    identity = caller.identity
    session, agent, project = (_named(headers, name) for name in (SESSION, AGENT, PROJECT))
    if session is None and agent is None and project is None:
        return caller
    if project is not None:
        if project not in identity.projects:
            raise IdentifierRefused(f"the caller does not belong to the project in {_spelled(PROJECT)}")
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
            f"the header {_spelled(name)} is not a valid name: use up to {LONGEST_IDENTIFIER} printable characters"
        )
    return text


def _as_sent(value: str) -> str:
    """The text of a header: servers decode it as Latin-1, but clients send UTF-8."""
    try:
        return value.encode("latin-1").decode()
    except UnicodeError:
        return value


def _spelled(name: str) -> str:
    return name.title()
