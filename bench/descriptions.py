"""How much do the rules say about real schemas, and on what evidence? Needs `TRIBAL_BENCH_DATA`.

`python -m bench.descriptions`: the share of tables, columns, keys, times and flags that have a sentence after `tribal
run`, in empty tables without comments. 300 sentences drawn by seed are written to a file, each with its evidence. The
descriptions that people wrote are never opened.
"""

from __future__ import annotations

import random
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from bench.harness import TRIBAL, Bench, Row, Table, measure, run, write_report
from bench.question_sets import loadable, schema_files
from tribal.identity.table_names import format_name
from tribal.sql.type_families import type_family
from tribal_contracts import Description, DocumentedColumn, TableDocument

DRAWN, _SEED = 300, 13
_TIMES = ("date", "instant", "local_time")
_NO_TABLES = ("documentation-manifest.json", "domain.json", "overview.json", "relationships.json")
_KINDS = ("tables", "columns", "keys", "times", "flags")


def tables(bench: Bench) -> Iterator[Table]:
    """Document every schema and count."""
    rows, sentences = list[Row](), list[str]()
    for name, file in schema_files(bench.data).items():
        bench.server.ensure_database(name, loadable(file))
        project, dsn = bench.new_folder(f"described-{name}"), bench.server.dsn(name)
        measure([TRIBAL, "run", dsn, "--project", project], folder=bench.folder)
        rows.append(_row(name, list(_documents(project)), sentences))
    drawn = random.Random(_SEED).sample(sentences, min(DRAWN, len(sentences)))
    remark = write_report("sentences", [f"- {sentence}" for sentence in drawn])
    yield Table("share that has a sentence, and what sentences rest on", rows, [remark])


def _documents(project: Path) -> Iterator[TableDocument]:
    for path in sorted((project / "docs").rglob("*.json")):
        if path.name not in _NO_TABLES:
            yield TableDocument.from_json(path.read_bytes())


def _row(schema: str, documents: list[TableDocument], sentences: list[str]) -> Row:
    described, total, evidence = Counter[str](), Counter[str](), Counter[str]()
    for document in documents:
        name = format_name((document.schema_, document.table))
        things = [("tables", document.description, name)]
        for column in document.columns:
            place = format_name((document.schema_, document.table, column.name))
            things += [(kind, column.description, place) for kind in _kinds(document, column)]
        for kind, description, place in things:
            total[kind] += 1
            described[kind] += bool(description.text)
            if kind in ("tables", "columns") and description.source == "derived":
                for text, rests_on, of in _sentences(description):
                    evidence[rests_on] += 1
                    sentences.append(f"{schema}: {place}: {text} ({rests_on}: {of})")
    shares = {kind: described[kind] / total[kind] if total[kind] else None for kind in _KINDS}
    counts = {f"rest on {kind}": evidence[kind] for kind in ("declared", "seen", "read")}
    return {"schema": schema, "tables in all": total["tables"], **shares, **counts}


def _kinds(document: TableDocument, column: DocumentedColumn) -> Iterator[str]:
    yield "columns"
    if document.kind not in ("table", "partitioned_table"):
        return
    if column.is_primary_key or column.is_foreign_key:
        yield "keys"
    elif type_family(column.type) in _TIMES:
        yield "times"
    elif type_family(column.type) == "boolean":
        yield "flags"


def _sentences(description: Description) -> Iterator[tuple[str, str, str]]:
    """Each sentence, the kind of what it rests on, and that itself."""
    evidence = description.evidence or []
    texts = [description.text] if len(evidence) == 1 else re.split(r"(?<=[.;]) (?=[A-Z])", description.text)
    for each, text in zip(evidence, texts, strict=False):
        yield text, each.kind, each.of


if __name__ == "__main__":
    sys.exit(run("descriptions", tables))
