"""Questions asked before units are indexed in parallel: which have changed, and whether index and manifest agree.

Asking never begins a generation: an index that does not exist yet counts as empty.
"""

from __future__ import annotations

from tribal.errors import doing
from tribal.indexing.context import IndexingContext
from tribal.indexing.manifest import load_handover
from tribal.ports import INDEX_VERSION


@doing("indexing")
def units_to_index(context: IndexingContext) -> list[str]:
    """Units of the manifest with a file that is missing or outdated in the index built with this model.

    Raises:
        ManifestError: when the manifest is missing or cannot be used.
        IndexNotReady: when the index cannot be asked.
    """
    files = load_handover(context.store).files
    held = context.index.held(context.model)
    return sorted({f.work_unit for path, f in files.items() if f.work_unit and held.get(path) != f.content_hash})


@doing("indexing")
def agrees(context: IndexingContext) -> bool:
    """Whether the index was built from the manifest with this model, and holds exactly its files and keys.

    The index's metadata alone do not prove it: a delayed writer may have written after they were published.

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
