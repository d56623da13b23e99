"""The public schemas and questions under `TRIBAL_BENCH_DATA`, and projects over them.

`SET/schema_pg.sql` with `questions.jsonl` and `path_tests.jsonl` is a set of questions; `ddl/NAME` and `real/NAME` are
single schemas, and so is `real2/NAME`. What people answered is only read for scoring.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from bench.harness import TRIBAL, Bench, measure
from tribal.app.local import local_application
from tribal.identity.scope import Scope
from tribal.identity.table_names import TableIdentity
from tribal.ports import Application
from tribal.settings import load_settings

SCHEMA_FILE = "schema_pg.sql"
SAME_AS_ANOTHER = "adventureworks_flat"
"""The tables of AdventureWorks again, in one schema."""
# What needs an extension that the server may lack; no rule looks at either.
_NEEDS_EXTENSION = re.compile(
    r"^(?:CREATE EXTENSION\b|COMMENT ON EXTENSION\b|CREATE INDEX\b[^;]*?\bUSING gi(?:n|st)\b|"
    r"ALTER TABLE\b[^;]*?\bEXCLUDE USING gist\b).*?;$",
    re.DOTALL | re.IGNORECASE | re.MULTILINE,
)
_OF_PSQL = re.compile(r"^\\(?:un)?restrict .*$", re.MULTILINE)
_EXTENSION_SCHEMA = "CREATE SCHEMA ext;"


@dataclass(frozen=True, slots=True)
class Question:
    """A question in a person's words, and the tables that its answer needs."""

    text: str
    schema: str
    tables: frozenset[str]


Way = tuple[tuple[str, ...], tuple[frozenset[frozenset[str]], ...]]
"""Tables in order and, for each step between them, the pairs of joined columns in either direction."""


@dataclass(frozen=True, slots=True)
class JoinTest:
    """Two tables, and every way in which people joined them."""

    source: str
    target: str
    ways: tuple[Way, ...]
    """A way without pairs of columns is met by any columns."""
    max_hops: int = 3
    question: str | None = None
    """The purpose of the join; `None` if the set does not give one."""


@dataclass(frozen=True)
class QuestionSet:
    """The folder of a set of questions about one pool of databases, each a schema of one database."""

    folder: Path

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.folder.name

    @cached_property
    def database(self) -> str:
        """The database that contains all its tables."""
        (database,) = {str(one["scope"]).split(".")[0] for one in read_lines(self.folder / "questions.jsonl")}
        return database

    @cached_property
    def questions(self) -> tuple[Question, ...]:
        """Every question of the set."""
        records = read_lines(self.folder / "questions.jsonl")
        return tuple(Question(one["question"], _schema(one), frozenset(one["gold_tables"])) for one in records)

    @cached_property
    def unanswerable(self) -> tuple[Question, ...]:
        """Questions that nothing in the set can answer; most sets have none."""
        records = read_lines(self.folder / "unanswerable.jsonl")
        return tuple(Question(one["question"], _schema(one), frozenset()) for one in records)

    @cached_property
    def join_tests(self) -> tuple[JoinTest, ...]:
        """Each distinct pair of tables once, with all its ways."""
        ways: dict[tuple[str, str], list[Way]] = {}
        for one in read_lines(self.folder / "path_tests.jsonl"):
            steps = tuple(frozenset(frozenset(pair) for pair in step) for step in one["on"])
            ways.setdefault((one["source"], one["target"]), []).append((tuple(one["path"]), steps))
        return tuple(JoinTest(source, target, tuple(found)) for (source, target), found in ways.items())

    def scope_of(self, question: Question) -> Scope:
        """The one source database that a question is about."""
        return Scope(schemas=frozenset({(self.database, question.schema)}))

    def project(self, bench: Bench) -> Path:
        """Its documented and indexed project."""
        return ensure_project(bench, self.name, {self.database: self.folder / SCHEMA_FILE})


def question_sets(data: Path) -> list[QuestionSet]:
    """Every folder in `data` that is a set of questions."""
    return [QuestionSet(file.parent) for file in sorted(data.glob(f"*/{SCHEMA_FILE}"))]


def schema_files(data: Path) -> dict[str, Path]:
    """The single schemas by name."""
    files = [*data.glob("ddl/*/schema_nocomments.sql"), *data.glob("real*/*/schema.sql")]
    return {file.parent.name: file for file in sorted(files)}


def loadable(schema: Path) -> str:
    """The SQL of a schema, without what needs an extension or psql."""
    sql = _NEEDS_EXTENSION.sub("", _OF_PSQL.sub("", schema.read_text(encoding="utf-8")))
    return sql.replace(_EXTENSION_SCHEMA, f"{_EXTENSION_SCHEMA} CREATE DOMAIN ext.geometry AS text;")


def real_project(bench: Bench) -> Path:
    """One project over the single schemas, each as a database of its own."""
    schemas = {name: file for name, file in schema_files(bench.data).items() if name != SAME_AS_ANOTHER}
    return ensure_project(bench, "real", schemas)


def plain_name(name: str) -> str:
    """A fully qualified name as the sets write it: without quotes."""
    identity = TableIdentity.parse(name)
    return f"{identity.database}.{identity.schema}.{identity.table}"


@contextmanager
def opened(project: Path) -> Iterator[Application]:
    """Yield the application of a project."""
    with closing(local_application(load_settings(project=project))) as app:
        yield app


def ensure_project(bench: Bench, name: str, schemas: Mapping[str, Path]) -> Path:
    """A project in which `tribal run` has documented and indexed databases, each loaded into PostgreSQL from a schema.

    Raises:
        BenchmarkFailed: when the run fails.
    """
    project = bench.folder / f"project-{name}"
    if not project.exists():
        project.mkdir()
        for database, schema in schemas.items():
            bench.server.ensure_database(database, loadable(schema))
        entries = [{"name": database, "dsn": bench.server.dsn(database)} for database in schemas]
        (project / "databases.yaml").write_text(json.dumps({"databases": entries, "embedder": bench.embedder}))
        measure([TRIBAL, "run"], folder=project)
    return project


def _schema(record: Mapping[str, Any]) -> str:
    return str(record["scope"]).partition(".")[2]


def read_lines(file: Path) -> Sequence[dict[str, Any]]:
    """The JSON objects in a file, one a line; none if there is no such file."""
    if not file.exists():
        return []
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
