"""The sections `chat` and `collections` of `databases.yaml`. Extension contracts; unknown keys are refused."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from tribal_contracts.core.models import (
    Dollars,
    EmbeddingEntry,
    ModelEntry,
    ModelName,
    ModelProvider,
    unknown_model,
)
from tribal_contracts.core.sections import CapabilitySettings, Place, SectionProblem
from tribal_contracts.core.shape import ClosedContract, Unset, optional

CATALOG = "catalog"
"""The collection that is the documentation itself: always there, and nothing can be uploaded to it."""
TUTOR_COLLECTION = "comp237_course_materials"
"""Source: specification, 4."""
TUTOR_COURSE = "COMP 237"
TUTOR_MODELS = ("gemini-2.0-flash", "gemini-1.5-pro-001")
"""The chat models that the profile `tutor` allows, besides any of Groq. Source: specification, 5."""
TUTOR_DIMENSIONS = 768
TUTOR_DISTANCE = 1.5
"""The squared L2 distance from which a question is out of scope. Source: specification, 2."""
PROVIDERS_OF_TUTOR: tuple[ModelProvider, ...] = ("gemini", "groq")

Profile = Literal["catalog", "tutor"]
CollectionLayer = Literal["company", "org", "team", "project"]
CollectionName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,62}$")]
Owner = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^\S(.*\S)?$")]
CourseId = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Intent = Literal["fast", "coder", "reasoning", "syllabus_query"]
"""What a question is for. Source: specification, 1 and 6."""


def _pattern(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(f"it is not a regular expression: {error}") from None
    return text


Pattern = Annotated[str, StringConstraints(min_length=1, max_length=500), AfterValidator(_pattern)]
"""A pattern in the syntax of RE2."""


class ScopeLaw(ClosedContract):
    """The law of scope of a collection."""

    threshold: Annotated[float, Field(ge=0, le=4)] | Unset = optional(
        "Profile catalog: the probability (0 to 1) that a question is about the documents, below which it is refused. "
        "Profile tutor: the squared distance from which it is refused."
    )


class IntegrityLaw(ClosedContract):
    """The law of integrity of a collection."""

    patterns: list[Pattern] = Field(
        default_factory=list,
        max_length=100,
        description="Phrases to refuse in addition to the shipped ones, as regular expressions of RE2.",
    )


class Laws(ClosedContract):
    """What a collection's laws add to those of its profile."""

    scope: ScopeLaw = Field(default_factory=ScopeLaw, description="Which questions are off topic.")
    integrity: IntegrityLaw = Field(
        default_factory=IntegrityLaw, description="Which requests are refused because of what they ask for."
    )


