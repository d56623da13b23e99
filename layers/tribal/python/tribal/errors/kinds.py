"""Errors that several packages raise. Errors of one capability are in its `errors.py`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from tribal.errors.base import (
    EXIT_DATABASE,
    EXIT_DEPLOYMENT,
    EXIT_INTERRUPTED,
    EXIT_LOCKED,
    EXIT_NOT_FOUND,
    EXIT_NOT_READY,
    EXIT_STORE,
    EXIT_USAGE,
    Activity,
    TribalError,
)


class ConfigurationError(TribalError):
    """The configuration cannot be used; the message names the file and line, and what to write instead."""

    default_code = "PLAN_CONFIG_INVALID"
    exit_code = EXIT_USAGE


class ConfigurationNotFound(ConfigurationError):
    """There is no configuration file and no DSN was given."""

    default_code = "PLAN_CONFIG_NOT_FOUND"


class SelectionUnknown(ConfigurationError):
    """A work unit, domain or database was selected that does not exist; the message names near misses."""

    default_code = "WORK_UNIT_INVALID"


class DatabaseError(TribalError):
    """A problem with a database being documented."""

    default_code = "DOC_TABLE_EXTRACTION_FAILED"
    codes_while: ClassVar[Mapping[Activity, str]] = {"planning": "PLAN_DB_UNREACHABLE"}
    exit_code = EXIT_DATABASE
    http_status = 502
    retryable = True


class DatabaseUnreachable(DatabaseError):
    """The database did not answer. Retryable."""

    default_code = "PLAN_DB_UNREACHABLE"
    codes_while: ClassVar[Mapping[Activity, str]] = {}


class ServerUnavailable(DatabaseUnreachable):
    """The database's server has no free connection, or refused several times running. Retryable, much later."""

    default_code = "PLAN_SERVER_UNAVAILABLE"
    codes_while: ClassVar[Mapping[Activity, str]] = {"documenting": "DOC_SERVER_UNAVAILABLE"}


class LoginRefused(DatabaseError):
    """The database answered and refused the login."""

    default_code = "PLAN_DB_UNREACHABLE"
    codes_while: ClassVar[Mapping[Activity, str]] = {}
    retryable = False


class ConnectionLost(DatabaseError):
    """The connection broke and must be discarded. Retryable on a new one."""

    default_code = "DOC_DB_CONNECTION_LOST"


class StatementTimedOut(DatabaseError):
    """A lock was not granted or a statement took too long. Retryable."""

    default_code = "DOC_SAMPLING_TIMEOUT"


class StatementConflict(DatabaseError):
    """The server cancelled a statement, because of a replica's replay or to break a deadlock. Retryable."""


class TableGone(DatabaseError):
    """The table no longer exists."""

    default_code = "DOC_TABLE_GONE"
    codes_while: ClassVar[Mapping[Activity, str]] = {}
    retryable = False


class AccessDenied(DatabaseError):
    """A privilege is missing; the message names the GRANT."""

    default_code = "DOC_SAMPLING_FAILED"
    retryable = False


class StoreError(TribalError):
    """A problem with the object store."""

    default_code = "DOC_WRITE_FAILED"
    codes_while: ClassVar[Mapping[Activity, str]] = {
        "planning": "PLAN_WRITE_FAILED",
        "indexing": "IDX_DB_WRITE_FAILED",
        "retrieving": "RET_INDEX_NOT_READY",
    }
    exit_code = EXIT_STORE
    retryable = True


class ObjectNotFound(StoreError):
    """No object has that key; with `blocked`, something else has its path, such as a folder."""

    default_code = "DOC_PLAN_INVALID"
    codes_while: ClassVar[Mapping[Activity, str]] = {
        "indexing": "IDX_FILE_NOT_FOUND",
        "retrieving": "RET_INDEX_NOT_READY",
    }
    retryable = False

    def __init__(self, message: str, *, code: str | None = None, blocked: bool = False) -> None:
        super().__init__(message, code=code)
        self.blocked = blocked


class ObjectDamaged(StoreError):
    """An object exists, but its bytes are unreadable or damaged."""

    default_code = "DOC_PLAN_INVALID"
    codes_while: ClassVar[Mapping[Activity, str]] = {
        "indexing": "IDX_FILE_INVALID",
        "retrieving": "RET_INDEX_NOT_READY",
    }
    retryable = False


class PreconditionFailed(StoreError):
    """The object is not in the state that a conditional put requires."""


class StoreUnwritable(StoreError):
    """The store cannot be written to: no permission, no space, or not a folder."""


class SecretsUnavailable(TribalError):
    """The secret store did not answer. Retryable."""

    default_code = "ENV_SECRETS_UNAVAILABLE"
    exit_code = EXIT_DEPLOYMENT
    http_status = 502
    retryable = True


class RunError(TribalError):
    """A problem with a run."""

    default_code = "DOC_RUN_LOCKED"
    exit_code = EXIT_LOCKED
    http_status = 409
    retryable = True


class RunLocked(RunError):
    """Another run holds the lease."""


class LeaseLost(RunError):
    """Another run took over the lease; nothing more may be published."""


