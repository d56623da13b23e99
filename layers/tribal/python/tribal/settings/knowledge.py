"""Whose the items of a flat folder are, and where a repository is."""

from __future__ import annotations

import re
from pathlib import Path

from tribal.errors import ConfigurationError
from tribal_contracts import IdentitySettings, KnowledgeSettings

_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|[^/\s]+@[^/\s]+:")
"""A URL, or the short form of one for ssh."""


def with_owner(knowledge: KnowledgeSettings, identity: IdentitySettings) -> KnowledgeSettings:
    """The settings with an owner, which is who works here unless they name another.

    Raises:
        ConfigurationError: when nothing says whose the items are.
    """
    if knowledge.layer is None or knowledge.owner is not None:
        return knowledge
    named = {"company": [identity.company], "org": [identity.org], "project": [identity.project]}
    found = [each for each in named.get(knowledge.layer, identity.teams) if each is not None]
    if len(found) != 1:
        raise ConfigurationError(
            f"knowledge: nothing says which {knowledge.layer} the items are of; write `owner: NAME` beside `layer`, or "
            "the name into the part `identity`"
        )
    return knowledge.model_copy(update={"owner": found[0]})


def with_place(knowledge: KnowledgeSettings, project: Path) -> KnowledgeSettings:
    """The settings with the whole path of a repository on this machine."""
    if _ELSEWHERE.match(knowledge.repository):
        return knowledge
    return knowledge.model_copy(update={"repository": str(project / Path(knowledge.repository).expanduser())})
