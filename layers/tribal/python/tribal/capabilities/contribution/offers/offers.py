"""Descriptions with their state: open to be contributed, proposed, merged, or why not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from tribal.capabilities.contribution.gate.screening import problem_of
from tribal.capabilities.contribution.offers.texts import ORDER, DatabaseTexts, WrittenText
from tribal.capabilities.contribution.recipes.recipe import OfferedText, Recipe, Saying, folded
from tribal.identity.table_names import TableIdentity
from tribal.identity.targets import target_name
from tribal_contracts.answering.open_gaps import OpenGap
from tribal_contracts.contribution.cycles import CycleRecord
from tribal_contracts.contribution.tools import OfferState


@dataclass(frozen=True, slots=True)
class Offer:
    """A description and what may become of it."""

    repository: str
    written: WrittenText
    state: OfferState
    questions: int = 0
    said: Saying | None = None
    reason: str | None = None
    cycle: int | None = None

    @property
    def name(self) -> str:
        """What it describes, as tools name it."""
        return target_of(self.written)

    @property
    def rank(self) -> tuple[int, int, str, str, str, int]:
        """Its place in a list: blocked questions first, then people's texts, then by domain."""
        written = self.written
        return (
            -self.questions,
            ORDER.index(written.source),
            written.domain,
            written.relation.schema,
            written.relation.name,
            written.position,
        )

    def offered(self) -> OfferedText:
        """The text for a recipe."""
        written = self.written
        return OfferedText(written.relation, written.column, written.text, written.comment)


@dataclass(frozen=True, slots=True)
class History:
    """What earlier contributions to a repository did with a description, by its name."""

    proposed: Mapping[str, int]
    declined: Mapping[str, tuple[int, str]]
    """The cycle, and the text as it was."""

    @classmethod
    def of(cls, records: Iterable[CycleRecord], repository: str) -> History:
        """Read it from the records of all cycles, oldest first."""
        proposed: dict[str, int] = {}
        declined: dict[str, tuple[int, str]] = {}
        for record in (each for each in records if each.repository == repository):
            for each in record.descriptions:
                identity = TableIdentity(record.database, each.schema_name, each.table)
                name = target_name(identity, each.column)
                if record.state != "ended":
                    proposed[name] = record.cycle
                elif record.outcome == "declined":
                    declined[name] = (record.cycle, each.text)
        return cls(proposed, declined)


def target_of(written: WrittenText) -> str:
    """What a text describes, as tools name it."""
    return target_name(TableIdentity(written.database, written.relation.schema, written.relation.name), written.column)


def offers_of(
    repository: str,
    database: DatabaseTexts,
    recipe: Recipe,
    history: History,
    gaps: Sequence[OpenGap],
) -> list[Offer]:
    """The descriptions of a database for the repository that creates it, in the order of a list."""
    blocked: dict[str, set[str]] = {}
    for gap in gaps:
        blocked.setdefault(gap.target, set()).update(gap.blocked)
    found = []
    for written in database.texts:
        offer = _offer(repository, written, recipe, history)
        if offer is not None:
            questions = len(blocked.get(offer.name, ()))
            found.append(replace(offer, questions=questions))
    return sorted(found, key=lambda each: each.rank)


def _offer(repository: str, written: WrittenText, recipe: Recipe, history: History) -> Offer | None:
    said = recipe.said(written.target)
    name = target_of(written)
    if said is not None:
        if folded(said.text) != folded(written.text):
            # A comment, or a model's text, that differs is not a person's wish to change what the repository says.
            return Offer(repository, written, "conflict", said=said) if written.source == "human" else None
        state = _merged_state(written)
        return Offer(repository, written, state, said=said)
    if written.source == "comment" and recipe.name != "dbt":
        # The database says it already, and nothing but the database would.
        return None
    reason = _refusal(written, recipe)
    if reason is not None:
        return Offer(repository, written, "not_offered", reason=reason) if written.source == "human" else None
    if name in history.proposed:
        return Offer(repository, written, "proposed", cycle=history.proposed[name])
    if name in history.declined and history.declined[name][1] == written.text:
        return Offer(repository, written, "declined", cycle=history.declined[name][0])
    return Offer(repository, written, "open")


def _refusal(written: WrittenText, recipe: Recipe) -> str | None:
    if written.relation.kind == "foreign_table":
        return "foreign tables are not offered"
    return recipe.refusal(written.relation, written.column, written.text) or problem_of(written.text)


def _merged_state(written: WrittenText) -> OfferState:
    is_in_database = written.comment is not None and folded(written.comment) == folded(written.text)
    return "applied" if is_in_database else "merged"
