"""The routes of corrections: a preview shows the difference, which is written once the caller confirms it."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError

from tribal.capabilities.proposals.errors import ProposalClosed
from tribal.capabilities.proposals.rights import WRITE_ANNOTATIONS
from tribal.edges.http.bodies import json_object, require_json
from tribal.edges.http.messages import Response, failure
from tribal.edges.http.routing import LARGEST_BODY_BYTES, Call, Route
from tribal.errors import BodyTooLarge, CorrectionOutdated, IndexNotReady, NotFound, RequestRefused, RightMissing
from tribal.identity.scope import EVERYTHING
from tribal.identity.table_names import TableIdentity
from tribal.tools.error_classes import error_class_of

if TYPE_CHECKING:
    from tribal.documenting.corrections import AnnotationChange, Subject
    from tribal_contracts import Contract, Correction
    from tribal_contracts.proposals.tools import ListedProposal

CORRECTIONS = "/v1/corrections"
_CONTEXT_LINES = 3
_HEADER_LINES = 2
"""Of a difference: the names of the files."""

Body = TypeVar("Body", bound="Contract")


def correction_routes(signing_key: bytes) -> tuple[Route, ...]:
    """The routes; every process of a server needs the same key."""

    def written_models() -> tuple[None, type[Contract]]:
        from tribal_contracts import WrittenWords

        return None, WrittenWords

    def preview_models() -> tuple[type[Contract], type[Contract]]:
        from tribal_contracts import Correction, ProposedCorrection

        return Correction, ProposedCorrection

    def write_models() -> tuple[type[Contract], type[Contract]]:
        from tribal_contracts import AgreedCorrection, WrittenCorrection

        return AgreedCorrection, WrittenCorrection

    looked_up = (NotFound, IndexNotReady)
    return (
        Route(
            "GET",
            CORRECTIONS,
            _written,
            "Corrections that people wrote about a table, a domain or a database.",
            parameters=("table", "database", "domain"),
            models=written_models,
            failures=looked_up,
        ),
        Route(
            "POST",
            f"{CORRECTIONS}/preview",
            partial(_preview, signing_key),
            "What a correction would change.",
            models=preview_models,
            failures=looked_up,
        ),
        Route(
            "POST",
            CORRECTIONS,
            partial(_write, signing_key),
            "Write a correction after its preview.",
            models=write_models,
            failures=(*looked_up, CorrectionOutdated, ProposalClosed),
        ),
    )


class _ToolFailed(Exception):
    """The subject of a correction cannot be read; carries the tool's answer."""

    def __init__(self, response: Response) -> None:
        super().__init__()
        self.response = response


def _answered(attempt: Callable[[], Contract]) -> Response:
    try:
        return Response(200, attempt().to_compact_json())
    except _ToolFailed as failed:
        return failed.response


def _written(call: Call) -> Response:
    def words() -> Contract:
        from tribal_contracts import Correction, WrittenWords

        query = call.request.query
        named = {name: query[name] for name in ("table", "database", "domain") if query.get(name)}
        target = _target_of(call, _valid(Correction, {**named, "words": ""}))
        texts, withholds = _texts(call, target), _withholds(call, target)

        def said(subject: Subject) -> str | None:
            text = texts(subject)
            return None if text is None or withholds(text) else text

        columns = {name: said(replace(target.subject, column=name)) for name in target.columns}
        return WrittenWords(
            description=said(target.subject),
            title=said(replace(target.subject, said="title")) if target.subject.domain is not None else None,
            columns={name: text for name, text in columns.items() if text is not None},
            writable=call.request.caller.may(WRITE_ANNOTATIONS),
        )

    return _answered(words)


def _preview(signing_key: bytes, call: Call) -> Response:
    def proposed() -> Contract:
        from tribal_contracts import Correction, ProposedCorrection

        correction = _body(call, Correction)
        target = _target_of(call, correction)
        change = _change(call, target, correction)
        return ProposedCorrection(
            file=change.key, difference=_difference(call, target, change), token=_token(signing_key, call, change)
        )

    return _answered(proposed)


def _write(signing_key: bytes, call: Call) -> Response:
    def written() -> Contract:
        from tribal.capabilities.proposals.deciding import Proposals
        from tribal_contracts import AgreedCorrection, WrittenCorrection

        agreed = _body(call, AgreedCorrection)
        accepted = None if agreed.proposal is None else _accepted(call, agreed, agreed.proposal)
        change = _change(call, _target_of(call, agreed), agreed)
        if not hmac.compare_digest(_token(signing_key, call, change).encode(), agreed.token.encode()):
            raise CorrectionOutdated(f"{change.key} changed since the preview; preview the correction again")
        change.write(call.app.store())
        if accepted is not None:
            # A process that is killed before this leaves the proposal open; accepting it again changes nothing more.
            Proposals(call.app, call.request.caller).accept(accepted, agreed.words.strip())
        return WrittenCorrection(file=change.key)

    return _answered(written)


def _accepted(call: Call, agreed: Correction, name: str) -> ListedProposal:
    """Return the open proposal that a correction accepts."""
    from tribal.capabilities.proposals.deciding import Proposals

    proposal = Proposals(call.app, call.request.caller).open(name)
    if agreed.table is None or agreed.said != "description":
        raise RequestRefused("a proposal is about a table or a column")
    table = _asked(call, "get_table_schema", table=agreed.table).schema_
    if (table.name, agreed.column) != (proposal.table, proposal.column):
        raise RequestRefused(f"the proposal {name} is about something else")
    if not agreed.words.strip():
        raise RequestRefused("an empty text accepts nothing; reject the proposal instead")
    return proposal


