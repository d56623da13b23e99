"""The page as a static site and as a server gives it, of the sample shop."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from servers.chromium import Chromium, Tab
from tests import ROOT
from tests.edges.cli.tribal_command import tribal
from tests.edges.http.served import Served
from tests.edges.mcp.asked import index_project
from tests.plugins.skips import skip_or_fail
from tests.rendering.web.browser import SHOWN

AXE = ROOT / "page" / "node_modules" / "axe-core" / "axe.min.js"


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
    tab.until(SHOWN)
    yield tab
    assert tab.value("document.title")
    assert not tab.problems, tab.problems
    folder = address.rpartition("/")[0]
    assert [asked for asked in tab.requests if not asked.startswith(folder)] == []


def visit(tab: Tab, address: str) -> None:
    """Open another view of the page, and wait until all of it is there."""
    if tab.value("location.hash") != address:
        tab.value(
            "new Promise(done => { addEventListener('hashchange', done, {once: true});"
            f" location.hash = {json.dumps(address)}; }}).then(() => null)"
        )
    tab.until(SHOWN)


CRAWL = r"""
(async () => {
  const shown = () => SHOWN;
  const seen = new Set(['#/', '#/join']), texts = {}, foreign = [];
  for (const address of seen) {
    const isThere = location.hash === address;
    const visited = isThere || new Promise(done => addEventListener('hashchange', done, {once: true}));
    location.hash = address;
    await visited;
    do await new Promise(done => setTimeout(done, 5)); while (!shown());
    document.querySelectorAll('details').forEach(fold => { fold.open = true; });
    document.querySelectorAll('.fold[aria-expanded=false]').forEach(fold => fold.click());
    await new Promise(done => setTimeout(done, 5));
    texts[address] = document.body.innerText;
    for (const link of document.querySelectorAll('a')) {
      const whole = link.getAttribute('href') || '';
      const leads = whole.startsWith(location.href.split('#')[0]) ? whole.slice(whole.indexOf('#')) : whole;
      if (!leads.startsWith('#/') && leads !== '#content') foreign.push(leads);
      // Columns and sections are opened in the view of their table.
      else if (leads !== '#content' && !/^#\/table\/[^/]+[/?]/.test(leads)) seen.add(leads);
    }
    const others = 'body script:not([src]), img, iframe, object, embed, [onload], [onerror], [style]';
    for (const element of document.querySelectorAll(others)) foreign.push(element.outerHTML);
  }
  return [texts, foreign];
})()
""".replace("SHOWN", SHOWN)


def crawl(tab: Tab) -> tuple[dict[str, str], list[str]]:
    """Visit every address that a view leads to: the text of each, and what is there that the page never makes."""
    texts, foreign = tab.value(CRAWL)
    return texts, foreign


def heard(tab: Tab) -> list[str]:
    """What axe-core finds wrong, each with an element."""
    if not AXE.exists():
        skip_or_fail("axe-core is not installed; `make page` does")
    tab.value(f"void (() => {{ {AXE.read_text(encoding='utf-8')} }})()")
    # The policy of the page forbids it to fetch style sheets, as it would to preload them.
    found = tab.value(
        "axe.run({preload: false}).then(found => found.violations.map(one => one.id + ': ' + one.nodes[0].html))"
    )
    assert isinstance(found, list)
    return found
