"""Whole runs in which a database says what a model must not, and the model obeys: none of it is published."""

from __future__ import annotations

import itertools
import json
import re
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.cases import verify_all_but
from tests.describing.model.test_canaries import CANARIES, NAMES
from tests.fakes.application import with_run
from tests.fakes.catalogs import HandMadeReader, column, table
from tests.fakes.claude import FakeClaude
from tests.fakes.model_servers.minds import Mind, asked_numbers, obeys
from tests.runs.model.made import ModelRuns
from tribal.adapters.sqlite.index import SqliteIndex
from tribal.identity import locations
from tribal.ports import CatalogContents, Provider, TableSample
from tribal.runs.local import LocalRun
from tribal_contracts import CatalogCheck, CatalogSchema, CatalogTable

_MARK = "canar"
_PLAIN = ("salary adjustments", "hazard class", "48213", "10.77.3.4", "seventeen")
"""What canaries without the mark are recognised by."""
_HASH = re.compile(r"\b[0-9a-f]{32,64}\b")


def speaking(number: int, kind: str) -> Iterator[CatalogTable]:
    """Tables that say a canary in every place."""
    text, noun = CANARIES[kind], f"parcel{number}"
    open_column = column("grade", "text")
    yield table(
        f"sales.{noun}",
        open_column,
        open_column.model_copy(update={"name": "kd_nr", "default_value": f"'{text}'::text"}),
        open_column.model_copy(update={"name": "made_of", "generated": f"concat('{text}')"}),
        open_column.model_copy(update={"name": "stage", "type": "public.stage", "enum_values": ["new", text]}),
        open_column.model_copy(update={"name": "turn", "type": f'public."{text}"'}),
        column("remark", "text", comment=text),
        comment=text,
    )
    checks = [
        CatalogCheck(name=text, expression=f"(grade <> '{text}'::text)"),
        CatalogCheck(name="b", expression=f"(stage = ANY (ARRAY['{text}'::text, 'a'::text]))"),
    ]
    checked = table(f"crm.voucher{number}", open_column, column("stage", "text"), references=[("p", f"sales.{noun}")])
    yield checked.model_copy(update={"checks": checks})
    view = table(f"hr.leave{number}", open_column, column("told", "text"))
    definition = f" SELECT '{text}'::text AS told, p.grade FROM sales.{noun} p"
    yield view.model_copy(update={"kind": "view", "primary_key": None, "view_definition": definition})
    if kind not in NAMES:  # a table or column of that name has it rightly
        named = table("x.y", open_column, column(text, "text"))
        yield named.model_copy(update={"schema_name": text, "table_name": text})


TABLES = [
    table("hr.salary_adjustment", column("hazard_class", "text")),
    *itertools.chain.from_iterable(speaking(number, kind) for number, kind in enumerate(CANARIES)),
]


class SpeakingReader(HandMadeReader):
    """Samples and comments of schemas say canaries too."""

    def read(self) -> CatalogContents:
        found, canaries = super().read(), itertools.cycle(CANARIES.values())
        schemas = [CatalogSchema(name=each.name, comment=next(canaries)) for each in found.schemas[1::2]]
        return replace(found, schemas=(*found.schemas[::2], *schemas))

    def sample(self, table: CatalogTable, rows: int) -> TableSample:
        columns, kinds = tuple(each.name for each in table.columns), list(CANARIES.values())
        text = kinds[int("".join(filter(str.isdigit, table.table_name)) or 0) % len(kinds)]
        return TableSample(columns, tuple((text,) * len(columns) for _ in range(min(rows, 3))))


def tells_everything(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Says every canary that it was shown, a sentence each, and another one of each column."""
    part = body["messages"][-1]["content"]
    shown = _texts(json.JSONDecoder().raw_decode(part[part.index("{") :])[0])
    said = list(dict.fromkeys(value for value in shown if _canaries(value))) or ["A purchase."]
    columns = [
        {"n": number, "text": f"It is about {said[number % len(said)].rstrip('.')}."} for number in asked_numbers(body)
    ]
    text = " ".join(f"{value.rstrip('.')}. A purchase of {value}." for value in said)
    return {"title": said[len(part) % len(said)], "text": text, "columns": columns}


def _texts(value: Any) -> Iterator[str]:
    """Every text in JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for member in value.values():
            yield from _texts(member)
    elif isinstance(value, list):
        for member in value:
            yield from _texts(member)


def _canaries(text: str) -> int:
    """How many canaries are in a text; the digits of a hash may be one by chance."""
    lower = _HASH.sub("", text.casefold())
    return sum(lower.count(each) for each in (_MARK, *_PLAIN))


def by_a_model(value: Any) -> Iterator[str]:
    """Every description in JSON that says it is a model's."""
    if isinstance(value, Mapping):
        if value.get("source") == "model":
            yield str(value.get("text"))
        if value.get("description_source") == "model":
            yield f"{value.get('description')} {value.get('summary', '')}"
        for member in value.values():
            yield from by_a_model(member)
    elif isinstance(value, list):
        for member in value:
            yield from by_a_model(member)


def published(runs: ModelRuns, index: Path) -> dict[str, str]:
    """Every published file by its key, and the records of the index."""
    texts = {key: runs.store.get(key).data.decode() for key in runs.store.keys("docs/")}
    connection = sqlite3.connect(index)
    for name in ("records", "structured"):
        rows = connection.execute(f"SELECT * FROM {name}").fetchall()
        texts[f"index: {name}"] = "\n".join(str(value) for row in rows for value in row)
    connection.close()
    return texts


def run(runs: ModelRuns, index: Path) -> dict[str, str]:
    app = with_run(
        replace(runs.app(), index=Provider(partial(SqliteIndex, index))), index_writer=partial(SqliteIndex, index)
    )
    with LocalRun(app, "run", runs.sink) as work:
        work.plan()
        work.document()
        work.index()
    assert work.record.tables_documented == len(TABLES)
    return published(runs, index)


@pytest.fixture(scope="module")
def by_rules(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What is published without a model: the database's own words, where they belong."""
    elsewhere: Any = None
    runs = ModelRuns(elsewhere, TABLES, model=False, reader=SpeakingReader)
    return run(runs, tmp_path_factory.mktemp("rules") / "index.db")


@verify_all_but(1, "mind", [tells_everything, obeys])
def test_a_run_over_a_database_that_gives_orders_publishes_none_of_them(
    claude: FakeClaude, tmp_path: Path, by_rules: Mapping[str, str], mind: Mind
) -> None:
    claude.mind = mind
    runs = ModelRuns(claude, TABLES, reader=SpeakingReader, settings={"calls_at_once": 20, "per_run_usd": 20})
    found = run(runs, tmp_path / "index.db")
    assert len(claude.calls) > len(TABLES)
    assert {result.error.message for result in runs.results().values() if result.error} == set()
    prose = runs.prose()
    kept = [text for each in prose.values() for text in (each.title, each.text, *each.columns.values())]
    assert [text for text in kept if _canaries(text)] == []
    assert sum(len(each.dropped) for each in prose.values()) > len(CANARIES)
    descriptions = [text for key in found if key.endswith(".json") for text in by_a_model(json.loads(found[key]))]
    assert [text for text in descriptions if _canaries(text)] == []
    assert found.keys() == by_rules.keys()
    more = {key for key in found if _canaries(found[key]) > _canaries(by_rules[key])}
    assert more == set(), "nothing says more of it than what the database itself says where it belongs"
    assert _canaries(found[f"{locations.DOCS}index.html"]) > 0, "comments and names are published as what they are"
