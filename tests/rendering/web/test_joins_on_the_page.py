"""The same join everywhere: in the terminal, from a server, and in a static site, which has no Python."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote

import pytest

from servers.chromium import Chromium, Tab
from tests.cases import each_case
from tests.edges.cli.tribal_command import tribal
from tests.edges.http.served import Served
from tests.plugins.postgres import new_database
from tests.rendering.web.join_search import JoinSearch, compared, site_part, table_names
from tests.rendering.web.sites import looking, written_site
from tribal.app.local import local_application
from tribal.ports import Application, Caller
from tribal.settings import load_settings
from tribal.tools.call import call_tool
from tribal_demo import COMPANY_SQL
from tribal_demo.server.postgres import EmbeddedServer

pytestmark = pytest.mark.xdist_group("chromium")

EPOCH = "1790000000"
HERE = Path(__file__).parent
SCRIPTS = {"company": COMPANY_SQL, "library": HERE / "library.sql", "garage": HERE / "garage.sql"}
KINDS = ("one step", "two steps", "three to five steps", "several or composite keys", "likely keys")
OF_EACH_KIND = 40
SHOWN_OF_EACH_KIND = 3
_SEED = 20_261_130

Pair = tuple[str, str]


@dataclass(frozen=True)
class Documented:
    """A documented project of three databases, its static site, and a server of it."""

    project: Path
    site: Path
    server: Served
    joins: Mapping[str, Sequence[Pair]]
    """Pairs of tables, by how they are joined."""


@pytest.fixture(name="everywhere", scope="module")
def everywhere_fixture(
    tmp_path_factory: pytest.TempPathFactory, postgres_server: EmbeddedServer
) -> Iterator[Documented]:
    project = tmp_path_factory.mktemp("joins")
    with ExitStack() as stack:
        entries = [
            {"name": name, "dsn": stack.enter_context(new_database(postgres_server, script))}
            for name, script in SCRIPTS.items()
        ]
        (project / "databases.yaml").write_text(json.dumps({"databases": entries}))
        ran = tribal("run", cwd=project, SOURCE_DATE_EPOCH=EPOCH)
        assert ran.returncode == 0, ran.stderr
    written_site(project)
    site = project / "site" / "index.html"
    with Served(project, SOURCE_DATE_EPOCH=EPOCH) as server:
        yield Documented(project, site, server, _joins(project, site))


def _joins(project: Path, site: Path) -> dict[str, list[Pair]]:
    """As many pairs of each kind as are compared, drawn from all."""
    names = table_names(site_part(site, "catalog"))
    pairs = [(one, other) for one, other in product(names, repeat=2) if one != other]
    Random(_SEED).shuffle(pairs)
    found: defaultdict[str, list[Pair]] = defaultdict(list)
    app = replace(local_application(load_settings(project=project, environment={})), answer_tokens=None)
    try:
        for pair in pairs:
            kind = _kind(_answer(pair, app))
            if kind is not None and len(found[kind]) < OF_EACH_KIND:
                found[kind].append(pair)
            if all(len(found[each]) == OF_EACH_KIND for each in KINDS):
                break
    finally:
        app.close()
    return found


def _answer(pair: Pair, app: Application) -> Any:
    return json.loads(call_tool("get_join_path", _asked(pair), Caller("test"), app).to_compact_json())


def _asked(pair: Pair) -> dict[str, str]:
    return {"source_table": pair[0], "target_table": pair[1]}


def _kind(answer: Mapping[str, Any]) -> str | None:
    steps = answer.get("path", [])
    others = [other["path"] for other in answer.get("alternatives", ())]
    messages = [warning["message"] for warning in answer.get("warnings", ())]
    tables = [step["to_table"] for step in steps]
    if any(step.get("source") == "inferred" for step in steps):
        return "likely keys"
    if any(" AND " in step["on_clause"] for step in steps) or any(
        [step["to_table"] for step in other] == tables for other in others
    ):
        return "several or composite keys"
    if len(steps) == 3 or any(f"over {hops} hops" in message for hops in (4, 5) for message in messages):
        return "three to five steps"
    return {1: "one step", 2: "two steps"}.get(len(steps))


@each_case("kind", KINDS)
def test_a_site_and_a_server_join_tables_as_the_terminal_does(
    everywhere: Documented, kind: str, tmp_path: Path
) -> None:
    pairs = everywhere.joins[kind]
    assert len(pairs) == OF_EACH_KIND
    catalog, keys = (site_part(everywhere.site, name) for name in ("catalog", "keys"))
    with JoinSearch(tmp_path) as search:
        in_site = search.answers(keys, table_names(catalog), pairs)
    for pair, found in zip(pairs, in_site, strict=True):
        ran = tribal("join", *pair, "--json", cwd=everywhere.project, SOURCE_DATE_EPOCH=EPOCH)
        expected = compared(json.loads(ran.stdout))
        served = everywhere.server.ask(tool="get_join_path", **_asked(pair)).json()
        assert compared(served) == expected, pair
        assert found == expected, pair


def test_the_joins_that_are_compared_are_of_every_database(everywhere: Documented) -> None:
    databases = {name.partition(".")[0] for pairs in everywhere.joins.values() for pair in pairs for name in pair}
    assert databases == set(SCRIPTS)


@each_case("form", ("site", "server"))
def test_the_page_shows_the_statement_the_warnings_and_the_alternatives(
    chromium: Chromium, everywhere: Documented, form: str
) -> None:
    address = everywhere.site.as_uri() if form == "site" else f"{everywhere.server.address}/"
    pairs = [pair for kind in KINDS for pair in everywhere.joins[kind][:SHOWN_OF_EACH_KIND]]
    with looking(chromium, address, "#/join") as tab:
        for pair in pairs:
            answer = everywhere.server.ask(tool="get_join_path", **_asked(pair)).json()
            assert _shown(tab, pair) == _expected(answer), pair


def _shown(tab: Tab, pair: Pair) -> tuple[list[str], list[str]]:
    """The statements and the warnings that the page shows."""
    tab.value(f"void (location.hash = '#/join/{'/'.join(quote(name, safe='') for name in pair)}')")
    there = " && ".join(
        f"document.querySelector('main #{end}').value === {json.dumps(name)}"
        for end, name in zip(("from", "to"), pair, strict=True)
    )
    tab.until(f"document.querySelector('main .join') && {there}")
    texts = "[...document.querySelectorAll('main .join {}')].map(each => each.textContent)"
    return tab.value(texts.format("pre")), tab.value(texts.format(".warnings li"))


def _expected(answer: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    statements = [answer.get("sql_snippet"), *(other["sql_snippet"] for other in answer.get("alternatives", ()))]
    return [sql for sql in statements if sql], [warning["message"] for warning in answer.get("warnings", ())]
