"""Proposes a correction as the difference that it makes, and writes it once it was agreed to."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from tribal.documenting.annotating.editing import Subject, edited, words_in
from tribal.errors import ConfigurationError, CorrectionOutdated, ObjectDamaged, ObjectNotFound, PreconditionFailed
from tribal.identity import locations
from tribal.identity.hashing import bytes_hash
from tribal.ports import ObjectStore

_CODE = "DOC_ANNOTATIONS_INVALID"


@dataclass(frozen=True, slots=True)
class Proposal:
    """What an annotations file would become."""

    key: str
    """Where the file is in the store."""
    before: bytes | None
    """`None` where there is no file yet."""
    after: bytes
    etag: str | None

    @property
    def fingerprint(self) -> str:
        """A hash of the file as it was and as it would be: of exactly this change."""
        return bytes_hash(b"\n".join([(self.etag or "").encode(), bytes_hash(self.after).encode()]))

    def difference(self, context_lines: int) -> str:
        """The change as a unified diff; empty where nothing changes."""
        before, after = (_lines(data or b"") for data in (self.before, self.after))
        return "\n".join(difflib.unified_diff(before, after, self.key, self.key, n=context_lines, lineterm=""))

    def write(self, store: ObjectStore) -> None:
        """Write the file, if it still is as it was.

        Raises:
            CorrectionOutdated: when somebody changed it in between.
        """
        try:
            if self.etag is None:
                store.put(self.key, self.after, if_absent=True)
            else:
                store.put(self.key, self.after, if_match=self.etag)
        except PreconditionFailed as error:
            raise CorrectionOutdated(f"{self.key} was changed in the meantime; preview the correction again") from error


def propose(store: ObjectStore, database: str, subject: Subject, words: str) -> Proposal:
    """What the annotations file of a database would become with these words, or without any where they are empty.

    Raises:
        ConfigurationError: when the file cannot be used, or not be edited without losing something of it.
    """
    key, (data, etag) = locations.annotations_file(database), _file(store, database)
    return Proposal(key, data, edited(data, key, subject, words), etag)


def written_words(store: ObjectStore, database: str, subject: Subject) -> str | None:
    """What the annotations file says by now, which documents say after the next run.

    Raises:
        ConfigurationError: when the file cannot be used.
    """
    return words_in(_file(store, database)[0], locations.annotations_file(database), subject)


def _file(store: ObjectStore, database: str) -> tuple[bytes | None, str | None]:
    key = locations.annotations_file(database)
    try:
        found = store.get(key)
    except ObjectNotFound as error:
        if error.blocked:
            raise ConfigurationError(
                f"{key} is a folder, or a link that leads nowhere; move it away", code=_CODE
            ) from error
        return None, None
    except ObjectDamaged as error:
        raise ConfigurationError(f"{key} cannot be read ({error.message}); put your file back", code=_CODE) from error
    return found.data, found.etag


def _lines(data: bytes) -> list[str]:
    return data.decode("utf-8", "replace").splitlines()
