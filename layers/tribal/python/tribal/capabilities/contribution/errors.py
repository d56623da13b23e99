"""Errors of contribution."""

from __future__ import annotations

from tribal.errors import (
    EXIT_INTERNAL,
    EXIT_LOCKED,
    EXIT_REFUSED,
    EXIT_STORE,
    EXIT_USAGE,
    NotFound,
    RightMissing,
    ToolInputInvalid,
    TribalError,
)
from tribal_contracts import AgentError


class RepositoryNotAllowed(ToolInputInvalid):
    """A repository is not configured, or creates no such database or table."""

    default_code = "CON_REPOSITORY_NOT_ALLOWED"


class HandoffInvalid(TribalError):
    """A hand-off, or the record of a cycle, is missing, damaged, or of another cycle."""

    default_code = "CON_HANDOFF_INVALID"
    exit_code = EXIT_STORE


class CycleLocked(TribalError):
    """Another process prepares or publishes. Retryable."""

    default_code = "CON_CYCLE_LOCKED"
    exit_code = EXIT_LOCKED
    http_status = 409
    retryable = True


class CycleUnknown(NotFound):
    """There is no such contribution, or none that the caller may see."""

    default_code = "CON_CYCLE_UNKNOWN"


class CycleUnsuitable(TribalError):
    """What was asked does not fit the state of the contribution."""

    default_code = "CON_ISSUE_UNSUITABLE"
    exit_code = EXIT_USAGE
    http_status = 409


class PatchInvalid(TribalError):
    """A change contains something that may not be published, or does not fit its base."""

    default_code = "CON_PATCH_INVALID"
    exit_code = EXIT_REFUSED
    http_status = 409


class CheckFailed(TribalError):
    """A check of a change failed."""

    default_code = "CON_CHECK_FAILED"
    exit_code = EXIT_REFUSED
    http_status = 409


class LimitExceeded(TribalError):
    """A limit of contributions is reached; the message names the setting."""

    default_code = "CON_LIMIT_EXCEEDED"
    exit_code = EXIT_REFUSED
    http_status = 409


class ApprovalMissing(TribalError):
    """A person did not approve: no terminal, or other characters than asked for."""

    default_code = "CON_APPROVAL_MISSING"
    exit_code = EXIT_USAGE
    http_status = 409


class ApprovalStale(TribalError):
    """An approval has expired, or what would be published has changed since."""

    default_code = "CON_APPROVAL_STALE"
    exit_code = EXIT_REFUSED
    http_status = 409


class ContributionForbidden(RightMissing):
    """The caller may not do that."""

    default_code = "CON_ACCESS_DENIED"


class AgentTimedOut(TribalError):
    """A step took too long. Retryable."""

    default_code = "CON_AGENT_TIMEOUT"
    exit_code = EXIT_STORE
    http_status = 504
    retryable = True


class ContributionFailed(TribalError):
    """A contribution failed in a way that it did not foresee."""

    default_code = "CON_INTERNAL"
    exit_code = EXIT_INTERNAL


def error_of(error: AgentError) -> TribalError:
    """The error that a hand-off or a record tells of, with the exit code and status of its class."""
    kinds: list[type[TribalError]] = [TribalError]
    known: dict[str, type[TribalError]] = {ContributionFailed.default_code: ContributionFailed}
    while kinds:
        kind = kinds.pop()
        kinds += kind.__subclasses__()
        known.setdefault(kind.default_code, kind)
    kind = known.get(error.code, ContributionFailed)
    return kind(error.message, code=error.code)
