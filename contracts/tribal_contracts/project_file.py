"""The shape of `databases.yaml`, across all capabilities. Extension contract; unknown keys are refused."""

from __future__ import annotations

from typing import Annotated, Self

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
    """Limits of the answers of tools."""

    answer_tokens: int = Field(
        default=3_000, ge=500, le=100_000, description="Most tokens of an answer; longer answers are paged."
    )


class ProjectFile(ClosedContract):
    """The settings of a project: the databases to document, and everything else that can be configured."""

    databases: list[DatabaseEntry] = Field(description="The databases to document; `[]` for none.")
    store: str | Unset = optional(
        "Where documents and index are stored: a folder, or s3://bucket/prefix. By default the folder of this file."
    )
    units_at_once: int = Field(default=4, ge=1, le=64, description="Work units that a run documents in parallel.")
    tables_at_once: int = Field(default=3, ge=1, le=32, description="Tables that a work unit processes in parallel.")
    worker_processes: Annotated[int, Field(ge=1, le=64)] | Unset = optional(
        "Processes that document in parallel; 1 is the run itself. By default a large run uses one per core, at most "
        "`units_at_once`."
    )
    tables_per_unit: int = Field(
        default=25, ge=1, le=500, description="Most tables of a work unit; a larger domain is split into several."
    )
    statistics_max_age_days: float = Field(
        default=7.0,
        gt=0,
        le=36_500,
        description="Age in days from which row counts and comparisons of likely keys are read again.",
    )
    runs_kept: int = Field(
        default=50, ge=1, le=100_000, description="Runs whose plan and record are kept, for `tribal diff --since`."
    )
    model: ModelSection | Unset = optional(
        "The model that describes undocumented tables. Without it rules do, and nothing leaves this machine."
    )
    models: dict[ModelName, ModelEntry] = Field(
        default_factory=dict, description="Models by a name of your own, which other sections use."
    )
    spending: SpendingSettings | Unset = optional("Limit of what all models together may cost.")
    embedder: EmbedderSection = Field(
        default="wordllama",
        description="What makes the vectors of the search index: `wordllama`, the folder of a model (`onnx`), or a "
        "server (`provider` and `name`).",
    )
    metrics: list[Metric] = Field(
        default_factory=list, max_length=200, description="Numbers that people agree on, with the SQL of each."
    )
    terms: list[Term] = Field(
        default_factory=list,
        max_length=200,
        description="Your own words and what they mean. They are sent to the model with every request.",
    )
    lint: LintRules = Field(
        default_factory=LintRules, description="Rules of `tribal lint`, and the coverage that it requires."
    )
    limits: AnswerLimits = Field(default_factory=AnswerLimits, description="Size of the answers of tools.")
    serve: ServeSettings = Field(
        default_factory=ServeSettings, description="Who may ask `tribal serve`. By default anyone on this machine."
    )
    identity: IdentitySettings = Field(
        default_factory=IdentitySettings,
        description="Who works in this folder, on the command line and over stdio; memories are stored by it.",
    )
    knowledge: KnowledgeSettings | Unset = optional("The repository of decisions and policies, read by `tribal sync`.")
    sync: SyncSettings = Field(default_factory=SyncSettings, description="When a sync of `knowledge` is overdue.")
    interrogation: InterrogationSettings | Unset = optional(
        "Models that question the documentation, and what they may cost. Without it rules do both."
    )
    memory: MemorySettings | Unset = optional("Memory for agents. They are offered its tools if this section exists.")
    contribution: ContributionSettings | Unset = optional(
        "Repositories that create the databases, to contribute descriptions to."
    )
    chat: ChatSettings | Unset = optional("The chat: its default collection, costs, limits and what is stored.")
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
