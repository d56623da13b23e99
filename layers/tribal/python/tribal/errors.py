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
 |- SecretsUnavailable            whoever keeps secrets did not answer (retryable)
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

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from typing import Literal

from pydantic import JsonValue

from tribal_contracts import ERROR_CODES, AgentError, agent_error

Activity = Literal["planning", "documenting", "indexing", "retrieving"]
"""What may be being done when an error turns up; reading a catalog is a part of planning."""


class TribalError(Exception):
    """The root. A class says what happened; `activity`, what was being done then, is told by `doing`.

    Args:
        message: what happened, to what, and what to do next.
        code: one of `tribal_contracts.ERROR_CODES`, where the two do not say it precisely enough.
        context: data for machines.
    """

    def __init__(self, message: str, *, code: str | None = None, context: dict[str, JsonValue] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.context = context
        self.activity: Activity | None = None
        self._code = code
        if code is not None and code not in ERROR_CODES:
            raise KeyError(code)

    @property
    def code(self) -> str:
        """The code that a caller sees."""
        return self._code or code_of(type(self), self.activity)

    def to_agent_error(self, timestamp: str, activity: Activity | None = None) -> AgentError:
        """The error as data; `activity` is what was being done where it is caught, if nobody said so before."""
        self.activity = self.activity or activity
        return agent_error(self.code, self.message, timestamp=timestamp, context=self.context)


class ConfigurationError(TribalError):
    """The configuration cannot be used; the message names the file and the line, and says what to write."""


class ConfigurationNotFound(ConfigurationError):
    """There is no configuration and no DSN was given."""


class DatabaseError(TribalError):
    """Something about a database that is read."""


class DatabaseUnreachable(DatabaseError):
    """The database did not answer. Retryable."""


class LoginRefused(DatabaseError):
    """The database answered and refused the login."""


class ConnectionLost(DatabaseError):
    """The connection broke in the middle; it must be thrown away. Retryable."""


class StatementTimedOut(DatabaseError):
    """A lock was not granted or a statement took too long. Retryable."""


class StatementConflict(DatabaseError):
    """The server gave a statement up for other work: a replica's replay, or to end a deadlock. Retryable."""


class TableGone(DatabaseError):
    """The table is not there any more."""


class AccessDenied(DatabaseError):
    """A privilege is missing; the message names the GRANT."""


class StoreError(TribalError):
    """Something about the object store."""


class ObjectNotFound(StoreError):
    """No object has that key."""


class PreconditionFailed(StoreError):
    """The object is not in the state that a conditional put asked for."""


class StoreUnwritable(StoreError):
    """The store refuses to be written: no permission, no space, or not a folder."""


class SecretsUnavailable(TribalError):
    """Whoever keeps secrets did not answer. Retryable."""


class RunError(TribalError):
    """Something about a run."""


class RunLocked(RunError):
    """Another run holds the lease."""


class LeaseLost(RunError):
    """Another run took the lease over; nothing more may be published."""


class RunInterrupted(RunError):
    """Somebody asked the run to stop; the next one carries on."""


class PlanError(TribalError):
    """The plan cannot be used."""


class ManifestError(TribalError):
    """The manifest, or a file that it lists, cannot be used."""


class IndexNotReady(TribalError):
    """There is no index to ask."""


class IndexWriteFailed(TribalError):
    """The index refused a write."""


class EmbeddingFailed(TribalError):
    """Vectors could not be made; the index works without them."""


class DeploymentError(TribalError):
    """Something about a deployed environment, seen from outside."""


class DeploymentUnreachable(DeploymentError):
    """The environment did not answer, or could not just now. Retryable."""


class DeploymentRefused(DeploymentError):
    """The environment, or AWS before it, refused the caller; the message says what is missing."""


class ToolInputInvalid(TribalError):
    """The input of a tool is out of its range."""


class RightMissing(TribalError):
    """The caller lacks the right that a tool needs; the message names it."""


class NotFound(TribalError):
    """Something that a tool was asked for is not documented; `suggestions` are near misses, best first."""

    def __init__(self, message: str, suggestions: Sequence[str] = ()) -> None:
        super().__init__(message, context={"suggestions": list(suggestions)})
        self.suggestions = tuple(suggestions)


class TableNotFound(NotFound):
    """No table of that name is documented."""


class DomainNotFound(NotFound):
    """No domain of that name is documented."""


class DatabaseNotFound(NotFound):
    """No database of that name is documented."""


# What a cause is called, and what it is called while something particular was being done. A class that is not listed
# goes by the next one above it.
CODES: dict[type[TribalError], tuple[str, Mapping[Activity, str]]] = {
    TribalError: ("RET_INTERNAL", {}),
    ConfigurationError: ("PLAN_CONFIG_INVALID", {}),
    ConfigurationNotFound: ("PLAN_CONFIG_NOT_FOUND", {}),
    DatabaseError: ("DOC_TABLE_EXTRACTION_FAILED", {"planning": "PLAN_DB_UNREACHABLE"}),
    DatabaseUnreachable: ("PLAN_DB_UNREACHABLE", {}),
    LoginRefused: ("PLAN_DB_UNREACHABLE", {}),
    ConnectionLost: ("DOC_DB_CONNECTION_LOST", {"planning": "PLAN_DB_UNREACHABLE"}),
    StatementTimedOut: ("DOC_SAMPLING_TIMEOUT", {"planning": "PLAN_DB_UNREACHABLE"}),
    TableGone: ("DOC_TABLE_GONE", {}),
    AccessDenied: ("DOC_SAMPLING_FAILED", {"planning": "PLAN_DB_UNREACHABLE"}),
    StoreError: (
        "DOC_WRITE_FAILED",
        {"planning": "PLAN_WRITE_FAILED", "indexing": "IDX_DB_WRITE_FAILED", "retrieving": "RET_INDEX_NOT_READY"},
    ),
    # Outside of the index, what is looked for by its key is a part of a plan.
    ObjectNotFound: ("DOC_PLAN_INVALID", {"indexing": "IDX_FILE_NOT_FOUND", "retrieving": "RET_INDEX_NOT_READY"}),
    SecretsUnavailable: ("ENV_SECRETS_UNAVAILABLE", {}),
    RunError: ("DOC_RUN_LOCKED", {}),
    RunInterrupted: ("DOC_RUN_INTERRUPTED", {}),
    PlanError: ("DOC_PLAN_INVALID", {}),
    ManifestError: ("IDX_MANIFEST_INVALID", {}),
    IndexNotReady: ("RET_INDEX_NOT_READY", {}),
    IndexWriteFailed: ("IDX_DB_WRITE_FAILED", {}),
    EmbeddingFailed: ("IDX_EMBEDDING_FAILED", {}),
    DeploymentError: ("ENV_UNREACHABLE", {}),
    DeploymentRefused: ("ENV_ACCESS_DENIED", {}),
    ToolInputInvalid: ("RET_QUERY_INVALID", {}),
    RightMissing: ("RET_ACCESS_DENIED", {}),
    TableNotFound: ("RET_TABLE_NOT_FOUND", {}),
    DomainNotFound: ("RET_DOMAIN_NOT_FOUND", {}),
    DatabaseNotFound: ("RET_DATABASE_NOT_FOUND", {}),
}


def code_of(cause: type[TribalError], activity: Activity | None = None) -> str:
    """The code of a cause that turned up during an activity, from the one table."""
    usual, particular = next(CODES[kind] for kind in cause.__mro__ if kind in CODES)
    return particular.get(activity, usual) if activity else usual


@contextmanager
def doing(activity: Activity) -> Iterator[None]:
    """Tell every error that leaves a block or a function what was being done; the innermost to say so is believed."""
    try:
        yield
    except TribalError as error:
        error.activity = error.activity or activity
        raise


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
    (SecretsUnavailable, Outcome(EXIT_DEPLOYMENT, 502, True)),
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
    found = next((kind for kind in _kinds() if kind.__name__ == name), None)
    return TribalError(f"{name}: {message}") if found is None else found(message)


def code_outcome(code: str) -> Outcome:
    """What the code of an `AgentError` means at an edge: that of the most general class that usually carries it."""
    listed = [(kind, *CODES[kind]) for kind in _kinds() if kind in CODES]
    usual = (kind for kind, own, _ in listed if own == code)
    particular = (kind for kind, _, others in listed if code in others.values())
    return _class_outcome(next(chain(usual, particular), TribalError))


def _kinds() -> Iterator[type[TribalError]]:
    """Every class, the more general ones first."""
    pending = [TribalError]
    while pending:
        kind = pending.pop(0)
        yield kind
        pending.extend(kind.__subclasses__())
