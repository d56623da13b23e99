"""Every error that the product raises on purpose.

TribalError
 |- ConfigurationError            databases.yaml or the command line cannot be used
 |   `- ConfigurationNotFound     there is no file and no DSN
 |- DatabaseError                 a database that is read
 |   |- DatabaseUnreachable       no answer (retryable)
 |   |- LoginRefused              it answered and said no
 |   |- ConnectionLost            it went away in the middle (retryable)
 |   |- StatementTimedOut         a lock or a slow statement (retryable)
 |   |- StatementConflict         the server put other work first (retryable)
 |   |- TableGone                 the table is not there any more
 |   `- AccessDenied              a privilege is missing
 |- StoreError                    the object store
 |   |- ObjectNotFound            no object has that key
 |   |- PreconditionFailed        somebody else changed the object first
 |   `- StoreUnwritable           no permission, no space, no such folder
 |- RunError                      runs
 |   |- RunLocked                 another run holds the lease
 |   |- LeaseLost                 another run took the lease over
 |   `- RunInterrupted            somebody pressed Ctrl-C
 |- PlanError                     the plan is missing, stale, empty or wrong
 |- ManifestError                 the manifest or a file of it is missing or wrong
 |- IndexNotReady                 there is no index to ask
 |- IndexWriteFailed              the index refused a write
 |- EmbeddingFailed               vectors could not be made
 |- DeploymentError               a deployed environment, seen from outside
 |   |- DeploymentUnreachable     it did not answer (retryable)
 |   `- DeploymentRefused         it, or AWS, refused the caller
 |- RightMissing                  the caller of a tool lacks the right that it needs
 `- ToolInputInvalid, TableNotFound, DomainNotFound, DatabaseNotFound   what a tool was asked for
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from tribal_contracts import ERROR_CODES, AgentError, agent_error


class TribalError(Exception):
    """The root; `code` is one of `tribal_contracts.ERROR_CODES`, `context` is data for machines."""

    code = "RET_INTERNAL"

    def __init__(self, message: str, *, code: str | None = None, context: dict[str, JsonValue] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or type(self).code
        self.context = context
        if self.code not in ERROR_CODES:
            raise KeyError(self.code)

    def to_agent_error(self, timestamp: str) -> AgentError:
        """The error as data."""
        return agent_error(self.code, self.message, timestamp=timestamp, context=self.context)


class ConfigurationError(TribalError):
    """The configuration cannot be used; the message names the file, the line and the mend."""

    code = "PLAN_CONFIG_INVALID"


class ConfigurationNotFound(ConfigurationError):
    """There is no configuration and no DSN was given."""

    code = "PLAN_CONFIG_NOT_FOUND"


class DatabaseError(TribalError):
    """Something about a database that is read."""

    code = "DOC_TABLE_EXTRACTION_FAILED"


class DatabaseUnreachable(DatabaseError):
    """The database did not answer. Retryable."""

    code = "PLAN_DB_UNREACHABLE"


class LoginRefused(DatabaseError):
    """The database answered and refused the login."""

    code = "PLAN_DB_UNREACHABLE"


class ConnectionLost(DatabaseError):
    """The connection broke in the middle; it must be thrown away. Retryable."""

    code = "DOC_DB_CONNECTION_LOST"


class StatementTimedOut(DatabaseError):
    """A lock was not granted or a statement took too long. Retryable."""

    code = "DOC_SAMPLING_TIMEOUT"


class StatementConflict(DatabaseError):
    """The server gave a statement up for other work: a replica's replay, or to end a deadlock. Retryable."""


class TableGone(DatabaseError):
    """The table is not there any more."""

    code = "DOC_TABLE_GONE"


class AccessDenied(DatabaseError):
    """A privilege is missing; the message names the GRANT."""

    code = "DOC_SAMPLING_FAILED"


class StoreError(TribalError):
    """Something about the object store."""

    code = "DOC_WRITE_FAILED"


class ObjectNotFound(StoreError):
    """No object has that key."""

    code = "IDX_FILE_NOT_FOUND"


class PreconditionFailed(StoreError):
    """The object is not in the state that a conditional put asked for."""


class StoreUnwritable(StoreError):
    """The store refuses to be written: no permission, no space, or not a folder."""


class RunError(TribalError):
    """Something about a run."""

    code = "DOC_RUN_LOCKED"


class RunLocked(RunError):
    """Another run holds the lease."""


class LeaseLost(RunError):
    """Another run took the lease over; nothing more may be published."""


class RunInterrupted(RunError):
    """Somebody asked the run to stop; the next one carries on."""

    code = "DOC_RUN_INTERRUPTED"


class PlanError(TribalError):
    """The plan cannot be used."""

    code = "DOC_PLAN_INVALID"


class ManifestError(TribalError):
    """The manifest, or a file that it lists, cannot be used."""

    code = "IDX_MANIFEST_INVALID"


class IndexNotReady(TribalError):
    """There is no index to ask."""

    code = "RET_INDEX_NOT_READY"


