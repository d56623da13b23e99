"""Every error that the package raises on purpose.

TribalError
 |- ConfigurationError            databases.yaml or the command line cannot be used
 |   |- ConfigurationNotFound     there is no file and no DSN
 |   `- SelectionUnknown          a unit, domain or database was selected that there is not
 |- DatabaseError                 a database that is read
 |   |- DatabaseUnreachable       it did not answer (retryable)
 |   |   `- ServerUnavailable     its server has no connection to spare (retryable, later)
 |   |- LoginRefused              it answered and refused the login
 |   |- ConnectionLost            the connection broke mid-operation (retryable)
 |   |- StatementTimedOut         a lock or a slow statement (retryable)
 |   |- StatementConflict         cancelled by the server for other work (retryable)
 |   |- TableGone                 the table no longer exists
 |   `- AccessDenied              a privilege is missing
 |- StoreError                    the object store
 |   |- ObjectNotFound            no object has that key
 |   |- ObjectDamaged             an object is there and is not as it was written
 |   |- PreconditionFailed        another writer changed the object first
 |   `- StoreUnwritable           no permission, no space, no such folder
 |- SecretsUnavailable            the secret store did not answer (retryable)
 |- RunError                      runs
 |   |- RunLocked                 another run holds the lease
 |   |- LeaseLost                 another run took the lease over
 |   `- RunInterrupted            the run was asked to stop
 |- PlanError                     the plan is missing, stale, empty or wrong
 |- ManifestError                 the manifest or a file of it is missing or wrong
 |- IndexNotReady                 there is no usable index
 |   `- IndexAbsent               nothing has been indexed yet
 |- IndexWriteFailed              the index refused a write
 |- EmbeddingFailed               vectors could not be made
 |- DeploymentError               a deployed environment, seen from outside
 |   |- DeploymentUnreachable     it did not answer (retryable)
 |   `- DeploymentRefused         it, or AWS, refused the caller
 |- AnswerTooLong                 one item of an answer is larger than an answer may be
 |- RightMissing                  the caller lacks the right that a tool needs
 |- RequestRefused                a request over HTTP, before it reaches a tool
 |   |- CallerUnknown             it bears no token that admits it
 |   |- OriginRefused             it comes from a page of another site
 |   |- HostRefused               it is addressed to a name that the server does not go by
 |   |- PathUnknown               there is nothing at its path
 |   |- MethodRefused             its path has no such method
 |   |- AnswerTypeRefused         it accepts no type of answer that there is
 |   |- BodyTypeRefused           its body is of a type that is not read
 |   |- BodyTooLarge              its body is too large
 |   |- RequestTooSlow            it did not arrive in time (retryable)
 |   |- IdentifierRefused         it chooses an identifier that is none of its caller's
 |   |- TooManyRequests           its caller asks too often (retryable)
 |   |- CorrectionOutdated        what it would change was changed in the meantime
 |   `- ServerBusy                too much is being done already (retryable)
 |- MemoryRefused                 memory
 |   |- MemoryConflict            somebody else changed a memory at the same time (retryable)
 |   |- MemoryRateLimited         its caller writes too often (retryable)
 |   |- MemoryStoreFailed         the store or the index of memories failed (retryable)
 |   `- MemoryTimedOut            it took too long (retryable)
 |- MemoryForbidden               the caller may not do that with a layer or a memory
 |- MemoryInputInvalid            what a tool of memory was asked for
 |   |- IdentifierMissing         a layer that the caller has no identifier for
 |   |- MemoryContentRefused      a secret
 |   `- MemorySpaceFull           one memory more than a space takes
 |- MemoryNotFound                there is no such memory, or none that the caller may see
 |- PatternInvalid                a pattern of a constraint cannot be evaluated
 |- ItemUnusable                  a file of knowledge is no item
 |- KnowledgeFailed               a tool of knowledge failed unforeseen (retryable)
 |   `- SyncFailed                a sync did (retryable)
 |- KnowledgeForbidden            the caller may not use knowledge
 |- SyncForbidden                 the caller may not sync
 |- SyncInputInvalid              what a tool that syncs was asked for
 |- SyncLocked                    another sync is running (retryable)
 |- SyncTimedOut                  a sync is not done yet (retryable)
 |- SourceFailed                  where knowledge is kept cannot be read (retryable)
 |- NothingPublished              no knowledge was synced yet
 |- KnowledgeInputInvalid         what a tool of knowledge was asked for
 |- KnowledgeNotFound             there is no such item, or none that the caller may see
 `- ToolInputInvalid, TableNotFound, DomainNotFound, DatabaseNotFound   what a tool was asked for
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from pydantic import JsonValue

from tribal.errors.codes import Activity, code_of
from tribal_contracts import ERROR_CODES, AgentError, agent_error


class TribalError(Exception):
    """Root of the tree. The class says what happened; `activity`, set by `doing`, says during what.

    Args:
        message: what happened, to what, and what to do next.
        code: one of `tribal_contracts.ERROR_CODES`, when class and activity do not determine it.
        context: the same details as structured data.
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
        """The error code that callers see."""
        return self._code or code_of(type(self), self.activity)

    def to_agent_error(self, timestamp: str, activity: Activity | None = None) -> AgentError:
        """The error as data; `activity` applies unless `doing` has already set one."""
        self.activity = self.activity or activity
        return agent_error(self.code, self.message, timestamp=timestamp, context=self.context)


class ConfigurationError(TribalError):
    """The configuration cannot be used; the message names the file and line, and what to write instead."""


