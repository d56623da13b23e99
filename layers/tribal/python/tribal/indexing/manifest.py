"""The boundary to documenting: check the manifest and its files before indexing starts."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial

from pydantic import JsonValue

from tribal.errors import ManifestError, ObjectDamaged, ObjectNotFound, StoreError
from tribal.identity.hashing import bytes_hash
from tribal.identity.locations import DOCS, MANIFEST_FILE
from tribal.ports import ObjectStore
from tribal.store import content_hash, require_manifest
from tribal_contracts import DocumentationManifest, IndexableFile

_NAMED_FILES = 10
REQUESTS_AT_ONCE = 16
"""Concurrent requests to the store: a request to S3 takes about 15 ms, and there are thousands of files."""


@dataclass(frozen=True)
class Handover:
    """A valid manifest with the hash of its bytes."""

    manifest: DocumentationManifest
    manifest_hash: str

    @cached_property
    def files(self) -> dict[str, IndexableFile]:
        """Files that yield records, by path relative to `docs/`; without overviews."""
        return {file.path: file for file in self.manifest.indexable_files if file.type != "overview"}

    @cached_property
    def hashes(self) -> dict[str, str]:
        """Content hashes of `files`, by path."""
        return {path: file.content_hash for path, file in self.files.items()}

    @property
    def overviews(self) -> list[str]:
        """Paths of listed files that are skipped."""
        return [file.path for file in self.manifest.indexable_files if file.type == "overview"]

    def of_units(self, work_units: frozenset[str]) -> set[str]:
        """Paths of these units' files, and of the domain and relationship files of their domains."""
        own = [file for file in self.files.values() if file.work_unit in work_units]
        domains = {(file.database, file.domain) for file in own}
        shared = [f for f in self.files.values() if f.type != "table" and (f.database, f.domain) in domains]
        return {file.path for file in (*own, *shared)}


def load_handover(store: ObjectStore) -> Handover:
    """Read the manifest and check that it can be indexed.

    Raises:
        ManifestError: when it is missing, unfinished, empty, malformed or of another version.
    """
    stored = require_manifest(store)
    paths = [file.path for file in stored.manifest.indexable_files]
    if not paths:
        raise ManifestError(
            f"{MANIFEST_FILE} lists no files; document a database first with `tribal run` or `tribal document`",
            code="MANIFEST_INCOMPLETE",
        )
    if len(set(paths)) != len(paths):
        raise ManifestError(f"{MANIFEST_FILE} lists a file twice; document again")
    return Handover(stored.manifest, stored.content_hash)


def check_files(store: ObjectStore, handover: Handover, paths: Iterable[str]) -> bool:
    """Whether every file matches the manifest; false if the manifest has been replaced in the meantime.

    Raises:
        ManifestError: when a file is missing or differs although the manifest is unchanged.
    """
    files = {file.path: file for file in handover.manifest.indexable_files}
    listed = sorted(paths)
    with ThreadPoolExecutor(REQUESTS_AT_ONCE) as pool:
        found = dict(zip(listed, pool.map(partial(_hash_in, store), listed), strict=True))
    missing = [path for path in listed if found[path] is None]
    different = [path for path in listed if found[path] not in (None, files[path].content_hash)]
    if not missing and not different:
        return True
    if is_superseded(store, handover):
        return False
    code = "MANIFEST_FILE_MISSING" if missing else "MANIFEST_HASH_MISMATCH"
    wrong = missing or different
    named: list[JsonValue] = [*wrong[:_NAMED_FILES]]
    raise ManifestError(
        f"{len(wrong)} file(s) of {MANIFEST_FILE} "
        f"{'are missing' if missing else 'have changed since it was written'}, starting with {wrong[0]!r}; run "
        "`tribal run` to document and index again",
        code=code,
        context={"files": named, "count": len(wrong)},
    )


def _hash_in(store: ObjectStore, path: str) -> str | None:
    try:
        return content_hash(store, DOCS + path)
    except StoreError as exc:
        raise ManifestError(f"{MANIFEST_FILE} lists {path!r}, which cannot be a file: {exc.message}") from exc


def is_superseded(store: ObjectStore, handover: Handover) -> bool:
    """Whether a newer manifest has replaced this one."""
    try:
        return bytes_hash(store.get(MANIFEST_FILE).data) != handover.manifest_hash
    except (ObjectDamaged, ObjectNotFound):
        return False
