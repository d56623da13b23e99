"""The vector of a question, or why only words are searched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tribal.capabilities.retrieval.searching.question_words import ParsedQuestion
from tribal.capabilities.retrieval.toolbox import OpenIndex, Toolbox
from tribal.errors import EmbeddingFailed
from tribal.ports import Embedder, IndexFilter
from tribal_contracts import AgentError

if TYPE_CHECKING:
    from numpy.typing import NDArray


def question_vector(
    text: str, question: ParsedQuestion, where: IndexFilter, opened: OpenIndex, toolbox: Toolbox
) -> tuple[NDArray[Any] | None, list[AgentError]]:
    """Embed a question as the model of the index takes it; warn about what is searched by words only."""
    embedder, metadata = toolbox.embedder, opened.metadata
    if embedder is None:
        return None, [_warning(toolbox.no_embedder, toolbox)]
    if metadata.embedding_count == 0:
        return None, [_warning("the index has no vectors", toolbox)]
    kept, others = _databases(embedder, where, opened)
    warnings = [_warning("describer: rules keeps them from the server", toolbox, kept)] if kept else []
    if not others:
        return None, warnings
    try:
        if embedder.model != metadata.embedding_model:
            reason = f"the index was built with {metadata.embedding_model!r}, but {embedder.model!r} is configured"
            return None, [_warning(f"{reason}; run `tribal index`", toolbox)]
        vector = embedder.embed([text if embedder.takes_questions else " ".join(question.spelt) or text])[0]
    except EmbeddingFailed as error:
        return None, [_warning(error.message, toolbox)]
    return vector, warnings


def _databases(embedder: Embedder, where: IndexFilter, opened: OpenIndex) -> tuple[list[str], list[str]]:
    """The databases that are searched, with those first whose texts the embedder does not get."""
    if not embedder.sends_texts:
        return [], [""]
    searched = sorted({entry.database for entry in opened.tables if where.admits(entry)})
    kept = [name for name in searched if not embedder.may_embed(name)]
    return kept, [name for name in searched if name not in kept]


def _warning(reason: str, toolbox: Toolbox, databases: Sequence[str] = ()) -> AgentError:
    where = f" in {', '.join(databases)}" if databases else ""
    return toolbox.warning("IDX_EMBEDDING_FAILED", f"only words were searched{where}: {reason}")
