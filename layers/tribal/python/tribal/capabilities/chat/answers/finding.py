"""Find what a question is about, in the documentation and in the passages of a collection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from tribal.answering.documentation import Documentation, DocumentedAnswer
from tribal.capabilities.chat.answers.passages import RankedPassage, find_passages, nearest_passages
from tribal.capabilities.chat.collections.files import CollectionFiles
from tribal.capabilities.chat.errors import CollectionMismatch
from tribal.capabilities.chat.laws.scope import NothingRetrieved, Relevance
from tribal.capabilities.chat.parts import ChatParts
from tribal.capabilities.chat.rights import ASK_CHAT
from tribal.errors import EmbeddingFailed, IndexNotReady, ToolInputInvalid
from tribal.ports import Application, Caller
from tribal.ports.passages import PassageIndex, PassageMatch, TextEmbedder
from tribal.questions.pointers import Topic
from tribal.questions.reading import is_identifier
from tribal.ranking.calibration import LEAST_TOPIC
from tribal_contracts.answering.answers import AskInput
from tribal_contracts.chat.collections import CollectionSource
from tribal_contracts.chat.settings import CATALOG, CollectionEntry

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEADING_EVIDENCE = 0.25
"""Minimum evidence for ranking a passage before tables that the question does not name. By judgement."""
_DOCUMENTED_CHARS = 2_000
"""Maximum length of a question in a search of the documentation."""


@dataclass(frozen=True, slots=True)
class Found:
    """Search results for one text."""

    documented: DocumentedAnswer | None = None
    passages: Sequence[RankedPassage] = ()
    relevance: Relevance = field(default_factory=Relevance)

    @property
    def passages_lead(self) -> bool:
        """Whether the question is about a file rather than about tables."""
        questions = [each.context.question for each in (self.documented.parts if self.documented else ())]
        names = any(is_identifier(mention) for each in questions if each for mention in each.mentions)
        return self.relevance.passage >= LEADING_EVIDENCE and not names


@dataclass(frozen=True, slots=True)
class Finder:
    """Searches one collection on behalf of one caller."""

    entry: CollectionEntry
    caller: Caller
    app: Application
    parts: ChatParts
    account: str
    """Account to which the embedding of questions is charged."""

    @property
    def has_documentation(self) -> bool:
        """Whether the collection includes the documentation of databases."""
        return self.entry.profile == "catalog"

    @property
    def documentation(self) -> Documentation:
        """The documentation, limited to what the caller may see."""
        return Documentation(self.caller, self.app)

    def files(self) -> list[CollectionSource]:
        """Return the files that answers may use, without removed ones."""
        if self.entry.title == CATALOG:
            return []
        manifest = CollectionFiles(self.app.store(), self.entry.title).manifest()
        return manifest.sources

    def find(self, texts: Sequence[str]) -> list[Found]:
        """Search for each text.

        Raises:
            NothingRetrieved: when the law of scope has nothing to compare the question with.
            CollectionMismatch: when the index was not built with the configured embedding model.
            IndexNotReady: when the index of the collection cannot be read.
        """
        sources = {each.source_id: each for each in self.files()}
        index = self._index() if sources else None
        vectors = self._vectors(texts, index)
        return [self._found(text, index, vector, sources) for text, vector in zip(texts, vectors, strict=True)]

    def topic(self, text: str) -> Topic | None:
        """Return the tables that a question is about; `None` if it is about no table, or about a file."""
        if not self.has_documentation:
            return None
        (found,) = self.find([text])
        least = LEAST_TOPIC if self.entry.threshold is None else self.entry.threshold
        if found.documented is None or found.passages_lead or found.relevance.topic < least:
            return None
        return found.documented.parts[-1].topic

    def require_ready(self) -> None:
        """Check that there is something to answer from. `tutor` collections are not checked: their laws refuse instead.

        Raises:
            CollectionMismatch: when the index was not built with the configured embedding model.
            IndexNotReady: when nothing is documented and nothing was uploaded.
        """
        if not self.has_documentation:
            return
        if self.entry.title != CATALOG:
            if (index := self._index()) is not None:
                self._require_same(index, self._embedder())
            if self.files():
                return
        try:
            self.documentation.limits(None, None)
        except IndexNotReady as error:
            if self.entry.title == CATALOG:
                raise
            raise IndexNotReady(
                f"the collection {self.entry.title!r} has no files yet, and nothing is documented; run "
                f"`tribal upload FILE --collection {self.entry.title}`"
            ) from error

    def _found(
        self,
        text: str,
        index: PassageIndex | None,
        vector: NDArray[Any] | None,
        sources: Mapping[str, CollectionSource],
    ) -> Found:
        documented = self._documented(text) if self.has_documentation else None
        passages: list[RankedPassage] = []
        if index is not None and self.entry.profile == "tutor":
            assert vector is not None, "a tutor has a vector or refuses"
            passages = nearest_passages(vector, index, sources)
        elif index is not None:
            passages = find_passages(text, vector, index, sources)
        passages = [replace(each, path=_path(each.match, sources)) for each in passages]
        distances = [each.match.distance for each in passages if each.match.distance is not None]
        relevance = Relevance(
            topic=max((each.context.in_scope for each in (documented.parts if documented else ())), default=0.0),
            passage=max((each.evidence for each in passages), default=0.0),
            distance=min(distances, default=None),
        )
        return Found(documented, passages, relevance)

    def _documented(self, text: str) -> DocumentedAnswer | None:
        try:
            return self.documentation.about(AskInput(question=text[-_DOCUMENTED_CHARS:]))
        except IndexNotReady:
            # Files can be asked about where no database is documented.
            if self.entry.title == CATALOG:
                raise
            return None
        except ToolInputInvalid:
            return None

    def _index(self) -> PassageIndex | None:
        return self.parts.indexes().current(self.entry.title)

    def _vectors(self, texts: Sequence[str], index: PassageIndex | None) -> Sequence[NDArray[Any] | None]:
        nothing: list[NDArray[Any] | None] = [None] * len(texts)
        is_tutor = self.entry.profile == "tutor"
        if index is None:
            if is_tutor:
                raise NothingRetrieved("This collection has no documents yet, so it cannot answer questions.")
            return nothing
        if self.entry.embedding is None and is_tutor:
            raise NothingRetrieved(
                "This collection has no embedding model, so questions cannot be compared with its passages. "
                "Configure `embedding`."
            )
        if self.entry.embedding is not None and (obstacle := self._obstacle_to_embedding()):
            if is_tutor:
                raise NothingRetrieved(obstacle)
            return nothing
        embedder = self._embedder()
        self._require_same(index, embedder)
        try:
            return list(embedder.embed(texts))
        except EmbeddingFailed:
            if is_tutor:
                raise
            return nothing

    def _obstacle_to_embedding(self) -> str:
        """Return why a question may not be sent to an embedding server; empty if it may."""
        if not self.parts.asks_models:
            return "Without a model, questions cannot be compared with the passages of this collection."
        return "" if self.caller.may(ASK_CHAT) else f"You need the {ASK_CHAT!r} right to ask this collection."

    def _embedder(self) -> TextEmbedder:
        return self.parts.embedder(self.entry, self.account, self.parts.settings.per_answer_usd)

    def _require_same(self, index: PassageIndex, embedder: TextEmbedder) -> None:
        recorded = index.pointer.embedding
        if (recorded.model, recorded.dimensions) != (embedder.model, embedder.dimensions):
            raise CollectionMismatch(
                f"the collection {self.entry.title!r} was embedded with {recorded.model} ({recorded.dimensions} "
                f"dimensions), but {embedder.model} ({embedder.dimensions}) is configured; configure {recorded.model} "
                "again, or upload its files to a new collection"
            )


def _path(match: PassageMatch, sources: Mapping[str, CollectionSource]) -> str | None:
    paths = sources[match.source_id].paths
    return next((each for each in paths if each.rpartition("/")[2] == match.passage.source_filename), None)
