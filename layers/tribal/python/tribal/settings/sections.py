"""Completes the section `model` from others: the entry that it names, and terms."""

from __future__ import annotations

from tribal.errors import ConfigurationError
from tribal_contracts import ModelSettings, ProjectFile
from tribal_contracts.core.models import resolved


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
