"""The files of the page, and the routes `GET /v1/page/...` for its data."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

from tribal.edges.http.messages import Response
from tribal.edges.http.routing import Call, Route
from tribal.errors import RequestRefused, RightMissing, TribalError
from tribal.ports.caller import Caller

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tribal.capabilities.retrieval.toolbox import Toolbox
    from tribal.page_data.survey import Survey
    from tribal.ports.application import Application
    from tribal.ports.object_store import ObjectStore
    from tribal_contracts.answering.open_gaps import OpenGap

PAGE = "/v1/page"
_MAIN = "index.html"
_PAGE_DIGITS = 9


def _part(name: str, call: Call) -> Response:
    from tribal.page_data.parts import WHOLE_PARTS

    return _browsed(call, WHOLE_PARTS[name])


def _part_of_domain(name: str, call: Call) -> Response:
    from tribal.page_data.parts import DOMAIN_PARTS

    database, domain = _asked(call, "database"), _asked(call, "domain")
    make = DOMAIN_PARTS[name]
    return _browsed(call, lambda found, toolbox: make(found.domain(database, domain), found, toolbox))


def _catalog(call: Call) -> Response:
    from tribal.page_data.home import Reports, latest_exam
    from tribal.page_data.parts import catalog_part

    store, caller = call.app.store(), call.request.caller
    try:
        gaps = _gaps(call)
    except TribalError:
        # The first view does without; the list of what to document says what is wrong.
        gaps = []

    def part(found: Survey, toolbox: Toolbox) -> Any:
        reports = Reports(gaps, _bounded_changes(found, toolbox, store), latest_exam(store, caller))
        return catalog_part(found, toolbox, store, reports)

    return _browsed(call, part)


def _changes(call: Call) -> Response:
    since = call.request.query.get("since")
    return _browsed(call, lambda found, toolbox: _bounded_changes(found, toolbox, call.app.store(), since))


def _bounded_changes(found: Survey, toolbox: Toolbox, store: ObjectStore, since: str | None = None) -> dict[str, Any]:
    from tribal.page_data.changes import cached_comparison, changes_part

    return changes_part(store, toolbox.scope, cached_comparison(found, toolbox, store), since)


def _state(call: Call) -> Response:
    from tribal.page_data.state import state_part

    return _browsed(call, lambda found, _: state_part(found, call.app.store()))


def _table(call: Call) -> Response:
    from tribal.page_data.parts import table_part

    name = _asked(call, "name")
    return _browsed(call, partial(table_part, name))


def _remembered(call: Call) -> Response:
    from tribal.page_data.table_extras import remembered_part

    name = _asked(call, "name")
    return _browsed(call, partial(remembered_part, name))


def _todo(call: Call) -> Response:
    from tribal.page_data.to_document import todo_part

    return _browsed(call, lambda found, toolbox: todo_part(found, toolbox, _gaps(call), call.app.store()))


def _questions(call: Call) -> Response:
    from tribal.page_data.to_document import questions_part

    name = _asked(call, "name")
    return _browsed(call, lambda found, toolbox: questions_part(name, found, toolbox, _gaps(call)))


def _exam(call: Call) -> Response:
    from tribal.page_data.exam import exam_part

    store, caller = call.app.store(), call.request.caller
    return _browsed(call, lambda _found, _toolbox: exam_part(store, caller))


def _passages(call: Call) -> Response:
    from tribal.page_data.passages import PageReference, passages_part

    page = _asked(call, "page")
    if not page.isascii() or not page.isdigit() or len(page) > _PAGE_DIGITS:
        raise RequestRefused("the query parameter 'page' is a number from 1")
    path = call.request.query.get("path")
    wanted = PageReference(_asked(call, "collection"), _asked(call, "file"), path or None, int(page))
    _require_reader(call)
    return _json(passages_part(wanted, call.request.caller, call.app))


def _gaps(call: Call) -> list[OpenGap]:
    return call.app.open_gaps(call.request.caller)


def _caller(call: Call) -> Response:
    from tribal.page_data.caller.part import caller_part

    return _json(caller_part(call.request.caller, call.app))


def _asked(call: Call, name: str) -> str:
    value = call.request.query.get(name)
    if not value:
        raise RequestRefused(f"the query parameter {name!r} is missing")
    return value


def prepare_page(app: Application) -> None:
    """Load in advance what the first view shows to an unrestricted caller.

    Raises:
        TribalError: when there is no index yet.
    """
    from tribal.page_data.home import Reports
    from tribal.page_data.parts import catalog_part
    from tribal.page_data.survey import page_toolbox, survey

    with app.index().reading():
        toolbox, store = page_toolbox(Caller("server"), app), app.store()
        found = survey(toolbox)
        catalog_part(found, toolbox, store, Reports(changes=_bounded_changes(found, toolbox, store)))


def _browsed(call: Call, make: Callable[[Survey, Toolbox], Any]) -> Response:
    """A part of the page for the caller, from one generation of the index."""
    from tribal.page_data.survey import page_toolbox, survey

    _require_reader(call)
    with call.app.index().reading():
        toolbox = page_toolbox(call.request.caller, call.app)
        found = survey(toolbox)
        value = make(found, toolbox)
    # Parts refer to each other by positions, which another generation may have changed.
    return _json(value, {"X-Tribal-Generation": str(found.opened.generation)})


def _require_reader(call: Call) -> None:
    from tribal.capabilities.retrieval.tools import READ_DOCUMENTATION

    if not call.request.caller.may(READ_DOCUMENTATION):
        raise RightMissing(f"the page needs the right {READ_DOCUMENTATION!r}")


def _json(value: Any, headers: Mapping[str, str] | None = None) -> Response:
    data = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    return Response(200, data, headers={} if headers is None else headers)


def _file(name: str, _: Call) -> Response:
    from tribal.rendering.web.page import SERVED_POLICY, page_files

    file = page_files()[name]
    headers = {"Content-Security-Policy": SERVED_POLICY, "Cache-Control": "no-cache"}
    return Response(200, file.data, file.content_type, headers=headers)


def _file_route(path: str, name: str, content_type: str) -> Route:
    summary = f"The page: {name}."
    return Route("GET", path, partial(_file, name), summary, public=True, content_type=content_type)


def _part_route(name: str, summary: str, *, by_generation: bool = True) -> Route:
    return Route("GET", f"{PAGE}/{name}", partial(_part, name), summary, by_generation=by_generation)


def _domain_route(name: str, summary: str) -> Route:
    return Route("GET", f"{PAGE}/{name}", partial(_part_of_domain, name), summary, by_generation=True)


PAGE_ROUTES: tuple[Route, ...] = (
    _file_route("/", _MAIN, "text/html"),
    _file_route("/page.js", "page.js", "text/javascript"),
    _file_route("/graph.js", "graph.js", "text/javascript"),
    _file_route("/page.css", "page.css", "text/css"),
    Route("GET", f"{PAGE}/catalog", _catalog, "The first view: every table and domain, with numbers."),
    _part_route("definitions", "Verified queries, metrics and terms, with their states.", by_generation=False),
    Route("GET", f"{PAGE}/changes", _changes, "What changed between the last two runs, or since the run `since`."),
    Route("GET", f"{PAGE}/table", _table, "Everything about the table `name`."),
    Route("GET", f"{PAGE}/todo", _todo, "What to document first."),
    Route("GET", f"{PAGE}/questions", _questions, "Questions that the table `name` leaves open."),
    Route("GET", f"{PAGE}/exam", _exam, "The latest exam, and the one before."),
    Route("GET", f"{PAGE}/passages", _passages, "The passages of a page of an uploaded document."),
    Route("GET", f"{PAGE}/remembered", _remembered, "Decisions and shared memories about the table `name`."),
    Route("GET", f"{PAGE}/caller", _caller, "What the caller may do, and what waits for it."),
    _domain_route("domain", "Everything about a domain of `database`."),
    _domain_route("dbml", "The tables of a domain of `database` in DBML."),
    _part_route("columns", "The columns of every table, in catalog order, for search."),
    _part_route("keys", "The keys between tables, by their positions in the catalog."),
    _part_route("lineage", "What tables are made from, column by column, by their positions in the catalog."),
    Route("GET", f"{PAGE}/state", _state, "How fresh the documentation is, and how much is described, run by run."),
)
"""The page at the root of a server, and its data."""
