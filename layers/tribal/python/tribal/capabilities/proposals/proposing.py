"""The tool `propose_description`: checks a description and keeps it until a person decides."""

from __future__ import annotations

from tribal.answering.visible_tables import VisibleTable, visible_tables
from tribal.capabilities.proposals.errors import (
    ProposalClosed,
    ProposalContentRefused,
    ProposalInvalid,
    TooManyProposals,
)
from tribal.capabilities.proposals.files import ProposalFiles, proposal_id
from tribal.masking import holds_secret, redact_shared
from tribal.ports.application import Application
from tribal.ports.caller import Caller
from tribal.yaml_lines import control_character
from tribal_contracts import TableDocument
from tribal_contracts.proposals.records import DescriptionProposal
from tribal_contracts.proposals.tools import ProposeDescriptionInput, ProposeDescriptionOutput

MOST_OPEN = 20
"""Open proposals of one caller, counted before another one is written. Source: docs/contracts.md, Proposals."""
_WAITS = "It waits until a person accepts or rejects it. Until then nothing shows it as documentation."


def propose(request: ProposeDescriptionInput, caller: Caller, app: Application) -> ProposeDescriptionOutput:
    """Answer `propose_description`; proposing the same again returns the same id.

    Raises:
        ProposalInvalid: when the text is refused, is what is documented already, or the caller has too many open ones.
        ProposalClosed: when a person rejected exactly this proposal, or its caller withdrew it.
        TableNotFound, ColumnNotFound: when the caller sees no such table, or it has no such column.
        IndexNotReady: when there is no finished index.
    """
    text = _checked(request.description)
    with visible_tables(caller, app) as tables:
        table = tables.find(request.table)
    column = None if request.column is None else table.column(request.column)
    name = proposal_id(caller.subject, table.bounded.name, column, text)
    files = ProposalFiles(app.store())
    message = _state_of(name, files)
    if message is None:
        _require_new(text, table, column)
        _require_room(caller, files)
        files.create(
            DescriptionProposal(
                id=name,
                table=table.bounded.name,
                column=column,
                before=described(table.unrestricted, column),
                description=text,
                by=caller.subject,
                at=app.clock.published(),
            )
        )
        message = _WAITS
    return ProposeDescriptionOutput(
        success=True, tokens_used=0, id=name, table=table.bounded.name, column=column, message=message
    )


def described(table: TableDocument, column: str | None) -> str:
    """Return the documented text about a table or one of its columns."""
    if column is None:
        return table.description.text
    return next((each.description.text for each in table.columns if each.name == column), "")


def _checked(description: str) -> str:
    text = description.strip()
    if not text:
        raise ProposalInvalid("the description is blank")
    if (control := control_character(text)) is not None:
        raise ProposalInvalid(f"the description contains the control character {control}; delete it")
    if holds_secret(text):
        raise ProposalContentRefused(
            "the description contains what looks like a secret, a card number or an account number; leave it out"
        )
    if redact_shared(text)[1]:
        raise ProposalContentRefused(
            "the description contains what looks like personal data, such as an e-mail address or a phone number; "
            "leave it out"
        )
    return text


def _state_of(name: str, files: ProposalFiles) -> str | None:
    """Return what to say of a proposal that exists; `None` if it does not.

    Raises:
        ProposalClosed: when it was rejected or withdrawn.
    """
    if files.find(name) is None:
        return None
    closing = files.closing(name)
    if closing is None:
        return _WAITS
    if closing.outcome in ("accepted", "edited"):
        return (
            f"A person accepted it at {closing.at}. Documents show it after the next run, unless someone has changed "
            "the text since."
        )
    raise ProposalClosed(
        f"this proposal was {closing.outcome} by {closing.by!r} at {closing.at}; propose another text, or leave it"
    )


def _require_new(text: str, table: VisibleTable, column: str | None) -> None:
    if text == described(table.bounded, column).strip():
        raise ProposalInvalid("this is the documented text already; there is nothing to propose")


def _require_room(caller: Caller, files: ProposalFiles) -> None:
    if len(files.open_ids(caller.subject)) >= MOST_OPEN:
        raise TooManyProposals(
            f"you have {MOST_OPEN} open proposals, as many as a caller may have; wait until a person has decided on "
            "some, or have them withdrawn: `tribal proposals reject ID`"
        )