class CollectionEntry(ClosedContract):
    """A collection of passages that a chat answers from."""

    name: CollectionName | Unset = optional(
        "Name of the collection. `catalog` is the documentation; a collection with `profile: tutor` has a default."
    )
    profile: Profile = Field(
        default="catalog",
        description="`catalog` answers from the documents and the documentation, `tutor` from the documents alone.",
    )
    layer: CollectionLayer = Field(
        default="company", description="Who may see it: the whole company, or an organization, a team or a project."
    )
    owner: Owner | Unset = optional("Name of the organization, team or project that may see it.")
    models: list[ModelName] | dict[Intent, list[ModelName]] = Field(
        default_factory=list,
        description="Names under `models` that may answer, the preferred one first: for all questions, or by intent. "
        "Without any, answers are assembled without a model.",
    )
    successors: dict[str, str] = Field(
        default_factory=dict,
        description="Profile tutor: replacements for models that are out of service, by the provider's names.",
    )
    laws: Laws = Field(
        default_factory=Laws, description="What it refuses to answer, in addition to the rules of its profile."
    )
    embedding: EmbeddingEntry | Unset = optional(
        "Server that embeds its passages and questions. By default the shipped embedder does."
    )
    course_id: CourseId | Unset = optional("The `course_id` of its passages. By default its name.")

    @model_validator(mode="after")
    def _is_complete(self) -> Self:
        if self.name is None and self.profile != "tutor":
            raise ValueError("it needs a name")
        if self.layer != "company" and self.owner is None:
            raise ValueError(f"layer {self.layer} needs owner, the name of the {self.layer}")
        if self.name == CATALOG and (self.profile != CATALOG or self.layer != "company" or self.embedding is not None):
            raise ValueError("the collection catalog is the documentation; it takes models, laws and course_id only")
        if self.successors and self.profile != "tutor":
            raise ValueError("successors belong to profile tutor")
        if self.profile == "tutor" and self.embedding is not None and self.embedding.dimensions != TUTOR_DIMENSIONS:
            raise ValueError(f"profile tutor has vectors of {TUTOR_DIMENSIONS} dimensions")
        if self.profile == "tutor" and self.embedding is not None and self.embedding.provider == "openai":
            raise ValueError("profile tutor takes embeddings of gemini, or of ollama as a stand-in on this machine")
        return self

    @property
    def title(self) -> str:
        """Its name."""
        return self.name or TUTOR_COLLECTION

    @property
    def course(self) -> str:
        """The `course_id` of its passages."""
        return self.course_id or (TUTOR_COURSE if self.profile == "tutor" else self.title)

    @property
    def threshold(self) -> float | None:
        """The threshold of its law of scope; `None` for the default of profile catalog."""
        stated = self.laws.scope.threshold
        return TUTOR_DISTANCE if stated is None and self.profile == "tutor" else stated

    def models_for(self, intent: Intent) -> list[ModelName]:
        """The models that may answer questions of an intent, in the order in which they are tried."""
        if isinstance(self.models, list):
            return self.models
        return self.models.get(intent, [])

    @property
    def every_model(self) -> list[ModelName]:
        """All models that may answer."""
        listed = (
            self.models if isinstance(self.models, list) else [name for each in self.models.values() for name in each]
        )
        return list(dict.fromkeys(listed))

    @property
    def has_models(self) -> bool:
        """Whether a model may answer, or a server embeds questions and passages."""
        return bool(self.every_model) or self.embedding is not None


class IntentRule(ClosedContract):
    """A rule of one's own about what a question is for."""

    intent: Intent = Field(description="The kind of question.")
    pattern: Pattern = Field(description="Regular expression of RE2 that such questions match.")


class UploadLimits(ClosedContract):
    """What an upload may have."""

    largest_mb: int = Field(default=200, ge=1, le=5_000, description="Maximum size of an upload in MB.")
    entries: int = Field(default=2_000, ge=1, le=100_000, description="Most entries of an archive.")
    unpacked_mb: int = Field(default=1_000, ge=1, le=100_000, description="Maximum size of an unpacked archive in MB.")
    ratio: int = Field(
        default=100, ge=2, le=10_000, description="Maximum ratio of the unpacked to the packed size of an entry."
    )
    pages: int = Field(default=5_000, ge=1, le=100_000, description="Most pages of a file.")
    file_seconds: int = Field(default=60, ge=1, le=600, description="Maximum time to parse a file.")
    file_memory_mb: int = Field(default=1_000, ge=100, le=8_000, description="Maximum memory to parse a file, in MB.")
    passages: int = Field(default=100_000, ge=100, le=1_000_000, description="Most passages of a collection.")


