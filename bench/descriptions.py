"""How much the rules say about real schemas, on what it rests, and whether what they say about keys is so.

The gold descriptions are never opened. Sentences are drawn by seed into a file, to be read by a person.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from bench.measure import CommandFailedError
from servers.postgres import EmbeddedServer
from tests.plugins.postgres import connected
from tribal.identity.table_names import format_name
from tribal.sql.type_families import type_family
from tribal_contracts import Description, DocumentedColumn, TableDocument

DATA_VARIABLE = "TRIBAL_BENCH_DATA"
REPORT = Path(".bench") / "sentences.md"
DRAWN = 300
_SEED = 13
_TIMES = ("date", "instant", "local_time")
_TABLES = ("table", "partitioned_table")
_NO_TABLES = ("documentation-manifest.json", "domain.json", "overview.json", "relationships.json")
# What needs an extension that the server may lack; no rule looks at either.
_LEFT_OUT = re.compile(
    r"^(?:CREATE EXTENSION\b|COMMENT ON EXTENSION\b|CREATE INDEX\b[^;]*?\bUSING gi(?:n|st)\b|"
    r"ALTER TABLE\b[^;]*?\bEXCLUDE USING gist\b).*?;$",
    re.DOTALL | re.IGNORECASE | re.MULTILINE,
)
_KEYS = """
    SELECT n.nspname, c.relname, a.attname, k.contype::text, fn.nspname, f.relname, fa.attname, cardinality(k.conkey)
    FROM pg_constraint k
    JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    CROSS JOIN LATERAL unnest(k.conkey, k.confkey) AS pair(mine, theirs)
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = pair.mine
    LEFT JOIN pg_class f ON f.oid = k.confrelid LEFT JOIN pg_namespace fn ON fn.oid = f.relnamespace
    LEFT JOIN pg_attribute fa ON fa.attrelid = f.oid AND fa.attnum = pair.theirs
    WHERE k.contype IN ('p', 'f')
