"""How fast is the page in headless Chromium?

`python -m bench.page [TABLES ...]`, by default over 1,000 and 5,000 generated tables: of a static site, what the first
view loads and when its numbers and its map are drawn, how long results take after a key, and how long a diagram and the
map take; of the served page, how long the first words of an answer take, without a model.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from subprocess import DEVNULL, PIPE, Popen
from tempfile import TemporaryDirectory

from bench.generated import documented_project
from bench.harness import TRIBAL, Bench, BenchmarkFailed, Row, Table, measure, run
from servers.chromium import Chromium, Tab, installed_chromium

SIZES = (1_000, 5_000)
VISITS = 5
TYPED = ("invoice", "customer name", "status", "payment_status", "email", "shipment lines")
_DRAWN = """
(async () => {
  while (!document.querySelector('main svg.bar') || !document.querySelector('.g-drawing rect'))
    await new Promise(done => setTimeout(done, 1));
  return performance.now();
})()
"""
_TYPE = """
(async text => {
  const search = document.querySelector('#search'), times = [];
  search.focus();
  // People need some time from the focus to the first key.
  await new Promise(done => setTimeout(done, 300));
  for (let end = 1; end <= text.length; end++) {
    const begun = performance.now(), typed = text.slice(0, end);
    search.value = typed;
    search.dispatchEvent(new Event('input', {bubbles: true}));
    while (document.querySelector('#results')?.dataset.query !== typed) await new Promise(done => setTimeout(done));
    times.push(performance.now() - begun);
  }
  return times;
})
"""
_ASKED = ("which invoices are unpaid?", "what does the status of a payment mean?", "how many customers per country?")
_ASK = """
(async text => {
  const words = () => document.querySelectorAll('.answer li, .answer p:not(.loading)').length;
  const field = document.querySelector('#question'), before = words();
  field.value = text;
  field.dispatchEvent(new Event('input', {bubbles: true}));
  await new Promise(done => setTimeout(done, 50));
  const begun = performance.now();
  field.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true, cancelable: true}));
  while (words() <= before) await new Promise(done => setTimeout(done, 1));
  const first = performance.now() - begun;
  while (document.querySelector('.answer[aria-busy=true]')) await new Promise(done => setTimeout(done, 1));
  return first;
})
"""
_SHOW = """
(async ([address, selector]) => {
  const begun = performance.now();
  const changed = new Promise(done => addEventListener('hashchange', done, {once: true}));
  location.hash = address;
  await changed;
  const there = () => document.querySelector(`main[aria-busy=false] ${selector}`);
  await new Promise(done => setTimeout(done));
  while (!there()) await new Promise(done => setTimeout(done, 1));
  return performance.now() - begun;
})
"""


def page(bench: Bench) -> Iterator[Table]:
    """Measure sites of each size."""
    program = installed_chromium()
    if program is None:
        raise BenchmarkFailed("Chromium is not installed")
    sizes = [int(size) for size in bench.arguments] or SIZES
    with TemporaryDirectory() as profile, Chromium(program, Path(profile)) as chromium:
        yield Table("The page as a static site", [_row(bench, chromium, size) for size in sizes])
        yield Table("The first words of an answer on the served page", [_ask(bench, chromium, size) for size in sizes])


def _row(bench: Bench, chromium: Chromium, size: int) -> Row:
    folder = documented_project(bench, size) / "site"
    written = measure([TRIBAL, "site", folder, "--project", folder.parent], folder=bench.folder)
    address = (folder / "index.html").as_uri()
    drawn = [chromium.open(address).value(_DRAWN) for _ in range(VISITS)]
    tab = chromium.open(address)
    tab.until("document.querySelector('main svg')")
    loaded = sum(Path(file.removeprefix("file://")).stat().st_size for file in tab.requests)
    first, *keys = (each for text in TYPED for each in _typed(tab, text))
    return {
        "tables": size,
        "site s": round(written.seconds, 1),
        "first view KB": round(loaded / 1000),
        "first view ms": round(median(drawn)),
        "first key ms": round(first),
        "other keys ms, median": round(median(keys)),
        "other keys ms, most": round(max(keys)),
        "domain ms": round(_shown(tab, _largest_domain(tab), ".g-drawing rect")),
        "map ms": round(_shown(tab, "#/map", ".g-drawing rect")),
    }


def _ask(bench: Bench, chromium: Chromium, size: int) -> Row:
    folder = documented_project(bench, size)
    with Popen([TRIBAL, "serve", "--port", "0", "--project", folder], stdout=PIPE, stderr=DEVNULL, text=True) as server:
        try:
            assert server.stdout is not None
            address = server.stdout.readline().removeprefix("serving ").strip()
            tab = chromium.open(f"{address}#/ask")
            tab.until("document.querySelector('#question')")
            first, *others = (float(tab.value(f"({_ASK})({text!r})")) for text in _ASKED * 3)
        finally:
            server.terminate()
    return {"tables": size, "first question ms": round(first), "others ms, median": round(median(others))}


def _typed(tab: Tab, text: str) -> list[float]:
    tab.value("location.hash = '#/'")
    tab.until("document.querySelector('table.domains')")
    times: list[float] = tab.value(f"({_TYPE})({text!r})")
    return times


def _largest_domain(tab: Tab) -> str:
    tab.value("location.hash = '#/'")
    tab.until("document.querySelector('table.domains')")
    return str(tab.value("document.querySelector('table.domains a').getAttribute('href')"))


def _shown(tab: Tab, address: str, selector: str) -> float:
    return float(tab.value(f"({_SHOW})([{address!r}, {selector!r}])"))


if __name__ == "__main__":
    sys.exit(run("page", page))