class RunInterrupted(RunError):
    """The run was asked to stop; the next one resumes its work."""

    default_code = "DOC_RUN_INTERRUPTED"
    exit_code = EXIT_INTERRUPTED
    http_status = 500


class DescriptionPostponed(RunError):
    """The remaining time is too short to describe a table; the run's next call does."""


class PlanError(TribalError):
    """The plan cannot be used."""

    default_code = "DOC_PLAN_INVALID"
    exit_code = EXIT_NOT_READY
    http_status = 409


class ManifestError(TribalError):
    """The manifest, or a file it lists, cannot be used."""

    default_code = "IDX_MANIFEST_INVALID"
    exit_code = EXIT_NOT_READY
    http_status = 409


class IndexNotReady(TribalError):
    """There is no usable index."""

    default_code = "RET_INDEX_NOT_READY"
    exit_code = EXIT_NOT_READY
    http_status = 503
    retryable = True


class IndexAbsent(IndexNotReady):
    """Nothing has been indexed yet, so nothing is documented either."""


class IndexWriteFailed(TribalError):
    """The index refused a write."""

    default_code = "IDX_DB_WRITE_FAILED"
    exit_code = EXIT_STORE
    retryable = True


class EmbeddingFailed(TribalError):
    """Vectors could not be made; the index works without them."""

    default_code = "IDX_EMBEDDING_FAILED"
    exit_code = EXIT_STORE
    retryable = True


class DeploymentError(TribalError):
    """A problem with a deployed environment, seen from outside."""

    default_code = "ENV_UNREACHABLE"
    exit_code = EXIT_DEPLOYMENT
    http_status = 502


class DeploymentUnreachable(DeploymentError):
    """The environment did not answer, or is temporarily unable to. Retryable."""

    retryable = True


class DeploymentRefused(DeploymentError):
    """The environment, or AWS in front of it, refused the caller; the message says what is missing."""

    default_code = "ENV_ACCESS_DENIED"


class ToolInputInvalid(TribalError):
    """The input of a tool is not valid."""

    default_code = "RET_QUERY_INVALID"
    exit_code = EXIT_USAGE
    http_status = 400


class RightMissing(TribalError):
    """The caller lacks the right that a tool needs; the message names it."""

    default_code = "RET_ACCESS_DENIED"
    exit_code = EXIT_USAGE
    http_status = 403


class NotFound(TribalError):
    """The requested thing is not documented; `suggestions` are near misses, best first."""

    exit_code = EXIT_NOT_FOUND
    http_status = 404

    def __init__(self, message: str, suggestions: Sequence[str] = ()) -> None:
        super().__init__(message, context={"suggestions": list(suggestions)})
        self.suggestions = tuple(suggestions)


class TableNotFound(NotFound):
    """No table of that name is documented."""

    default_code = "RET_TABLE_NOT_FOUND"


class MemoryRefused(TribalError):
    """A tool of memory refused a call."""

    default_code = "MEM_INTERNAL"
    exit_code = EXIT_STORE
    http_status = 502
    retryable = True


class MemoryConflict(MemoryRefused):
    """Another process changed a memory at the same time. Retryable."""

    default_code = "MEM_CONFLICT"
    exit_code = EXIT_LOCKED
    http_status = 409


class MemoryStoreFailed(MemoryRefused):
    """The store or the index of memories did not answer, or refused. Retryable."""

    default_code = "MEM_STORE_FAILED"


class MemoryTimedOut(MemoryRefused):
    """The store or the index of memories took too long. Retryable."""

    default_code = "MEM_TIMED_OUT"
    http_status = 504


class ItemUnusable(TribalError):
    """A file is not a valid item; the message says what to do, without naming the file.

    Args:
        message: what is wrong.
        line: the line, counted from 1, if known.
    """

    default_code = "KNW_ITEM_UNUSABLE"
    exit_code = EXIT_USAGE
    http_status = 400

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line


class SourceFailed(TribalError):
    """The source of knowledge cannot be read, is too large or takes too long. Retryable."""

    default_code = "KNW_SOURCE_FAILED"
    exit_code = EXIT_STORE
    http_status = 502
    retryable = True


class RepositoryUnusable(TribalError):
    """A repository is not in a state that contributions can start from; the message says what to change."""

    default_code = "CON_ISSUE_UNSUITABLE"
    exit_code = EXIT_USAGE
    http_status = 409


class RepositoryUnreadable(TribalError):
    """A repository does not exist, is damaged, or refuses to be read or written."""

    default_code = "CON_FORGE_REFUSED"
    exit_code = EXIT_STORE
    http_status = 502


class ForgeUnreachable(TribalError):
    """The forge did not answer, or not as one does. Retryable."""

    default_code = "CON_FORGE_UNREACHABLE"
    exit_code = EXIT_STORE
    http_status = 502
    retryable = True


class ForgeRateLimited(TribalError):
    """The forge limits how often it may be called, for longer than is waited for; the message says until when."""

    default_code = "CON_RATE_LIMITED"
    exit_code = EXIT_STORE
    http_status = 503
    retryable = True


class SandboxMissing(TribalError):
    """Nothing of a repository can be run on this machine; the message says why, and what to do."""

    default_code = "CON_SANDBOX_MISSING"
    exit_code = EXIT_NOT_READY
    http_status = 503
