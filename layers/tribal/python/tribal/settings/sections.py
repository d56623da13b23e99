"""Completes sections from others: owner and path of `knowledge`, and the entry that `model` names."""

from __future__ import annotations

import re
from pathlib import Path

from tribal.errors import ConfigurationError
from tribal_contracts import IdentitySettings, KnowledgeSettings, ModelSettings, ProjectFile
from tribal_contracts.core.models import resolved

_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|[^/\s]+@[^/\s]+:")
"""A URL, or git's short form for ssh."""


def with_owner(knowledge: KnowledgeSettings, identity: IdentitySettings) -> KnowledgeSettings:
    """The settings with an owner, by default from `identity`.

    Raises:
        ConfigurationError: when the owner is unknown.
    """
    if knowledge.layer is None or knowledge.owner is not None:
        return knowledge
    named = {"company": [identity.company], "org": [identity.org], "project": [identity.project]}
    found = [each for each in named.get(knowledge.layer, identity.teams) if each is not None]
    if len(found) != 1:
        raise ConfigurationError(
            f"knowledge: the {knowledge.layer} that owns the items is unknown; write `owner: NAME` next to `layer`, or "
            "set it in the section `identity`"
        )
    return knowledge.model_copy(update={"owner": found[0]})


def with_place(knowledge: KnowledgeSettings, project: Path, published: Path) -> KnowledgeSettings:
    """The settings with the absolute path of a local repository.

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
            f"knowledge: the snapshot of {str(place)!r} would be written to {str(published)!r}; give the folder"
            " with the decisions another name, such as `decisions`"
        )
    return knowledge.model_copy(update={"repository": str(place)})


def describing_model(project: ProjectFile) -> ModelSettings | None:
    """The model that describes tables, with its caps; `None` if rules do.

    Raises:
        ConfigurationError: when it has an unknown name, or the cap of a day is given twice.
    """
    try:
        model = None if project.model is None else resolved(project.model, project.models, project.spending)
    except ValueError as error:
        raise ConfigurationError(str(error)) from None
    return None if model is None else with_terms(model, project)


def with_terms(model: ModelSettings, project: ProjectFile) -> ModelSettings:
    """The model with the terms of the file, unless it has its own."""
    if model.terms or not project.terms:
        return model
    return model.model_copy(update={"terms": {term.name: term.definition for term in project.terms}})