"""


@dataclass(slots=True)
class Said:
    """What is said of one schema: things with a sentence of all, and sentences by what they rest on."""

    schema: str
    described: Counter[str] = field(default_factory=Counter)
    """Tables, columns, and of the columns of tables the keys, times and flags, that have a sentence."""
    total: Counter[str] = field(default_factory=Counter)
    evidence: Counter[str] = field(default_factory=Counter)
    key_sentences: int = 0
    false_key_sentences: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Sentence:
    where: str
    text: str
    kind: str
    of: str


def documented_schemas(server: EmbeddedServer, scratch: Path) -> Iterator[tuple[Said, list[_Sentence]]]:
    """Document each schema without comments, and each real one, with `tribal run`."""
    data = Path(os.environ[DATA_VARIABLE])
    for file in sorted([*data.glob("ddl/*/schema_nocomments.sql"), *data.glob("real/*/schema.sql")]):
        name = file.parent.name
        script = scratch / f"{name}.sql"
        script.write_text(loadable(file), encoding="utf-8")
        server.ensure_database(name, script)
        project = scratch / name
        project.mkdir()
        documents = list(_documents(server.dsn(name), project))
        said, sentences = _counted(name, documents)
        _check_keys(said, documents, server.dsn(name))
        yield said, sentences


def loadable(schema: Path) -> str:
    """The SQL of a schema, without what needs an extension."""
    return _LEFT_OUT.sub("", schema.read_text(encoding="utf-8"))


def _documents(dsn: str, project: Path) -> Iterator[TableDocument]:
    command = [str(Path(sys.executable).parent / "tribal"), "run", dsn, "--project", str(project)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise CommandFailedError(f"tribal run ended with {ended.returncode}:\n{ended.stderr}")
    for path in sorted((project / "docs").rglob("*.json")):
        if path.name not in _NO_TABLES:
            yield TableDocument.from_json(path.read_bytes())


def _counted(schema: str, documents: list[TableDocument]) -> tuple[Said, list[_Sentence]]:
    said = Said(schema)
    sentences: list[_Sentence] = []
    for document in documents:
        name = format_name((document.schema_, document.table))
        kinds = [("tables", document.description, name)]
        for column in document.columns:
            place = format_name((document.schema_, document.table, column.name))
            kinds += [(kind, column.description, place) for kind in _kinds(document, column)]
        for kind, description, place in kinds:
            said.total[kind] += 1
            said.described[kind] += bool(description.text)
            if kind in ("tables", "columns") and description.source == "derived":
                sentences += _sentences(f"{schema}: {place}", description)
    said.evidence.update(sentence.kind for sentence in sentences)
    return said, sentences


def _kinds(document: TableDocument, column: DocumentedColumn) -> Iterator[str]:
    yield "columns"
    if document.kind not in _TABLES:
        return
    if column.is_primary_key or column.is_foreign_key:
        yield "keys"
    elif type_family(column.type) in _TIMES:
        yield "times"
    elif type_family(column.type) == "boolean":
        yield "flags"


def _sentences(where: str, description: Description) -> Iterator[_Sentence]:
    evidence = description.evidence or []
    if len(evidence) == 1:
        yield _Sentence(where, description.text, evidence[0].kind, evidence[0].of)
        return
    for each, text in zip(evidence, re.split(r"(?<=[.;]) (?=[A-Z])", description.text), strict=False):
        yield _Sentence(where, text, each.kind, each.of)


def _check_keys(said: Said, documents: list[TableDocument], dsn: str) -> None:
    """Hold every sentence about a primary or foreign key of a column against the catalog itself."""
    with connected(dsn) as connection:
        rows = connection.run(_KEYS)
    primary = {(schema, table, column): size for schema, table, column, kind, *_, size in rows if kind == "p"}
    foreign = {
        ((schema, table, column), format_name((to_schema, to_table, to_column)))
        for schema, table, column, kind, to_schema, to_table, to_column, size in rows
        if kind == "f" and size == 1
    }
    for document in documents:
        for column in document.columns:
            place = (document.schema_, document.table, column.name)
            for text in (one.text for one in _sentences("", column.description)):
                target = re.fullmatch(r"Refers to (.+)\.", text)
                known = {
                    "The primary key.": primary.get(place) == 1,
                    "Part of": primary.get(place, 0) > 1,
                    "Refers": bool(target) and (place, target and target[1]) in foreign,
                }
                for start, holds in known.items():
                    if text.startswith(start):
                        said.key_sentences += 1
                        if not holds:
                            said.false_key_sentences.append(f"{format_name(place)}: {text}")


def report(server: EmbeddedServer, scratch: Path) -> list[Said]:
    """Measure every schema, and write sentences drawn by seed, each with what it rests on."""
    every, pool = [], []
    for said, sentences in documented_schemas(server, scratch):
        every.append(said)
        pool += sentences
    drawn = random.Random(_SEED).sample(pool, min(DRAWN, len(pool)))
    REPORT.parent.mkdir(exist_ok=True)
    REPORT.write_text("\n".join(f"- {one.where}: {one.text} ({one.kind}: {one.of})" for one in drawn), encoding="utf-8")
    return every


def print_said(every: list[Said]) -> None:
    """Print the share of things with a sentence, what the sentences rest on, and those about keys that do not hold."""
    kinds, evidence = ("tables", "columns", "keys", "times", "flags"), ("declared", "seen", "read")
    print(f"{'with a sentence':<22}" + "".join(f"{kind:>16}" for kind in kinds) + "   rests on: declared, seen, read")
    for said in every:
        shares = "".join(f"{_share(said.described[kind], said.total[kind]):>16}" for kind in kinds)
        print(f"{said.schema:<22}{shares}   {', '.join(str(said.evidence[kind]) for kind in evidence)}")
    wrong = [sentence for said in every for sentence in said.false_key_sentences]
    print(f"sentences about keys held against the catalog: {sum(s.key_sentences for s in every)}, false: {len(wrong)}")
    for sentence in wrong:
        print(f"  {sentence}")
    print(f"{DRAWN} sentences of all schemas, to be read: {REPORT}")


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({part / whole:.2f})" if whole else "-"
