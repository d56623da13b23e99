"""Which work units have something to be indexed, for those who take them in side by side."""

from __future__ import annotations

from tribal.indexing.manifest import load_manifest
from tribal.ports import ObjectStore, SearchIndex


def units_to_index(store: ObjectStore, index: SearchIndex, model: str) -> list[str]:
    """Units of the manifest that wrote a file which the index, built with this model, does not hold as it is.

    Raises:
        ManifestError: when the manifest is missing or cannot be used.
    """
    files = load_manifest(store).files
    held = index.begin(model)
    return sorted({f.work_unit for path, f in files.items() if f.work_unit and held.get(path) != f.content_hash})
