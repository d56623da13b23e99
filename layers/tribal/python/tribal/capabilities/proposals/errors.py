"""Errors of the proposals capability."""

from __future__ import annotations

from tribal.errors import NotFound, RightMissing, ToolInputInvalid
from tribal.errors.base import EXIT_LOCKED, TribalError


class ProposalInvalid(ToolInputInvalid):
    """A proposed description is blank, cannot be written to a file, or is what is documented already."""

    default_code = "PRO_INPUT_INVALID"


class ProposalContentRefused(ProposalInvalid):
    """A proposed description contains a secret or personal data."""

    default_code = "PRO_CONTENT_REFUSED"


class TooManyProposals(ProposalInvalid):
    """The caller has as many open proposals as allowed."""

    default_code = "PRO_LIMIT_EXCEEDED"


class ProposalNotFound(NotFound):
    """There is no such proposal, or none that the caller may see."""

    default_code = "PRO_NOT_FOUND"


class ProposalClosed(TribalError):
    """A proposal was accepted, rejected or withdrawn before."""

    default_code = "PRO_CLOSED"
    exit_code = EXIT_LOCKED
    http_status = 409


class ProposalForbidden(RightMissing):
    """The caller may not see or decide on proposals."""

    default_code = "PRO_ACCESS_DENIED"
