"""How each edge reports an error: one table of exit codes, HTTP statuses and whether to try again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from tribal.errors.codes import CODES
from tribal.errors.kinds import (
    AccessDenied,
    AnswerTooLong,
    AnswerTypeRefused,
    BodyTooLarge,
    BodyTypeRefused,
    CallerUnknown,
    ConfigurationError,
    CorrectionOutdated,
    DatabaseError,
    DeploymentError,
    DeploymentUnreachable,
    EmbeddingFailed,
    HostRefused,
    IdentifierRefused,
    IndexNotReady,
    IndexWriteFailed,
    LoginRefused,
    ManifestError,
    MethodRefused,
    NotFound,
    ObjectDamaged,
    ObjectNotFound,
    OriginRefused,
    PathUnknown,
    PlanError,
    RequestRefused,
    RequestTooSlow,
    RightMissing,
    RunError,
    RunInterrupted,
    SecretsUnavailable,
    ServerBusy,
    StoreError,
    TableGone,
    ToolInputInvalid,
    TooManyRequests,
    TribalError,
)
from tribal.errors.knowledge import (
    ItemUnusable,
    KnowledgeFailed,
    PatternInvalid,
    SourceFailed,
    SyncLocked,
    SyncTimedOut,
)
from tribal.errors.remembering import MemoryConflict, MemoryRateLimited, MemoryRefused, MemoryTimedOut


@dataclass(frozen=True, slots=True)
class Outcome:
    """How each edge reports an error."""

    exit_code: int
    http_status: int
    retryable: bool

    @property
    def is_tool_error(self) -> bool:
        """Whether MCP marks the tool's answer as an error: true of whatever makes a command fail."""
        return self.exit_code != EXIT_DONE


EXIT_DONE, EXIT_PARTIAL, EXIT_USAGE, EXIT_DATABASE, EXIT_LOCKED, EXIT_STORE, EXIT_NOT_READY, EXIT_NOT_FOUND = range(8)
EXIT_DEPLOYMENT = 8
EXIT_INTERNAL = 70
EXIT_INTERRUPTED = 130

# The first class that an error is an instance of applies.
OUTCOMES: tuple[tuple[type[TribalError], Outcome], ...] = (
    (ConfigurationError, Outcome(EXIT_USAGE, 500, False)),
    (LoginRefused, Outcome(EXIT_DATABASE, 502, False)),
    (AccessDenied, Outcome(EXIT_DATABASE, 502, False)),
    (TableGone, Outcome(EXIT_DATABASE, 502, False)),
    (DatabaseError, Outcome(EXIT_DATABASE, 502, True)),
    (ObjectNotFound, Outcome(EXIT_STORE, 500, False)),
    (ObjectDamaged, Outcome(EXIT_STORE, 500, False)),
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
    (PatternInvalid, Outcome(EXIT_USAGE, 400, False)),
    (ItemUnusable, Outcome(EXIT_USAGE, 400, False)),
    (SourceFailed, Outcome(EXIT_STORE, 502, True)),
    (KnowledgeFailed, Outcome(EXIT_STORE, 502, True)),
    (SyncLocked, Outcome(EXIT_LOCKED, 409, True)),
    (SyncTimedOut, Outcome(EXIT_STORE, 504, True)),
    (MemoryConflict, Outcome(EXIT_LOCKED, 409, True)),
    (MemoryRateLimited, Outcome(EXIT_STORE, 429, True)),
    (MemoryTimedOut, Outcome(EXIT_STORE, 504, True)),
    (MemoryRefused, Outcome(EXIT_STORE, 502, True)),
    (ToolInputInvalid, Outcome(EXIT_USAGE, 400, False)),
    (AnswerTooLong, Outcome(EXIT_USAGE, 422, False)),
    (RightMissing, Outcome(EXIT_USAGE, 403, False)),
    (NotFound, Outcome(EXIT_NOT_FOUND, 404, False)),
    (CallerUnknown, Outcome(EXIT_USAGE, 401, False)),
    (OriginRefused, Outcome(EXIT_USAGE, 403, False)),
    (IdentifierRefused, Outcome(EXIT_USAGE, 403, False)),
    (HostRefused, Outcome(EXIT_USAGE, 421, False)),
    (PathUnknown, Outcome(EXIT_NOT_FOUND, 404, False)),
    (MethodRefused, Outcome(EXIT_USAGE, 405, False)),
    (AnswerTypeRefused, Outcome(EXIT_USAGE, 406, False)),
    (BodyTypeRefused, Outcome(EXIT_USAGE, 415, False)),
    (BodyTooLarge, Outcome(EXIT_USAGE, 413, False)),
    (RequestTooSlow, Outcome(EXIT_USAGE, 408, True)),
    (TooManyRequests, Outcome(EXIT_USAGE, 429, True)),
    (CorrectionOutdated, Outcome(EXIT_USAGE, 409, False)),
    (ServerBusy, Outcome(EXIT_USAGE, 503, True)),
    (RequestRefused, Outcome(EXIT_USAGE, 400, False)),
    (TribalError, Outcome(EXIT_INTERNAL, 500, False)),
)


def _class_outcome(kind: type[TribalError]) -> Outcome:
    return next(result for candidate, result in OUTCOMES if issubclass(kind, candidate))


def outcome(error: TribalError) -> Outcome:
    """How each edge reports this error, from the one table."""
    return _class_outcome(type(error))


def error_named(name: str, message: str) -> TribalError:
    """Rebuild an error that a function reported by class name; an unknown name counts as an internal fault."""
    found = next((kind for kind in _kinds() if kind.__name__ == name), None)
    return TribalError(f"{name}: {message}") if found is None else found(message)


def code_outcome(code: str) -> Outcome:
    """How each edge reports an `AgentError` with this code: as the most general class that defaults to the code."""
    listed = [(kind, *CODES[kind.__name__]) for kind in _kinds() if kind.__name__ in CODES]
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
