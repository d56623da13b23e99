"""Facts about a project that the analyst and the explorer report."""

from __future__ import annotations

from dataclasses import dataclass

from tribal.capabilities.contribution.facts.code_style import code_style
from tribal.capabilities.contribution.facts.commands import stated_commands
from tribal.capabilities.contribution.facts.guidelines import Guidelines, guidelines_of
from tribal.capabilities.contribution.facts.layout import layout_of
from tribal.capabilities.contribution.recipes.recipe import Files
from tribal_contracts.contribution.handoffs import BuildCommands, CodeStyle, RepositoryLayout


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectFacts:
    """What the files of a repository say about it."""

    layout: RepositoryLayout
    style: CodeStyle
    commands: BuildCommands
    guidelines: Guidelines
    insights: tuple[str, ...]
    """What is assumed, and what a person may have to add."""

    @property
    def language(self) -> str:
        """The language of most files; empty if unknown."""
        return self.layout.language

    @property
    def license(self) -> str:
        """The SPDX identifier of the license; empty if unknown."""
        return self.guidelines.license


def project_facts(files: Files) -> ProjectFacts:
    """Collect the facts of a repository."""
    layout, guidelines = layout_of(files), guidelines_of(files)
    style, insights = code_style(files)
    if guidelines.changelog:
        insights.append(
            f"the repository keeps a changelog, {guidelines.changelog!r}; this contribution does not add to it"
        )
    if guidelines.code_owners:
        insights.append(f"reviewers are assigned by {guidelines.code_owners!r}")
    return ProjectFacts(
        layout=layout,
        style=style,
        commands=stated_commands(files, layout.package_manager),
        guidelines=guidelines,
        insights=tuple(insights),
    )