def _body(call: Call, kind: type[Body]) -> Body:
    if not call.request.caller.may(WRITE_ANNOTATIONS):
        raise RightMissing(
            f"corrections need the right {WRITE_ANNOTATIONS!r}: `tribal serve --write`, or a token with it"
        )
    require_json(call.request.headers.get("content-type"))
    if len(call.request.body) > LARGEST_BODY_BYTES:
        raise BodyTooLarge(f"the body is larger than {LARGEST_BODY_BYTES} bytes")
    return _valid(kind, json_object(call.request.body))


def _valid(kind: type[Body], content: Mapping[str, Any]) -> Body:
    try:
        return kind.model_validate(content)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(map(str, problem["loc"]))[:100].encode("utf-8", "replace").decode()
        raise RequestRefused(f"the correction is not valid: {where}: {problem['msg']}") from None


def _token(signing_key: bytes, call: Call, change: AnnotationChange) -> str:
    """Proves that this caller saw the preview; a page of another site cannot forge it."""
    message = f"{call.request.caller.subject}\n{change.fingerprint}".encode()
    return hmac.new(signing_key, message, hashlib.sha256).hexdigest()


def _change(call: Call, target: _CorrectionTarget, correction: Correction) -> AnnotationChange:
    from tribal.documenting.corrections import propose

    return propose(call.app.store(), target.database, target.subject, correction.words.strip())


def _difference(call: Call, target: _CorrectionTarget, change: AnnotationChange) -> str:
    """Return the change as the caller may see it: a text that is withheld is not shown when it is replaced, either."""
    from tribal.scoping.bounds import WITHHELD

    # The file covers all schemas of the database, and its texts may mention other databases.
    difference = change.difference(_CONTEXT_LINES if call.request.caller.scope == EVERYTHING else 0)
    before = _texts(call, target)(target.subject)
    if before is None or not _withholds(call, target)(before):
        return difference
    lines = difference.split("\n")
    shown = lines[:_HEADER_LINES]
    for line in lines[_HEADER_LINES:]:
        left = f"-{WITHHELD}" if line.startswith("-") else line
        if left != shown[-1]:
            shown.append(left)
    return "\n".join(shown)


def _texts(call: Call, target: _CorrectionTarget) -> Callable[[Subject], str | None]:
    from tribal.documenting.corrections import written_texts

    return written_texts(call.app.store(), target.database)


def _withholds(call: Call, target: _CorrectionTarget) -> Callable[[str], bool]:
    """Return a function that checks whether a text about the target mentions something hidden."""
    from tribal.answering.visible_tables import visible_tables
    from tribal.naming.mentions import OwnNames

    own = OwnNames.of(target.names)
    with visible_tables(call.request.caller, call.app) as tables:
        bounds = tables.opened.bounds
    return lambda text: bounds.withholds(text, own)


@dataclass(frozen=True, slots=True)
class _CorrectionTarget:
    """The subject of a correction, which the caller may see."""

    database: str
    subject: Subject
    names: Sequence[str]
    """Names that a text about it may mention: its own, and those of its columns or tables."""
    columns: Sequence[str] = ()


def _target_of(call: Call, correction: Correction) -> _CorrectionTarget:
    from tribal.documenting.corrections import Subject

    if correction.table is not None:
        if correction.domain is not None or correction.database is not None or correction.said != "description":
            raise RequestRefused("a correction is about either a table or a domain, not both")
        table = _asked(call, "get_table_schema", table=correction.table).schema_
        columns = [column.name for column in table.columns]
        if correction.column is not None and correction.column not in columns:
            raise RequestRefused(f"{table.name} has no column {correction.column!r}")
        subject = Subject((table.schema_, table.table), column=correction.column)
        names = [table.database, table.schema_, table.table, *columns]
        return _CorrectionTarget(table.database, subject, names, columns)
    if correction.database is None or correction.column is not None:
        raise RequestRefused("a correction needs a table, or a database and optionally a domain")
    if not call.request.caller.scope.allows_all_of(correction.database):
        raise RightMissing("correcting a database or domain needs a token whose scope includes the whole database")
    tables: list[str] = []
    if correction.domain is not None:
        domain = _asked(call, "get_domain_overview", domain=correction.domain, database=correction.database)
        tables = [TableIdentity.parse(each.name).table for each in domain.tables]
    else:
        _asked(call, "list_domains", database=correction.database)
        if correction.said != "description":
            raise RequestRefused("only domains have titles")
    return _CorrectionTarget(correction.database, Subject(domain=correction.domain, said=correction.said), tables)


def _asked(call: Call, tool: str, **arguments: Any) -> Any:
    """All pages of a tool's answer; callers may correct only what they may see.

    Raises:
        _ToolFailed: when the tool fails.
    """
    from tribal.tools.call import call_tool
    from tribal.tools.registry import REGISTRY

    answer = call_tool(tool, arguments, call.request.caller, replace(call.app, answer_tokens=None))
    error = REGISTRY.group_of(tool).error_of(answer)
    if error is not None:
        raise _ToolFailed(failure(error, error_class_of(error.code).http_status))
    return answer
