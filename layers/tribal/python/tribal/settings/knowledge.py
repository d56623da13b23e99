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


def with_place(knowledge: KnowledgeSettings, project: Path, published: Path) -> KnowledgeSettings:
    """The settings with the whole path of a repository on this machine.

    Args:
        knowledge: the settings.
        project: the folder that a path is relative to.
        published: the folder that the snapshot is written to.

    Raises:
        ConfigurationError: when the repository is that folder, or in it.
    """
    if _ELSEWHERE.match(knowledge.repository):
        return knowledge
    place = (project / Path(knowledge.repository).expanduser()).resolve()
    if place == published or published in place.parents:
        raise ConfigurationError(
            f"knowledge: what is published of {str(place)!r} would be written to {str(published)!r}; give the folder"
            " with the decisions another name, such as `decisions`"
        )
    return knowledge.model_copy(update={"repository": str(place)})
