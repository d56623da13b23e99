"""What those who take units in side by side ask first: which have something new, and whether all is as it should be."""

from __future__ import annotations

from tribal.errors import doing
from tribal.indexing.manifest import load_handover
from tribal.ports import INDEX_VERSION, ObjectStore, SearchIndex


@doing("indexing")
def units_to_index(store: ObjectStore, index: SearchIndex, model: str) -> list[str]:
    """Units of the manifest that wrote a file which the index, built with this model, does not hold as it is.

    Raises:
        ManifestError: when the manifest is missing or cannot be used.
    """
    files = load_handover(store).files
    held = index.begin(model)
    return sorted({f.work_unit for path, f in files.items() if f.work_unit and held.get(path) != f.content_hash})


@doing("indexing")
def agrees(store: ObjectStore, index: SearchIndex, model: str) -> bool:
    """Whether the index was made from the manifest with this model, and holds its files and keys and no others.

    What the index says of itself is not enough: a writer that was held up may have come after it was said.

    Raises:
        ManifestError: when the manifest is missing or cannot be used.
    """
    handover = load_handover(store)
    metadata = index.metadata()
    if metadata is None or (metadata.index_version, metadata.embedding_model) != (INDEX_VERSION, model):
        return False
    graph = index.key_graph()
    made_from = {metadata.manifest_hash, None if graph is None else graph.manifest_hash}
    return made_from == {handover.manifest_hash} and index.begin(model) == handover.hashes
