"""What a caller who may see some schemas learns of the others: by every tool, over HTTP and MCP, and by search."""

from __future__ import annotations

import json
import os
import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.attack.outcome import Attack, Outcome
from tests.attack.scope_catalog import Company, invent
from tests.fakes import FixedClock, MemoryStore, application, application_over, run_with
from tests.fakes import options as options_of
from tests.fakes.catalogs import HandMadeReader
from tests.sample_shop.indexed import index_all
from tribal.adapters.sqlite.index import SqliteIndex
from tribal.adapters.wordllama.embedder import WordLlamaEmbedder
from tribal.documenting import document_unit, finish
from tribal.edges.http.messages import Request
from tribal.edges.http.routes import respond
from tribal.edges.mcp.server import serve
from tribal.identity import locations
from tribal.identity.scope import Scope
from tribal.identity.table_names import format_name
from tribal.planning import compose_plan, read_catalog, write_run_plan
from tribal.ports import Application, Caller, DocumentingOptions, Embedder, PlanOptions
from tribal_contracts import DatabaseEntry, WorkUnit

ToolRequest = tuple[str, dict[str, Any]]

_COMPANIES = 4
_CALLS = 60


def attack(attack: Attack) -> Iterator[Outcome]:
    """Invent companies, ask every tool within several scopes, and look for the words of what is hidden."""
    tallies: defaultdict[str, list[Any]] = defaultdict(lambda: [0, 0, ""])
    for number in range(attack.times(_COMPANIES)):
        folder = attack.scratch / str(number)
        folder.mkdir()
        company, bare = (
            invent(f"{attack.seed} {number}", tables_a_schema=4, telling=telling) for telling in (True, False)
        )
        app = _application(company, folder / "all.db", WordLlamaEmbedder())
        plain = _application(company, folder / "words.db", None)
        for scope in _scopes(company)[: attack.times(5, least=3)]:
            _try_scope(scope, company, app, attack, tallies)
            _compare(scope, company, bare, plain, folder, attack, tallies)
        app.index().close()
        plain.index().close()
    for name, (tried, failed, example) in tallies.items():
        yield Outcome(name, tried, failed, 0.0, example)


def _try_scope(
    scope: Scope, company: Company, app: Application, attack: Attack, tallies: Mapping[str, list[Any]]
) -> None:
    hidden = company.words_outside(lambda database, schema: scope.allows(database, schema or None))
    caller = Caller("somebody", scope)
    asked = list(_questions(scope, company, sorted(hidden), attack))
    answers = [("HTTP", one, _over_http(app, caller, one)) for one in asked]
    answers += [("MCP", one, text) for one, text in zip(asked, _over_mcp(app, caller, asked), strict=True)]
    for surface, (tool, arguments), text in answers:
        spoken = json.dumps(arguments).lower()
        found = sorted(word for word in hidden if word in text.lower() and word not in spoken)
        tally = tallies[f"{tool} over {surface}"]
        tally[0] += 1
        if found:
            tally[1] += 1
            at = text.lower().index(found[0])
            tally[2] = f"{arguments} tells {found[:3]}: ...{text[max(0, at - 80) : at + 40]}..."


def _compare(
    scope: Scope,
    company: Company,
    bare: Company,
    app: Application,
    folder: Path,
    attack: Attack,
    tallies: Mapping[str, list[Any]],
) -> None:
    """Searching for what is hidden finds what it finds where the hidden never was."""

    def allows(database: str, schema: str) -> bool:
        return scope.allows(database, schema or None)

    random = attack.random("compare")
    rest = company.without(allows, bare)
    other = _application(rest, folder / f"rest-{abs(hash(scope))}.db", None)
    names = [name for place, columns in bare.columns.items() if allows(*place) for name in columns]
    tally = tallies["search for what is hidden finds what is found without it"]
    words = sorted(company.words_outside(allows))
    for word in random.sample(words, min(len(words), attack.times(30, least=12))):
        for query in (word, f"{word} {random.choice(names)}"):
            found, expected = (
                json.loads(
                    _over_http(each, Caller("somebody", scope), ("search_tables", {"query": query, "limit": 20}))
                )
                for each in (app, other)
            )
            tally[0] += 1
            if _told(found) != _told(expected):
                tally[1] += 1
                tally[2] = f"{query!r}: {_told(found)} and not {_told(expected)}"
    other.index().close()


def _told(answer: Mapping[str, Any]) -> tuple[Any, ...]:
    # Each score is at most that of the table before it, in an order that inferred keys move; where a table's key to
    # something hidden never was, another one is inferred. Only the lowest score is the same in any order.
    scores = [table["relevance_score"] for table in answer.get("tables", ())]
    return (
        answer.get("total_matches"),
        sorted(table["name"] for table in answer.get("tables", ())),
        min(scores, default=0),
    )


