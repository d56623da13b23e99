"""What those who take units in side by side ask first: which have something new, and whether all is as it should be.

Asking begins no generation: an index that is not there yet is one that holds nothing.
"""

from __future__ import annotations

from tribal.errors import doing
from tribal.indexing.context import IndexingContext
from tribal.indexing.manifest import load_handover
from tribal.ports import INDEX_VERSION


@doing("indexing")
def units_to_index(context: IndexingContext) -> list[str]:
    """Units of the manifest that wrote a file which the index, built with this model, does not hold as it is.

    Raises:
        ManifestError: when the manifest is missing or cannot be used.
        IndexNotReady: when the index cannot be asked.
    """
    files = load_handover(context.store).files
    held = context.index.held(context.model)
    return sorted({f.work_unit for path, f in files.items() if f.work_unit and held.get(path) != f.content_hash})


@doing("indexing")
def agrees(context: IndexingContext) -> bool:
    """Whether the index was made from the manifest with this model, and holds its files and keys and no others.

    What the index says of itself is not enough: a writer that was held up may have come after it was said.

    Raises:
        ManifestError: when the manifest is missing or cannot be used.
        IndexNotReady: when the index cannot be asked.
    """
    handover, index = load_handover(context.store), context.index
    metadata = index.metadata()
    if metadata is None or (metadata.index_version, metadata.embedding_model) != (INDEX_VERSION, context.model):
        return False
    graph = index.key_graph()
    made_from = {metadata.manifest_hash, None if graph is None else graph.manifest_hash}
    return made_from == {handover.manifest_hash} and index.held(context.model) == handover.hashes
