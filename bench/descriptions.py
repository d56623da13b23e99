"""Rates derived descriptions of real schemas without comments, and shows them beside human ones for reading.

The gold descriptions are opened only after the run, and only shown to the reader.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.measure import CommandFailedError
from servers.postgres import EmbeddedServer
from tribal.naming import expand_tokens, singular, split_identifier, stem, tokenize_text
from tribal_contracts import TableDocument

DATA_VARIABLE = "TRIBAL_BENCH_DATA"
REPORT = Path(".bench") / "descriptions.md"
PAIRS = 30
_SEED = 4
# Words that say nothing about the thing itself: ignorance, grammar, and the type, which the page shows anyway.
_EMPTY = frozenset(
    """
    not documented the name suggests by its one row is a an and or of to in with on for holds each other what which
    point time date yes no fixed set values free text list binary data record entry about how many whether view
    """.split()
)


@dataclass(frozen=True, slots=True)
class Share:
    """Share of a schema's tables and columns whose description adds nothing to the name."""

    schema: str
    tables: int
    empty_tables: int
    columns: int
    empty_columns: int


@dataclass(frozen=True, slots=True)
class _Said:
    table: str
    column: str | None
    text: str


def adds_nothing(text: str, *names: str) -> bool:
    """Whether a description only repeats the names or says that nothing is known."""
    known = set(_EMPTY)
    for name in names:
        tokens = split_identifier(name)
        known.update(tokens, expand_tokens(tokens))
    stems = {stem(singular(word)) for word in known} | {stem(word) for word in known}
    joined = "".join("".join(split_identifier(name)) for name in names)
    said = [word for word in tokenize_text(text) if stem(word) not in stems and stem(singular(word)) not in stems]
    return all(word in joined for word in said)


def described_schemas(server: EmbeddedServer, scratch: Path) -> Iterator[tuple[Share, list[tuple[_Said, str]]]]:
    """Document each schema with `tribal run`; yields the shares, and our descriptions beside the human ones."""
    for folder in sorted((Path(os.environ[DATA_VARIABLE]) / "ddl").iterdir()):
        if (folder / "descriptions.jsonl").exists():
            server.ensure_database(folder.name, folder / "schema_nocomments.sql")
            project = scratch / folder.name
            project.mkdir()
            said = list(_documented(server.dsn(folder.name), project))
            yield _share(folder.name, said), _beside(said, folder / "descriptions.jsonl")


def _documented(dsn: str, project: Path) -> Iterator[_Said]:
    command = [str(Path(sys.executable).parent / "tribal"), "run", dsn, "--project", str(project)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise CommandFailedError(f"tribal run ended with {ended.returncode}:\n{ended.stderr}")
    for path in sorted((project / "docs").rglob("*.json")):
        content = json.loads(path.read_bytes())
        if "columns" in content and "table" in content:
            document = TableDocument.from_json(path.read_bytes())
            name = f"{document.schema_}.{document.table}"
            yield _Said(name, None, document.description.text)
            yield from (_Said(name, column.name, column.description.text) for column in document.columns)


def _share(schema: str, said: list[_Said]) -> Share:
    tables = [one for one in said if one.column is None]
    columns = [one for one in said if one.column is not None]
    return Share(
        schema,
        tables=len(tables),
        empty_tables=sum(adds_nothing(one.text, one.table) for one in tables),
        columns=len(columns),
        empty_columns=sum(adds_nothing(one.text, one.column or "", one.table) for one in columns),
    )


def _beside(said: list[_Said], gold: Path) -> list[tuple[_Said, str]]:
    human = {}
    for line in gold.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        human[entry["table"], entry["column"]] = entry["description"]
    return [(one, human[one.table, one.column]) for one in said if human.get((one.table, one.column))]


def report(server: EmbeddedServer, scratch: Path) -> list[Share]:
    """Measure every schema and write a seeded sample of descriptions, ours beside the human ones."""
    shares, pages = [], []
    for share, pairs in described_schemas(server, scratch):
        shares.append(share)
        pages += [f"## {share.schema}", ""]
        chosen = random.Random(_SEED).sample(pairs, min(PAIRS, len(pairs)))
        for one, human in chosen:
            name = one.table if one.column is None else f"{one.table}.{one.column}"
            pages += [f"- **{name}**", f"  - ours: {one.text}", f"  - human: {human}"]
        pages.append("")
    REPORT.parent.mkdir(exist_ok=True)
    REPORT.write_text("\n".join(pages), encoding="utf-8")
    return shares


def print_shares(shares: list[Share]) -> None:
    """Print how many descriptions add nothing to the name."""
    print(f"{'adds nothing to the name':<28}{'tables':>16}{'columns':>18}")
    for share in shares:
        tables = f"{share.empty_tables} of {share.tables} ({_per_cent(share.empty_tables, share.tables)})"
        columns = f"{share.empty_columns} of {share.columns} ({_per_cent(share.empty_columns, share.columns)})"
        print(f"{share.schema:<28}{tables:>16}{columns:>18}")
    print(f"{PAIRS} descriptions of each schema beside the human ones: {REPORT}")


def _per_cent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "-"