def _scopes(company: Company) -> list[Scope]:
    places = [place for place in company.secrets if place[1]]
    first = places[0][0]
    own = [place for place in places if place[0] == first]
    return [
        Scope(schemas=frozenset(own[:1])),
        Scope(schemas=frozenset(own[:2])),
        Scope(databases=frozenset({first})),
        Scope(databases=frozenset({first}), schemas=frozenset({own[1], places[-1]})),
        Scope(schemas=frozenset({own[2], places[-1]})),
    ]


def _questions(scope: Scope, company: Company, hidden: Sequence[str], attack: Attack) -> Iterator[ToolRequest]:
    random = attack.random("questions")
    tables = {
        format_name((database, table.schema_name, table.table_name)): scope.allows(database, table.schema_name)
        for database, several in company.tables.items()
        for table in several
    }
    seen = [name for name, allowed in tables.items() if allowed]
    yield "list_domains", {}
    for name in random.sample(seen, min(len(seen), attack.times(_CALLS, least=8))):
        yield "get_table_schema", {"table": name, "include_samples": True}
    for name in random.sample(sorted(tables), attack.times(20, least=3)):
        yield "get_table_schema", {"table": name}
        yield "get_join_path", {"source_table": random.choice(seen), "target_table": name, "max_hops": 10}
    words_of_hidden = random.sample(hidden, min(len(hidden), attack.times(_CALLS, least=6)))
    for words in (*words_of_hidden, "copied from every night", "order line entry"):
        yield "search_tables", {"query": words, "limit": 20}
        yield "search_tables", {"query": f"{words} {random.choice(seen).rpartition('.')[2]}", "limit": 20}
    for place in company.seen:
        yield "get_domain_overview", {"domain": place[1]}
        yield "list_domains", {"database": place[0]}
    yield from (("get_domain_overview", {"domain": f"withheld-{number}"}) for number in (1, 2, 3))
    for domain in ("general", random.choice(seen).rpartition(".")[2], "x"):
        yield "get_domain_overview", {"domain": domain}


def _over_http(app: Application, caller: Caller, asked: ToolRequest) -> str:
    tool, arguments = asked
    return respond(Request("POST", f"/v1/tools/{tool}", caller, json.dumps(arguments).encode()), app).body.decode()


def _over_mcp(app: Application, caller: Caller, asked: Sequence[ToolRequest]) -> list[str]:
    """Ask a server in this process over two pipes, one question after the other."""
    with _mcp_server(app, caller) as (to_server, from_server):

        def exchange(message: dict[str, Any]) -> str:
            to_server.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            to_server.flush()
            return from_server.readline() if "id" in message else ""

        client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}
        exchange({"id": 0, "method": "initialize", "params": client})
        exchange({"method": "notifications/initialized"})
        calls = [{"name": tool, "arguments": arguments} for tool, arguments in asked]
        return [exchange({"id": n, "method": "tools/call", "params": call}) for n, call in enumerate(calls, 1)]


@contextmanager
def _mcp_server(app: Application, caller: Caller) -> Iterator[tuple[Any, Any]]:
    to_read, to_write = os.pipe()
    answers_read, answers_write = os.pipe()
    thread = threading.Thread(target=serve, args=(app, caller, to_read, answers_write))
    thread.start()
    with os.fdopen(to_write, "w") as to_server, os.fdopen(answers_read) as from_server:
        try:
            yield to_server, from_server
        finally:
            to_server.close()
            thread.join(60)
    for descriptor in (to_read, answers_write):
        os.close(descriptor)


def _application(company: Company, path: Path, embedder: Embedder | None) -> Application:
    """Plan, document and index a company, as a run does."""
    store, documenting = MemoryStore(), DocumentingOptions(record_pid=False)
    entries = [DatabaseEntry(name=name, domains=company.domains.get(name, {})) for name in company.tables]
    for name, text in company.annotations.items():
        if text:
            store.put(locations.annotations_file(name), text.encode())
    chosen = replace(options_of(*entries), planning=PlanOptions("c" * 64), documenting=documenting)
    clock = FixedClock()
    app = application(
        store=store, clock=clock, open_reader=lambda entry: HandMadeReader(company.tables[entry.name]), opts=chosen
    )
    readings = [read_catalog(entry, app, "r1") for entry in entries]
    plan = compose_plan(readings, app, previous=None, has_work=lambda _unit, _spec: True).plan
    outline = write_run_plan(plan, store=store, run_id="r1")
    context = run_with(app, "r1")
    for unit_id in outline.unit_ids:
        unit = WorkUnit.from_json(store.get(locations.run_unit_file("r1", unit_id)).data)
        document_unit(unit, context, HandMadeReader(company.tables[unit.database]), documenting)
    assert finish(outline, context).manifest is not None
    index = SqliteIndex(path)
    index_all(store, index, embedder)
    return application_over(index, embedder, clock, store)
