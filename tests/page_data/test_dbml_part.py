"""The DBML of a domain: every visible table of it, and keys only to tables that the caller may see."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.fakes import MemoryStore, application_over
from tests.sample_shop.indexed import index_all, shop_tables, write_documentation
from tribal.adapters.sqlite.index import SqliteIndex
from tribal.edges.http.messages import Request
from tribal.edges.http.page import PAGE_ROUTES
from tribal.edges.http.routes import respond
from tribal.identity.scope import EVERYTHING, Scope
from tribal.page_data.home import NO_REPORTS
from tribal.page_data.parts import every_part
from tribal.page_data.survey import page_toolbox
from tribal.ports import Application, Caller

SALES = Scope(schemas=frozenset({("shop", "sales")}))


@pytest.fixture(name="app", scope="module")
def app_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    store, index = MemoryStore(), SqliteIndex(Path(tmp_path_factory.mktemp("dbml")) / "index.db")
    write_documentation(store, shop_tables())
    index_all(store, index)
    yield application_over(index, store=store)
    index.close()


def asked(app: Application, domain: str, scope: Scope = EVERYTHING) -> tuple[int, Any]:
    query = {"database": "shop", "domain": domain}
    response = respond(Request("GET", "/v1/page/dbml", Caller("reader", scope), query=query), app, routes=PAGE_ROUTES)
    return response.status, json.loads(response.body)


def test_a_domain_comes_with_a_block_and_the_keys_of_each_table(app: Application) -> None:
    tables = {table.name: table for table in shop_tables() if (table.database, table.domain) == ("shop", "sales")}
    status, part = asked(app, "sales")
    assert (status, set(part)) == (200, set(tables))
    for name, (block, refs) in part.items():
        assert block.startswith(f'Table "{tables[name].schema_}"."{tables[name].table}" {{')
        assert {other for other, _ in refs} == {key.references_table for key in tables[name].foreign_keys}
    assert asked(app, "nothing")[0] == 404


def test_keys_to_hidden_tables_are_left_out(app: Application) -> None:
    visible = {table.name for table in shop_tables() if (table.database, table.schema_) == ("shop", "sales")}
    (_, part), (_, whole) = asked(app, "sales", SALES), asked(app, "sales")
    assert set(part) <= visible
    others = {other for _, refs in part.values() for other, _ in refs}
    assert others <= visible
    assert not {other for _, refs in whole.values() for other, _ in refs} <= visible
    assert '"crm"' not in json.dumps(part).replace('\\"', '"')


def test_a_static_site_has_the_part_of_each_domain_by_its_number(app: Application) -> None:
    with app.index().reading():
        parts = dict(every_part(page_toolbox(Caller("site"), app), app.store(), NO_REPORTS))
    domains = [name for name in parts if name.startswith("domain-")]
    assert [name.replace("domain", "dbml") for name in domains] == [name for name in parts if name.startswith("dbml-")]
    tables = [name for part, value in parts.items() if part.startswith("dbml-") for name in value]  # type: ignore[attr-defined]
    assert sorted(tables) == sorted(table.name for table in shop_tables())
