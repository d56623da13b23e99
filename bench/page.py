"""`python -m bench.page`: the page of 1,000 and of 5,000 tables in headless Chromium, as a site and served.

Bars: a first view of 1,000 tables under 300 KB and 500 ms; results within 100 ms of a key, at 5,000 tables within 150.
"""

from __future__ import annotations

import re
import statistics
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.searching import OTHERS, THINGS
from servers.chromium import Chromium, Tab, installed_chromium
from tests.edges.cli.tribal_command import tribal
from tests.edges.http.served import Served
from tests.fakes import MemoryStore
from tests.sample_shop.indexed import Key, index_all, table_document, with_relations, write_documentation
from tribal.adapters.sqlite.index import SqliteIndex
from tribal.identity.locations import INDEX_FILE
from tribal_contracts import TableDocument

SIZES = (1_000, 5_000)
VIEWS = 7
TYPED = ("c", "cu", "customer invoi", "custmer", "amount", "due date of invoices", "shipmnt line")
_COLUMNS = "id code status amount currency created_at due_date customer_id note quantity"
_DOMAIN_TABLES = 40


def generated(count: int) -> list[TableDocument]:
    """So many tables, each with a key to one before."""
    documents: list[TableDocument] = []
    for number in range(count):
        thing, other = THINGS[number % len(THINGS)], OTHERS[number // len(THINGS) % len(OTHERS)]
        schema = f"area{number // _DOMAIN_TABLES % 25}"
        keys = []
        if documents:
            parent = documents[number // 3]
            keys = [Key(("customer_id",), f"{parent.schema_}.{parent.table}", ("id",), nullable=number % 2 == 0)]
        name = f"big.{schema}.{thing}_{other}_{number}"
        said = f"One row for each {other} of a {thing}, as the department keeps it; number {number}."
        documents.append(
            table_document(name, _COLUMNS, domain=f"area-{number // _DOMAIN_TABLES}", keys=keys, comment=said)
        )
    return with_relations(documents)


@contextmanager
def _forms(count: int, folder: Path) -> Iterator[dict[str, str]]:
    (folder / INDEX_FILE).parent.mkdir()
    store, index = MemoryStore(), SqliteIndex(folder / INDEX_FILE)
    write_documentation(store, generated(count))
    index_all(store, index)
    index.close()
    print(tribal("site", "site", cwd=folder).stdout.strip())
    with Served(folder) as server:
        yield {"site": (folder / "site" / "index.html").as_uri(), "served": f"{server.address}/"}


def _first_view(chromium: Chromium, address: str) -> tuple[float, int, Tab]:
    """How long until the first view is drawn, in milliseconds, and how many bytes it took."""
    tab = chromium.open(address)
    tab.until("document.querySelector('main h1')")
    shown = tab.value("new Promise(done => requestAnimationFrame(() => done(performance.now())))")
    return float(shown), _bytes(tab, address), tab


def _bytes(tab: Tab, address: str) -> int:
    """The bytes of everything that was asked for, uncompressed."""
    if address.startswith("file:"):
        return sum(Path(re.sub(r"#.*", "", asked).removeprefix("file://")).stat().st_size for asked in tab.requests)
    sizes = tab.value("performance.getEntries().filter(one => one.decodedBodySize).map(one => one.decodedBodySize)")
    return int(sum(sizes))


def _key_milliseconds(tab: Tab) -> list[float]:
    """How long after each key its results are drawn."""
    tab.press("/")
    # The names of the columns arrive meanwhile; what is measured is what a reader feels after that.
    tab.until("catalogTables.every(table => table.parts && table.names)")
    return [
        float(
            tab.value(
                f"(search.value = {typed!r}, new Promise(done => {{ const began = performance.now();"
                " search.dispatchEvent(new Event('input'));"
                " requestAnimationFrame(() => setTimeout(() => done(performance.now() - began))); }))"
            )
        )
        for typed in TYPED
        for _ in range(3)
    ]


def main() -> int:
    """Measure and print."""
    program = installed_chromium()
    if program is None:
        print("there is no Chromium")
        return 1
    for count in SIZES:
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            with _forms(count, folder) as forms, Chromium(program, folder) as chromium:
                for form, address in forms.items():
                    views = [_first_view(chromium, address) for _ in range(VIEWS)]
                    keys = _key_milliseconds(views[-1][2])
                    times = [view[0] for view in views]
                    print(
                        f"{count:,} tables, {form}: first view {views[0][1] / 1000:.0f} KB, "
                        f"{times[0]:.0f} ms at first, then {statistics.median(times):.0f} ms (median of {VIEWS}); "
                        f"results after a key {statistics.median(keys):.0f} ms (median), {max(keys):.0f} ms (worst)"
                    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
