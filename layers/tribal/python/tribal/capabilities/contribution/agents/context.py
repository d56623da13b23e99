"""What an agent works with."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from tribal.capabilities.contribution.errors import HandoffInvalid
from tribal.capabilities.contribution.offers.sources import OpenSource
from tribal.capabilities.contribution.parts import ContributionParts, ForgePurpose
from tribal.capabilities.contribution.recipes.recipe import (
    EditContext,
    Edits,
    OfferedText,
    Recipe,
    RecipeBlocked,
    Relation,
)
from tribal.errors import RepositoryUnusable
from tribal.ports.repositories import Forge
from tribal.rendering.words import listing, number
from tribal_contracts import DatabaseType
from tribal_contracts.contribution import HANDOFFS
from tribal_contracts.contribution.cycles import CycleRecord, RequestedIssue
from tribal_contracts.contribution.handoffs import AgentName, Handoff, IssueAnalysis
from tribal_contracts.contribution.settings import ContributionLimits

if TYPE_CHECKING:
    from tribal.capabilities.contribution.writing.model_session import ModelSession

_MOST_NAMES = 3
_LONGEST_NAMES = 45
"""Names in a title, and their length: git shows some 70 characters of it."""
Kind = TypeVar("Kind", bound=Handoff)


@dataclass(frozen=True)
class AgentContext:
    """A cycle, its hand-offs so far, and the repository at its base commit."""

    record: CycleRecord
    handoffs: Mapping[AgentName, Handoff]
    source: OpenSource
    parts: ContributionParts
    dialect: DatabaseType
    relations: Mapping[tuple[str, str], Relation]
    """The tables of the cycle, by schema and name."""
    taken: frozenset[str]
    """Paths that open contributions to the same repository add."""
    now: str

    @property
    def limits(self) -> ContributionLimits:
        """How large contributions may be."""
        return self.parts.settings.limits

    @property
    def may_publish(self) -> bool:
        """Whether the entry of the repository allows contributions where the repository is now."""
        return self.source.state.visibility != "public" or self.source.entry.public

    def open_forge(self, purpose: ForgePurpose) -> AbstractContextManager[Forge]:
        """Open the place where contributions to the repository are published."""
        return closing(self.parts.open_forge(self.source.entry, purpose))

    def earlier(self, kind: type[Kind]) -> Kind:
        """The completed hand-off of an earlier agent.

        Raises:
            HandoffInvalid: when it is missing, or the agent failed.
        """
        agent = next(agent for agent, (_, each) in HANDOFFS.items() if each is kind)
        found = self.handoffs.get(agent)
        if not isinstance(found, kind) or found.errors:
            raise HandoffInvalid(f"{HANDOFFS[agent][0]}.json of {agent} is missing or failed; prepare again")
        return found

    @property
    def title(self) -> str:
        """The title of the change."""
        return self.earlier(IssueAnalysis).title or record_title(self.record)

    @property
    def required_issue(self) -> RequestedIssue:
        """The issue that the cycle is for."""
        assert self.record.issue is not None
        return self.record.issue

    def open_model(self) -> AbstractContextManager[ModelSession]:
        """Open the model that writes the change."""
        models, name = self.parts.models, self.record.model
        if models is None or name is None:
            raise RepositoryUnusable(
                f"contribution {self.record.cycle} needs a model: name one under `models` and `contribution.model`"
            )
        # Asked each time: what is kept from models may have changed.
        models.require(name, self.source.entry)
        return models.open(name, self.record.cycle)

    @cached_property
    def recipe(self) -> Recipe:
        """The recipe at the base commit of the cycle."""
        return self.source.recipe(self.dialect, self.record.base_commit)

    def texts(self) -> list[OfferedText]:
        """The descriptions of the cycle."""
        found = []
        for each in self.record.descriptions:
            relation = self.relations.get((each.schema_name, each.table))
            if relation is None:
                raise RepositoryUnusable(
                    f"{each.schema_name}.{each.table} is no longer documented; abort the contribution and prepare"
                    " another one"
                )
            found.append(OfferedText(relation, each.column, each.text, each.comment))
        return found

    def edits(self) -> Edits:
        """The edits of the cycle on its base commit.

        Raises:
            RepositoryUnusable: when the repository does not allow them.
        """
        return edits_of(self.recipe, self.texts(), edit_context(self.record, self.taken))


def edit_context(record: CycleRecord, taken: frozenset[str]) -> EditContext:
    """What the names of new files of a cycle are made from."""
    return EditContext(
        swarm_id=record.swarm_id,
        cycle=record.cycle,
        at=f"{record.started_at[:19]}Z",
        title=record_title(record),
        taken=taken,
    )


def edits_of(recipe: Recipe, texts: list[OfferedText], context: EditContext) -> Edits:
    """The edits of a recipe; what blocks them is an error."""
    try:
        return recipe.edits(texts, context)
    except RecipeBlocked as blocked:
        raise RepositoryUnusable(str(blocked)) from blocked


def record_title(record: CycleRecord) -> str:
    """The title of a contribution of descriptions."""
    return title_of([(each.schema_name, each.table, each.column) for each in record.descriptions])


def title_of(targets: list[tuple[str, str, str | None]]) -> str:
    """The title of a contribution of descriptions: an imperative sentence on one line."""
    if len(targets) == 1:
        return f"Describe {'.'.join(filter(None, targets[0]))}"
    tables = list(dict.fromkeys(f"{schema}.{table}" for schema, table, _ in targets))
    own = sum(column is None for *_, column in targets)
    counts = [number(own, "table")] if own else []
    counts += [number(len(targets) - own, "column")] if own < len(targets) else []
    if len(tables) == 1:
        return f"Describe {' and '.join([*tables, *counts[1:]] if own else [f'{counts[0]} of {tables[0]}'])}"
    names = listing(tables, limit=_MOST_NAMES)
    if len(tables) <= _MOST_NAMES and len(names) <= _LONGEST_NAMES:
        return f"Describe {names}" if own == len(targets) else f"Describe {' and '.join(counts)} of {names}"
    schemas = list(dict.fromkeys(schema for schema, *_ in targets))
    return f"Describe {' and '.join(counts)} of {listing(schemas, limit=_MOST_NAMES)}"
