"""Propose a correction as a diff, and write it after confirmation."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from tribal.documenting.annotating.editing import Subject, edited, text_in
from tribal.errors import ConfigurationError, CorrectionOutdated, ObjectDamaged, ObjectNotFound, PreconditionFailed
from tribal.identity import locations
from tribal.identity.hashing import bytes_hash
from tribal.ports import ObjectStore

_CODE = "DOC_ANNOTATIONS_INVALID"


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposed change to an annotations file."""

    key: str
    """The file's key in the store."""
    before: bytes | None
    """`None` if the file does not exist yet."""
    after: bytes
    etag: str | None

    @property
    def fingerprint(self) -> str:
        """A hash that identifies exactly this change."""
        return bytes_hash(b"\n".join([(self.etag or "").encode(), bytes_hash(self.after).encode()]))

    def difference(self, context_lines: int) -> str:
        """The change as a unified diff; empty if nothing changes."""
        before, after = (_lines(data or b"") for data in (self.before, self.after))
        return "\n".join(difflib.unified_diff(before, after, self.key, self.key, n=context_lines, lineterm=""))

    def write(self, store: ObjectStore) -> None:
        """Write the file unless it has changed since.

        Raises:
            CorrectionOutdated: when someone changed it in the meantime.
        """
        try:
            if self.etag is None:
                store.put(self.key, self.after, if_absent=True)
            else:
                store.put(self.key, self.after, if_match=self.etag)
        except PreconditionFailed as error:
            raise CorrectionOutdated(f"{self.key} was changed in the meantime; preview the correction again") from error


def propose(store: ObjectStore, database: str, subject: Subject, new_text: str) -> Proposal:
    """Propose a new text in a database's annotations file; an empty text removes it.

    Raises:
        ConfigurationError: when the file cannot be used, or cannot be edited without losing content.
    """
    key, (data, etag) = locations.annotations_file(database), _file(store, database)
    return Proposal(key, data, edited(data, key, subject, new_text), etag)


def written_text(store: ObjectStore, database: str, subject: Subject) -> str | None:
    """The text now in the annotations file; documents show it after the next run.

    Raises:
        ConfigurationError: when the file cannot be used.
    """
    return text_in(_file(store, database)[0], locations.annotations_file(database), subject)


def _file(store: ObjectStore, database: str) -> tuple[bytes | None, str | None]:
    key = locations.annotations_file(database)
    try:
        found = store.get(key)
    except ObjectNotFound as error:
        if error.blocked:
            raise ConfigurationError(f"{key} is a folder or a broken link; remove it", code=_CODE) from error
        return None, None
    except ObjectDamaged as error:
        raise ConfigurationError(f"{key} cannot be read ({error.message}); restore your file", code=_CODE) from error
    return found.data, found.etag


def _lines(data: bytes) -> list[str]:
    return data.decode("utf-8", "replace").splitlines()