class ConfigurationNotFound(ConfigurationError):
    """There is no configuration file and no DSN was given."""


class SelectionUnknown(ConfigurationError):
    """A work unit, domain or database was selected that does not exist; the message names near misses."""


class DatabaseError(TribalError):
    """A problem with a database being documented."""


class DatabaseUnreachable(DatabaseError):
    """The database did not answer. Retryable."""


class ServerUnavailable(DatabaseUnreachable):
    """The database's server has no connection to spare, or refused several times running. Retryable, much later."""


class LoginRefused(DatabaseError):
    """The database answered and refused the login."""


class ConnectionLost(DatabaseError):
    """The connection broke and must be discarded. Retryable on a new one."""


class StatementTimedOut(DatabaseError):
    """A lock was not granted or a statement took too long. Retryable."""


class StatementConflict(DatabaseError):
    """The server cancelled a statement, because of a replica's replay or to break a deadlock. Retryable."""


class TableGone(DatabaseError):
    """The table no longer exists."""


class AccessDenied(DatabaseError):
    """A privilege is missing; the message names the GRANT."""


class StoreError(TribalError):
    """A problem with the object store."""


class ObjectNotFound(StoreError):
    """No object has that key; `blocked` tells that something else stands in its place, such as a folder."""

    def __init__(self, message: str, *, code: str | None = None, blocked: bool = False) -> None:
        super().__init__(message, code=code)
        self.blocked = blocked


class ObjectDamaged(StoreError):
    """An object is there, but its bytes cannot be read or are not those that were written."""


class PreconditionFailed(StoreError):
    """The object is not in the state that a conditional put requires."""


class StoreUnwritable(StoreError):
    """The store cannot be written to: no permission, no space, or not a folder."""


class SecretsUnavailable(TribalError):
    """The secret store did not answer. Retryable."""


class RunError(TribalError):
    """A problem with a run."""


class RunLocked(RunError):
    """Another run holds the lease."""


class LeaseLost(RunError):
    """Another run took over the lease; nothing more may be published."""


class RunInterrupted(RunError):
    """The run was asked to stop; the next one resumes its work."""


class DescriptionPostponed(RunError):
    """The time left is too short to describe a table; the next call of the run does."""


class PlanError(TribalError):
    """The plan cannot be used."""


class ManifestError(TribalError):
    """The manifest, or a file it lists, cannot be used."""


class IndexNotReady(TribalError):
    """There is no usable index."""


class IndexAbsent(IndexNotReady):
    """Nothing has been indexed yet, so nothing is documented either."""


class IndexWriteFailed(TribalError):
    """The index refused a write."""


class EmbeddingFailed(TribalError):
    """Vectors could not be made; the index works without them."""


class DeploymentError(TribalError):
    """A problem with a deployed environment, seen from outside."""


class DeploymentUnreachable(DeploymentError):
    """The environment did not answer, or is temporarily unable to. Retryable."""


class DeploymentRefused(DeploymentError):
    """The environment, or AWS in front of it, refused the caller; the message says what is missing."""


class ToolInputInvalid(TribalError):
    """The input of a tool is not valid."""


class RightMissing(TribalError):
    """The caller lacks the right that a tool needs; the message names it."""


class AnswerTooLong(TribalError):
    """One item of an answer alone is larger than an answer may be; `next_cursor` in its context leads behind it."""

    def __init__(self, message: str, context: dict[str, JsonValue] | None = None) -> None:
        super().__init__(message, context=context or None)


class NotFound(TribalError):
    """A tool was asked for something that is not documented; `suggestions` are near misses, best first."""

    def __init__(self, message: str, suggestions: Sequence[str] = ()) -> None:
        super().__init__(message, context={"suggestions": list(suggestions)})
        self.suggestions = tuple(suggestions)


class TableNotFound(NotFound):
    """No table of that name is documented."""


class DomainNotFound(NotFound):
    """No domain of that name is documented."""


class DatabaseNotFound(NotFound):
    """No database of that name is documented."""


class RequestRefused(TribalError):
    """A request over HTTP was refused before it reached a tool."""


class CallerUnknown(RequestRefused):
    """The request bears no token that admits it; the message tells nothing of the token."""


class OriginRefused(RequestRefused):
    """The request comes from a page of another site."""


class HostRefused(RequestRefused):
    """The request is addressed to a name that the server does not go by, as after DNS rebinding."""


class PathUnknown(RequestRefused):
    """There is nothing at the path of the request."""


class MethodRefused(RequestRefused):
    """The path has no such method."""


class AnswerTypeRefused(RequestRefused):
    """The request accepts no type of answer that there is."""


class BodyTypeRefused(RequestRefused):
    """The body is of a type that is not read."""


class BodyTooLarge(RequestRefused):
    """The body is too large."""


class RequestTooSlow(RequestRefused):
    """The request did not arrive in time. Retryable."""


class IdentifierRefused(RequestRefused):
    """A request chooses an identifier that is none of its caller's."""


class TooManyRequests(RequestRefused):
    """The caller asks too often. Retryable, later."""


class CorrectionOutdated(RequestRefused):
    """What a correction would change is not any more what was looked at."""


class ServerBusy(RequestRefused):
    """Too much is being done already. Retryable."""


@contextmanager
def doing(activity: Activity) -> Iterator[None]:
    """Set the activity of every error that leaves the block or decorated function; the innermost wins."""
    try:
        yield
    except TribalError as error:
        error.activity = error.activity or activity
        raise
