"""Sets of human questions over real schemas, each documented once by `tribal run` and cached in `.bench/`."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.measure import CommandFailedError
from servers.postgres import EmbeddedServer
from tribal.app.local import local_application
from tribal.identity.scope import Scope
from tribal.identity.table_names import TableIdentity
from tribal.ports import Application
from tribal.settings import load_settings

CACHE = Path(".bench") / "sets"
SCHEMA_FILE = "schema_pg.sql"
_DONE = "done"
_HASH_DIGITS = 16
_PACKAGE = Path("layers") / "tribal" / "python" / "tribal"
_ONLY_ASKING = ("ranking", "retrieval", "tools", "edges")
"""Packages that only answer questions: an index stays valid when they change."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question in a person's words, and the tables that its answer needs."""

    text: str
    schema: str
    tables: frozenset[str]


Way = tuple[tuple[str, ...], tuple[frozenset[frozenset[str]], ...]]
"""Tables in order and, for each hop between them, the pairs of joined columns in either direction."""


@dataclass(frozen=True, slots=True)
class JoinTest:
    """Two tables, and every way in which people joined them."""

    source: str
    target: str
    ways: tuple[Way, ...]
    """A way without pairs of columns is met by any columns."""
    max_hops: int = 3


@dataclass(frozen=True)
class EvaluationSet:
    """The folder of an evaluation set; its gold data is read only for scoring."""

    folder: Path

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.folder.name

    @cached_property
    def database(self) -> str:
        """The database that contains all its tables."""
        (database,) = {json.loads(line)["scope"].split(".")[0] for line in _lines(self.folder / "questions.jsonl")}
        return str(database)

    @cached_property
    def questions(self) -> tuple[Question, ...]:
        """Every question of the set."""
        records = map(json.loads, _lines(self.folder / "questions.jsonl"))
        return tuple(Question(one["question"], _schema(one), frozenset(one["gold_tables"])) for one in records)

    @cached_property
    def unanswerable(self) -> tuple[Question, ...]:
        """Questions that nothing in the set can answer; most sets have none."""
        file = self.folder / "unanswerable.jsonl"
        records = map(json.loads, _lines(file) if file.exists() else [])
        return tuple(Question(one["question"], _schema(one), frozenset()) for one in records)

    @cached_property
    def join_tests(self) -> tuple[JoinTest, ...]:
        """Each distinct pair of tables once, with all its ways."""
        ways: dict[tuple[str, str], list[Way]] = {}
        for one in map(json.loads, _lines(self.folder / "path_tests.jsonl")):
            hops = tuple(frozenset(frozenset(pair) for pair in hop) for hop in one["on"])
            ways.setdefault((one["source"], one["target"]), []).append((tuple(one["path"]), hops))
        return tuple(JoinTest(source, target, tuple(found)) for (source, target), found in ways.items())

    def scope_of(self, question: Question) -> Scope:
        """The one source database that a question is about."""
        return Scope(schemas=frozenset({(self.database, question.schema)}))


def evaluation_sets(data: Path) -> list[EvaluationSet]:
    """Every folder in `data` that is an evaluation set."""
    return [EvaluationSet(file.parent) for file in sorted(data.glob(f"*/{SCHEMA_FILE}"))]


def plain_name(name: str) -> str:
    """A fully qualified name as the sets write it: without quotes."""
    identity = TableIdentity.parse(name)
    return f"{identity.database}.{identity.schema}.{identity.table}"


@contextmanager
def asked(one: EvaluationSet, tribal: Path) -> Iterator[Application]:
    """Yield the application over the index of a set."""
    project = ensure_project(one.name, one.database, one.folder / SCHEMA_FILE, tribal)
    with closing(local_application(load_settings(project=project))) as app:
        yield app


def ensure_project(name: str, database: str, schema: Path, tribal: Path) -> Path:
    """A project over one database, as in `ensure_databases`.

    Raises:
        CommandFailedError: when the run fails.
    """
    return ensure_databases(name, {database: schema}, tribal)


def ensure_databases(name: str, schemas: Mapping[str, Path], tribal: Path) -> Path:
    """A project in which `tribal run` has documented and indexed databases, each loaded into PostgreSQL from a schema.

    It is cached and rebuilt only if a schema, or any code that an index depends on, has changed.

    Raises:
        CommandFailedError: when the run fails.
    """
    project = CACHE / f"{name}-{_source_hash(schemas.values())}"
    if (project / _DONE).exists():
        return project
    for old in CACHE.glob(f"{name}-{'[0-9a-f]' * _HASH_DIGITS}"):
        shutil.rmtree(old)
    project.mkdir(parents=True)
    # Each project gets its own server, because two may use the same database name.
    with TemporaryDirectory(prefix="tribal-bench-") as scratch, EmbeddedServer.start(Path(scratch)) as server:
        for database, schema in schemas.items():
            server.ensure_database(database, schema)
        entries = [{"name": database, "dsn": server.dsn(database)} for database in schemas]
        (project / "databases.yaml").write_text(json.dumps({"databases": entries}))
        command = [str(tribal), "run", "--project", str(project)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CommandFailedError(f"tribal run of {name} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    (project / _DONE).touch()
    return project


def _source_hash(schemas: Iterable[Path]) -> str:
    """Hash of the schemas and of every module that an index depends on."""
    modules = [file for file in _PACKAGE.rglob("*.py") if file.relative_to(_PACKAGE).parts[0] not in _ONLY_ASKING]
    digest = hashlib.sha256()
    for schema in schemas:
        digest.update(schema.read_bytes())
    for file in sorted((*modules, *Path("contracts").rglob("*.py"))):
        digest.update(str(file).encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:_HASH_DIGITS]


def _schema(record: Mapping[str, Any]) -> str:
    return str(record["scope"]).partition(".")[2]


def _lines(file: Path) -> Sequence[str]:
    return [line for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
