"""The page's search for joins finds what `get_join_path` does, whatever the keys are."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import pairwise, product
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes import FixedClock
from tests.plugins.verify import examples
from tests.rendering.web.join_search import JoinSearch, compared
from tests.sample_shop.indexed import table_document
from tests.sample_shop.retrieval import toolbox_over
from tribal.capabilities.retrieval.join_path import get_join_path
from tribal.capabilities.retrieval.toolbox import Toolbox
from tribal.page_data.joins import keys_with_joins
from tribal.page_data.survey import survey
from tribal.ports import IndexReader
from tribal_contracts import (
    DocumentedIndex,
    GetJoinPathInput,
    KeyEdge,
    KeyEvidence,
    KeyGraph,
    TableDocument,
)

COLUMNS = ("id", "creator_id", "Owner By", "order", "x_\N{FULLWIDTH LATIN SMALL LETTER A}", "\N{GRINNING FACE}")
NAMES = [
    *(f"db.s.{name}" for name in ("car", "owner", "part", "sale", "sale_log", "User")),
    # Their order is another one by UTF-16.
    *('db.s."\N{FULLWIDTH LATIN SMALL LETTER A}"', 'db.s."\N{GRINNING FACE}"'),
    *(f'db."T t".{name}' for name in ("part", "order", "car_owner")),
    "other.s.car",
]
UNDOCUMENTED = "db.s.gone"
MOST_KEYS = 30


def _document(number: int, name: str) -> TableDocument:
    table = table_document(name, "id", domain="d")
    first, *_ = table.columns
    columns = [first.model_copy(update={"name": column}) for column in (*COLUMNS, "car_id", "owner_id")]
    unique = DocumentedIndex(name="one_each", columns=list(COLUMNS[1 : 2 + number % 2]), unique=True)
    indexes = [*table.indexes, unique] if number % 3 else []
    # SQL for Snowflake names the database as well, as its server does.
    on_server = {"database_type": "snowflake", "server_database": "PROD"} if table.database == "db" else {}
    return table.model_copy(update={"columns": columns, "indexes": indexes, **on_server})


class IndexWithKeys:
    """An index whose keys are others."""

    def __init__(self, index: IndexReader, keys: Sequence[KeyEdge]) -> None:
        self._index = index
        self._keys = KeyGraph(schema_version="1.0", manifest_hash="0" * 64, edges=list(keys))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index, name)

    def key_graph(self) -> KeyGraph:
        return self._keys


@pytest.fixture(name="index", scope="module")
def index_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[IndexReader]:
    tables = [_document(number, name) for number, name in enumerate(NAMES)]
    toolbox = toolbox_over(tmp_path_factory.mktemp("index"), None, tables)
    yield toolbox.index
    toolbox.index.close()


@pytest.fixture(name="search", scope="module")
def search_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JoinSearch]:
    with JoinSearch(tmp_path_factory.mktemp("search")) as search:
        yield search


evidence = st.lists(
    st.builds(KeyEvidence, kind=st.sampled_from(["name", "values"]), of=st.sampled_from(NAMES)), max_size=2
)
columns = st.lists(st.sampled_from(COLUMNS), min_size=1, max_size=2, unique=True)


@st.composite
def keys(draw: st.DrawFn, children: Sequence[str], parents: Sequence[str]) -> KeyEdge:
    """A key of one of these tables to another; of few names, so that many are equally good."""
    own = draw(columns)
    source = draw(st.sampled_from(["declared", "declared", "inferred"]))
    inferred = {"confidence": draw(st.sampled_from([0.5, 0.7, 0.85, 0.94])), "evidence": draw(evidence)}
    return KeyEdge.model_validate(
        {
            "name": draw(st.sampled_from(["a", "b", "c"])),
            "from_table": draw(st.sampled_from(children)),
            "from_columns": own,
            "to_table": draw(st.sampled_from(parents)),
            "to_columns": draw(st.permutations(COLUMNS))[: len(own)],
            "nullable": draw(st.booleans()),
            "source": source,
            "identifies": draw(st.sampled_from([None, None, None, "alone", "with_another"])),
            **(inferred if source == "inferred" else {}),
        }
    )


graphs = st.one_of(
    st.lists(keys(NAMES[:-1], [*NAMES[:-1], UNDOCUMENTED]), max_size=MOST_KEYS),
    # Few tables with many keys between them, and a hub that most tables reference.
    st.lists(keys(NAMES[:4], NAMES[:4]), max_size=MOST_KEYS),
    st.lists(st.one_of(keys(NAMES[:-1], NAMES[:1]), keys(NAMES[:-1], NAMES[:-1])), min_size=8, max_size=MOST_KEYS),
    # A chain, in which some tables are too far from each other.
    st.tuples(*(keys([one], [other]) for one, other in pairwise(NAMES))),
)


@settings(max_examples=examples(40, 500), deadline=None)
@given(edges=graphs, sources=st.lists(st.sampled_from(NAMES), min_size=3, max_size=3, unique=True))
def test_the_page_finds_the_join_that_the_tool_finds(
    index: IndexReader, search: JoinSearch, edges: Sequence[KeyEdge], sources: Sequence[str]
) -> None:
    toolbox = Toolbox(cast("IndexReader", IndexWithKeys(index, edges)), None, FixedClock(), answer_tokens=None)
    found = survey(toolbox)
    pairs = list(product(sources, NAMES))
    part = json.loads(json.dumps(keys_with_joins(found, toolbox)))
    on_page = search.answers(part, [table.name for table in found.tables], pairs)
    for (one, other), answer in zip(pairs, on_page, strict=True):
        expected = get_join_path(GetJoinPathInput(source_table=one, target_table=other), toolbox)
        assert answer == compared(json.loads(expected.to_compact_json())), (one, other)