class ChatSettings(CapabilitySettings):
    """The chat: its default collection, what it may cost, and what is kept."""

    TOP_LEVEL = frozenset({"collections"})

    collection: CollectionName | Unset = optional(
        "Collection of questions and uploads that name none. By default `catalog`, the documentation."
    )
    streaming: bool = Field(
        default=True,
        description="Whether a deployed chat streams its answers; if not, it sends the same bytes at the end.",
    )
    show_thinking: bool = Field(default=False, description="Whether to show a model's thinking where it returns it.")
    per_answer_usd: Dollars = Field(default=0.05, description="Maximum cost of one answer in dollars.")
    per_caller_day_usd: Dollars = Field(
        default=1.0, description="Maximum cost of one caller in dollars, for each UTC day."
    )
    per_upload_usd: Dollars = Field(default=1.0, description="Maximum cost of embedding one upload in dollars.")
    questions_per_minute: int = Field(
        default=30, ge=1, le=100_000, description="Most questions of a caller per minute."
    )
    answer_seconds: int = Field(default=120, ge=10, le=600, description="Maximum time of an answer.")
    answer_tokens: int = Field(default=800, ge=100, le=8_000, description="Most tokens of a model's answer.")
    intents: list[IntentRule] = Field(
        default_factory=list,
        max_length=100,
        description="Your own rules that tell kinds of questions apart; they come before the shipped ones.",
    )
    audit: bool = Field(default=False, description="Whether questions and answers are stored.")
    audit_days: int = Field(
        default=90, ge=1, le=36_500, description="Days for which stored questions and answers are kept."
    )
    uploads: UploadLimits = Field(default_factory=UploadLimits, description="Limits of uploads.")
    collections: list[CollectionEntry] = Field(
        default_factory=list, max_length=100, description="Filled from the section `collections`."
    )

    def problems(self, models: Mapping[str, ModelEntry]) -> Iterator[SectionProblem]:
        """Yield each mistake in the collections, given the configured models."""
        names = Counter(each.title for each in self.collections)
        for number, each in enumerate(self.collections):
            where = ("collections", number)
            if names[each.title] > 1:
                yield _problem((*where, "name"), f"{each.title!r} is listed twice; keep one of them")
            for name in each.every_model:
                if name not in models:
                    yield _problem((*where, "models"), unknown_model(name, models))
                elif each.profile == "tutor":
                    problem = _not_of_tutor(name, models[name], each.successors)
                    if problem:
                        yield _problem((*where, "models"), problem)
        if self.collection is not None and self.entry(self.collection) is None:
            yield _problem(("chat", "collection"), f"{self.collection!r} is not one of collections")

    @property
    def has_models(self) -> bool:
        """Whether a model may answer, or a server embeds."""
        return any(each.has_models for each in self.collections)

    @property
    def needs_packages(self) -> bool:
        """Whether files can be uploaded, or patterns are configured."""
        patterns = any(each.laws.integrity.patterns for each in self.collections)
        return bool(self.intents) or patterns or any(each.title != CATALOG for each in self.collections)

    @property
    def every_model(self) -> list[ModelName]:
        """All models that may answer, in any collection."""
        return list(dict.fromkeys(name for each in self.collections for name in each.every_model))

    @property
    def embeddings(self) -> list[ModelEntry]:
        """The servers that embed passages and questions."""
        return [each.embedding.entry for each in self.collections if each.embedding is not None]

    def entry(self, name: str) -> CollectionEntry | None:
        """The entry of a collection; `None` if it is not configured. `catalog` always is."""
        found = next((each for each in self.collections if each.title == name), None)
        return CollectionEntry(name=CATALOG) if found is None and name == CATALOG else found

    @property
    def default_collection(self) -> str:
        """The collection of questions that name none."""
        return self.collection or CATALOG


def _problem(place: Place, message: str) -> SectionProblem:
    return SectionProblem(place, message, "CHAT_MODEL_NOT_ALLOWED")


def _not_of_tutor(name: str, model: ModelEntry, successors: Mapping[str, str]) -> str:
    if model.provider not in PROVIDERS_OF_TUTOR:
        return f"{name!r} is of provider {model.provider}, but profile tutor allows only gemini and groq"
    allowed = {*TUTOR_MODELS, *(successors[each] for each in TUTOR_MODELS if each in successors)}
    if model.provider == "gemini" and model.name not in allowed:
        return (
            f"{name!r} is {model.name}, but profile tutor allows only {', '.join(TUTOR_MODELS)} and their successors; "
            f"write `successors: {{{TUTOR_MODELS[0]}: {model.name}}}`"
        )
    return ""