class IndexWriteFailed(TribalError):
    """The index refused a write."""

    code = "IDX_DB_WRITE_FAILED"


class EmbeddingFailed(TribalError):
    """Vectors could not be made; the index works without them."""

    code = "IDX_EMBEDDING_FAILED"


class DeploymentError(TribalError):
    """Something about a deployed environment, seen from outside."""

    code = "ENV_UNREACHABLE"


class DeploymentUnreachable(DeploymentError):
    """The environment did not answer, or could not just now. Retryable."""


class DeploymentRefused(DeploymentError):
    """The environment, or AWS before it, refused the caller; the message says what is missing."""

    code = "ENV_ACCESS_DENIED"


class ToolInputInvalid(TribalError):
    """The input of a tool is out of its range."""

    code = "RET_QUERY_INVALID"


class RightMissing(TribalError):
    """The caller lacks the right that a tool needs; the message names it."""

    code = "RET_ACCESS_DENIED"


class NotFound(TribalError):
    """Something that a tool was asked for is not documented; `suggestions` are near misses, best first."""

    def __init__(self, message: str, suggestions: Sequence[str] = ()) -> None:
        super().__init__(message, context={"suggestions": list(suggestions)})
        self.suggestions = tuple(suggestions)


class TableNotFound(NotFound):
    """No table of that name is documented."""

    code = "RET_TABLE_NOT_FOUND"


class DomainNotFound(NotFound):
    """No domain of that name is documented."""

    code = "RET_DOMAIN_NOT_FOUND"


class DatabaseNotFound(NotFound):
    """No database of that name is documented."""

    code = "RET_DATABASE_NOT_FOUND"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an error means at an edge."""

    exit_code: int
    http_status: int
    retryable: bool

    @property
    def is_tool_error(self) -> bool:
        """Whether MCP marks a tool's answer as an error: whatever makes a command fail, and never a protocol error."""
        return self.exit_code != EXIT_DONE


EXIT_DONE, EXIT_PARTIAL, EXIT_USAGE, EXIT_DATABASE, EXIT_LOCKED, EXIT_STORE, EXIT_NOT_READY, EXIT_NOT_FOUND = range(8)
EXIT_DEPLOYMENT = 8
EXIT_INTERNAL = 70
EXIT_INTERRUPTED = 130

# The first class that an error is an instance of decides.
OUTCOMES: tuple[tuple[type[TribalError], Outcome], ...] = (
    (ConfigurationError, Outcome(EXIT_USAGE, 500, False)),
    (LoginRefused, Outcome(EXIT_DATABASE, 502, False)),
    (AccessDenied, Outcome(EXIT_DATABASE, 502, False)),
    (TableGone, Outcome(EXIT_DATABASE, 502, False)),
    (DatabaseError, Outcome(EXIT_DATABASE, 502, True)),
    (ObjectNotFound, Outcome(EXIT_STORE, 500, False)),
    (StoreError, Outcome(EXIT_STORE, 500, True)),
    (RunInterrupted, Outcome(EXIT_INTERRUPTED, 500, True)),
    (RunError, Outcome(EXIT_LOCKED, 409, True)),
    (PlanError, Outcome(EXIT_NOT_READY, 409, False)),
    (ManifestError, Outcome(EXIT_NOT_READY, 409, False)),
    (IndexNotReady, Outcome(EXIT_NOT_READY, 503, True)),
    (IndexWriteFailed, Outcome(EXIT_STORE, 500, True)),
    (EmbeddingFailed, Outcome(EXIT_STORE, 500, True)),
    (DeploymentUnreachable, Outcome(EXIT_DEPLOYMENT, 502, True)),
    (DeploymentError, Outcome(EXIT_DEPLOYMENT, 502, False)),
    (ToolInputInvalid, Outcome(EXIT_USAGE, 400, False)),
    (RightMissing, Outcome(EXIT_USAGE, 403, False)),
    (NotFound, Outcome(EXIT_NOT_FOUND, 404, False)),
    (TribalError, Outcome(EXIT_INTERNAL, 500, False)),
)


def _class_outcome(kind: type[TribalError]) -> Outcome:
    return next(result for candidate, result in OUTCOMES if issubclass(kind, candidate))


def outcome(error: TribalError) -> Outcome:
    """What an error means at an edge, from the one table."""
    return _class_outcome(type(error))


def error_named(name: str, message: str) -> TribalError:
    """An error that a function reported by the name of its class; one that we do not know is a fault."""
    pending: list[type[TribalError]] = [TribalError]
    while pending:
        kind = pending.pop()
        if kind.__name__ == name:
            return kind(message)
        pending.extend(kind.__subclasses__())
    return TribalError(f"{name}: {message}")


def code_outcome(code: str) -> Outcome:
    """What the code of an `AgentError` means at an edge: that of the most general class that carries the code."""
    pending = [TribalError]
    while pending:
        kind = pending.pop(0)
        if kind.code == code:
            return _class_outcome(kind)
        pending.extend(kind.__subclasses__())
    return _class_outcome(TribalError)
