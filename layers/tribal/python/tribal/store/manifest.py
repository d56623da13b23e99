"""The manifest: the output of documenting, the input of indexing, and the starting point of every later run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from pydantic import JsonValue, ValidationError
from pydantic_core import from_json

from tribal.errors import ManifestError, ObjectDamaged, ObjectNotFound
from tribal.identity.hashing import bytes_hash
from tribal.identity.locations import MANIFEST_FILE
from tribal.ports import ObjectStore
from tribal.store.records import first_problem
from tribal.store.sealing import require_seal
from tribal_contracts import SCHEMA_VERSION, DocumentationManifest

_STATUSES = get_args(DocumentationManifest.model_fields["status"].annotation)
_NAMED_PROBLEMS = 10
_HINT = "`tribal run` or `tribal document` rebuilds it"


@dataclass(frozen=True, slots=True)
class StoredManifest:
    """A manifest with the hash of its bytes."""

    manifest: DocumentationManifest
    content_hash: str


def load_manifest(store: ObjectStore) -> StoredManifest | None:
    """The current manifest; `None` before the first run.

    Raises:
        ManifestError: when it exists but cannot be read; treating it as missing would lose everything it lists.
    """
    where = f"{MANIFEST_FILE} in {store.location}"
    try:
        data = store.get(MANIFEST_FILE).data
        require_seal(MANIFEST_FILE, data)
    except ObjectNotFound:
        return None
    except ObjectDamaged as error:
        raise ManifestError(f"{where} cannot be read: {error.message}; {_HINT}") from error
    _check_outline(data, where)
    try:
        return StoredManifest(DocumentationManifest.from_json(data), bytes_hash(data))
    except ValidationError as error:
        problems: list[JsonValue] = [
            f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}" for problem in error.errors()[:_NAMED_PROBLEMS]
        ]
        message = f"{where} cannot be read at {first_problem(error)}; {_HINT}"
        raise ManifestError(message, context={"problems": problems}) from error


def require_manifest(store: ObjectStore) -> StoredManifest:
    """The current manifest, which must exist.

    Raises:
        ManifestError: when it does not exist (`IDX_MANIFEST_NOT_FOUND`) or cannot be read.
    """
    found = load_manifest(store)
    if found is None:
        raise ManifestError(
            f"nothing is documented in {store.location} yet: there is no {MANIFEST_FILE}; start with `tribal run` or "
            "`tribal document`",
            code="IDX_MANIFEST_NOT_FOUND",
        )
    return found


def _check_outline(data: bytes, where: str) -> None:
    """Distinguish a manifest of another version, and an unfinished one, from a broken one."""
    try:
        outline = from_json(data)
    except ValueError as error:
        raise ManifestError(f"{where} cannot be read: it is not JSON ({error}); {_HINT}") from error
    if not isinstance(outline, dict):
        raise ManifestError(f"{where} cannot be read: it is not a JSON object; {_HINT}")
    version, status = outline.get("schema_version"), outline.get("status")
    if version != SCHEMA_VERSION:
        raise ManifestError(
            f"{where} cannot be read: it has version {version!r}, but this program reads {SCHEMA_VERSION!r}; use the "
            "program that wrote it, or delete it and run again",
            code="MANIFEST_VERSION_MISMATCH",
        )
    if status not in _STATUSES:
        raise ManifestError(
            f"{where} has the status {status!r}; wait until documenting has finished, or delete it and run again",
            code="MANIFEST_INCOMPLETE",
        )
