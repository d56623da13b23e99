"""Verifies one query against the published documents, and records the day in its file."""

from __future__ import annotations

from tribal.documenting.definitions.published import check_query_file, published_definitions
from tribal.documenting.definitions.query_files import parse_query_file, with_verified
from tribal.errors import ConfigurationError, ObjectNotFound
from tribal.identity import locations
from tribal.ports import ObjectStore
from tribal.store import sealed
from tribal_contracts import VerifiedQuery


def verify_query(key: str, store: ObjectStore, day: str) -> VerifiedQuery:
    """Check the query in a file; if it is right, write the day into its header.

    Args:
        key: of the file, below `queries/`.
        store: has the file and the documents.
        day: today, as `YYYY-MM-DD`.

    Raises:
        ConfigurationError: when the file does not exist, has no header or an incomplete one.
        ManifestError: when nothing is documented yet.
        PreconditionFailed: when someone changed the file in the meantime.
    """
    try:
        stored = store.get(key)
    except ObjectNotFound:
        raise ConfigurationError(
            f"there is no {key} in {store.location}; name a file of its folder {locations.QUERIES}"
        ) from None
    file = parse_query_file(key, stored.data)
    if file is None:
        raise ConfigurationError(f"{key} has no header; write `-- question: ` and what it answers on its first line")
    found = check_query_file(file, store)
    if found.problems:
        return found
    after = with_verified(stored.data, day)
    if after != stored.data:
        store.put(key, after, if_match=stored.etag)
    elif found.verified_with:
        _renew(found, store)
    return found.model_copy(update={"verified": day})


def _renew(query: VerifiedQuery, store: ObjectStore) -> None:
    """Replace what was recorded of a query's tables earlier on the same day: a run would keep it, as the day stays."""
    published = published_definitions(store)
    present = store.head(locations.DEFINITIONS_FILE)
    if published is None or present is None:
        return
    queries = [query if each.file == query.file else each for each in published.queries]
    if queries != published.queries:
        renewed = published.model_copy(update={"queries": queries})
        data = sealed(locations.DEFINITIONS_FILE, renewed.to_json())
        store.put(locations.DEFINITIONS_FILE, data, if_match=present.etag)
