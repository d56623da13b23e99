"""What an index says, whatever the numbers by which its tables refer to each other."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

from opensearchpy import OpenSearch

from tribal.adapters.opensearch.layout import STATE_ID

_PAGE = 10_000
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")

_TERMS = " UNION ALL ".join(
    f"SELECT rowid AS number, names, body FROM terms_{kind}" for kind in ("table", "column", "domain", "relationship")
)
_RECORDS = f"""
SELECT r.id, r.doc_type, r.table_id, o.database_name, r.schema_name, r.table_name, r.column_name, o.domain, r.content,
  r.summary, r.keywords, o.file_path, o.content_hash, o.indexed_at, o.source_modified_at, s.path, s.content_hash,
  t.database_type, t.document, terms.names, terms.body
FROM records r JOIN origins o ON o.number = r.origin JOIN sources s ON s.number = o.source
LEFT JOIN structured t ON t.number = r.number LEFT JOIN ({_TERMS}) terms ON terms.number = r.number"""
_VECTORS = """
SELECT v.kind, v.schema_name, v.ids, v.table_ids, v.vectors, o.database_name, o.domain, s.path
FROM vectors v JOIN origins o ON o.number = v.origin JOIN sources s ON s.number = o.source"""
_WHOLE = [f"SELECT * FROM {table}" for table in ("index_metadata", "key_graph", "made_with")]
_COUNTS = [f"SELECT '{table}', count(*) FROM {table}" for table in ("records", "origins", "sources", "structured")]


def logical_dump(path: Path) -> list[str]:
    """Every row of every table, joined to what it belongs to, in order; nothing stands alone or twice."""
    queries = (_RECORDS, _VECTORS, "SELECT path, content_hash FROM sources", *_WHOLE, *_COUNTS)
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)) as index:
        assert index.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return sorted(repr(row) for query in queries for row in index.execute(query))


def cluster_dump(client: OpenSearch, name: str) -> list[str]:
    """Every document of the index behind a name and what the index says of itself, in order, without times."""
    hits = client.search(index=name, body={"query": {"match_all": {}}, "size": _PAGE}, params={"version": "false"})
    assert hits["hits"]["total"]["value"] <= _PAGE
    sources = {hit["_id"]: hit["_source"] for hit in hits["hits"]["hits"]}
    state = json.loads(sources.pop(STATE_ID)["value"])
    assert sorted(state["graph"]) == sorted(key for key, source in sources.items() if source["kind"] == "graph")
    said = (state["metadata"], state["graph"], *sorted(sources.items()))
    return [without_times(json.dumps(one, sort_keys=True)) for one in said]


def without_times(text: str) -> str:
    """The text with one time for all."""
    return _TIME.sub("then", text)
