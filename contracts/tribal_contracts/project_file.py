"""The shape of `databases.yaml`, across all capabilities. Extension contract; unknown keys are refused."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from tribal_contracts.chat.settings import ChatSettings, CollectionEntry
from tribal_contracts.contribution.settings import ContributionSettings
from tribal_contracts.core.access import ServeSettings
from tribal_contracts.core.knowledge_settings import KnowledgeSettings, SyncSettings
from tribal_contracts.core.models import EmbedderSection, ModelEntry, ModelName, ModelSection, SpendingSettings
from tribal_contracts.core.sections import CapabilitySettings, IdentitySettings, section_kinds, sections_in
from tribal_contracts.core.shape import ClosedContract, Unset, optional
from tribal_contracts.documentation.configuration import DatabaseEntry, LintRules
from tribal_contracts.documentation.definitions import Metric, Term
from tribal_contracts.interrogation.settings import InterrogationSettings
from tribal_contracts.memory.records import MemorySettings


class AnswerLimits(ClosedContract):
    """How large the answers of the tools may be."""

    answer_tokens: int = Field(
        default=3_000, ge=500, le=100_000, description="The most tokens of a default answer; longer ones are paged."
    )


class ProjectFile(ClosedContract):
    """The whole of `databases.yaml`."""

    databases: list[DatabaseEntry]
    store: str | Unset = optional("Where documents and index go; the file's own folder when unset.")
    units_at_once: int = Field(default=4, ge=1, le=64)
    tables_at_once: int = Field(default=3, ge=1, le=32)
    worker_processes: int | Unset = optional(
        "Processes that document at once; unset, large runs get one a core, up to units_at_once.", ge=1, le=64
    )
    tables_per_unit: int = Field(default=25, ge=1, le=500)
    statistics_max_age_days: float = Field(default=7.0, gt=0, le=36_500)
    runs_kept: int = Field(default=50, ge=1, le=100_000)
    model: ModelSection | Unset = optional("The model that describes tables; without one, rules do.")
    models: dict[ModelName, ModelEntry] = Field(
        default_factory=dict, description="Models by a name of your own, for other sections to use."
    )
    spending: SpendingSettings | Unset = optional("What all models together may cost.")
    embedder: EmbedderSection = Field(default="wordllama", description="What makes the vectors of the search index.")
    metrics: list[Metric] = Field(
        default_factory=list, max_length=200, description="Numbers that people agree on, and the SQL of each."
    )
    terms: list[Term] = Field(
        default_factory=list, max_length=200, description="Your own words, and what they mean; sent to models."
    )
    lint: LintRules = Field(default_factory=LintRules)
    limits: AnswerLimits = Field(default_factory=AnswerLimits)
    serve: ServeSettings = Field(default_factory=ServeSettings)
    identity: IdentitySettings = Field(default_factory=IdentitySettings)
    knowledge: KnowledgeSettings | Unset = optional("Where decisions and policies are kept; synced from there.")
    sync: SyncSettings = Field(default_factory=SyncSettings)
    interrogation: InterrogationSettings | Unset = optional("Models that question the documentation, and their caps.")
    memory: MemorySettings | Unset = optional("Memory; agents are offered its tools where this part is there.")
    contribution: ContributionSettings | Unset = optional("Repositories that create databases, to carry texts back to.")
    chat: ChatSettings | Unset = optional("The chat: its default collection, caps, limits and what is kept.")
    collections: list[CollectionEntry] = Field(
        default_factory=list, max_length=100, description="Collections of documents that the chat answers from."
    )

    @model_validator(mode="after")
    def _sections_are_whole(self) -> Self:
        sections_in(self)
        return self

    @property
    def sections(self) -> dict[str, CapabilitySettings]:
        """The sections of capabilities that are present, by name."""
        return sections_in(self)


CAPABILITY_SECTIONS = section_kinds(ProjectFile)
"""The section of each capability that has one, by name."""
