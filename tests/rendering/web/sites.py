"""The page as a static site and as a server gives it, of the sample shop."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from servers.chromium import Chromium, Tab
from tests.edges.cli.tribal_command import tribal
from tests.edges.http.served import Served
from tests.edges.mcp.asked import index_project
from tests.plugins.skips import skip_or_fail

AXE = Path(__file__).parents[2] / "page_lint" / "node_modules" / "axe-core" / "axe.min.js"


def written_site(project: Path) -> str:
    """The address of a site of an indexed project."""
    tribal("site", "site", cwd=project)
    return (project / "site" / "index.html").as_uri()


@contextmanager
def both_forms(project: Path) -> Iterator[dict[str, str]]:
    """The addresses of the page of the sample shop, by form."""
    index_project(project)
    with Served(project) as server:
        yield {"static": written_site(project), "served": f"{server.address}/"}


@contextmanager
def looking(chromium: Chromium, address: str, hash_: str = "", *, scheme: str = "light") -> Iterator[Tab]:
    """The page at one of its addresses, shown whole; it asks for nothing elsewhere and says nothing on the console."""
    tab = chromium.open(f"{address}{hash_}", scheme=scheme)
    tab.until("document.querySelector('main h1')")
    yield tab
    assert tab.value("document.title")
    assert not tab.problems, tab.problems
    folder = address.rpartition("/")[0]
    assert [asked for asked in tab.requests if not asked.startswith(folder)] == []


def heard(tab: Tab) -> list[str]:
    """What axe-core finds wrong, each with an element."""
    if not AXE.exists():
        skip_or_fail("axe-core is not installed; `make tests/page_lint/node_modules/.bin/eslint` does")
    tab.value(f"void (() => {{ {AXE.read_text(encoding='utf-8')} }})()")
    # The policy of the page forbids it to fetch style sheets, as it would to preload them.
    found = tab.value(
        "axe.run({preload: false}).then(found => found.violations.map(one => one.id + ': ' + one.nodes[0].html))"
    )
    assert isinstance(found, list)
    return found
