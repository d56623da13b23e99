"""Damage to every file of a store: no command ends in a traceback, and `tribal run` puts back all that it can make."""

from __future__ import annotations

import os
import shutil
import traceback
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from random import Random

from typer.testing import CliRunner

from tests.attack.damages import KINDS, clear
from tests.attack.outcome import Attack, Outcome
from tests.indexing.index_dump import logical_dump
from tribal.edges.cli.app import app
from tribal.errors import EXIT_DATABASE, EXIT_INTERNAL
from tribal.identity.locations import INDEX_FILE, INDEXER_PROGRESS_FILE, PLAN_FILE
from tribal.planning import plan_was_edited
from tribal_contracts import DocumentationPlan
from tribal_demo.server.postgres import EmbeddedServer

DAMAGES = 370
EPOCH = "1767225600"
DATABASE = "fragile"
RUNS = "progress/runs/"
OWN_TO_A_RUN = (".tribal/", "progress/lease.json", RUNS, INDEX_FILE)
"""Locks, the lease, a record for each run; of the index it counts what it says."""
A_PERSONS = ("databases.yaml", "annotations/")
_READING = (("status",), ("search",), ("lint",), ("diff",))
_WRITING = (("plan",), ("document",), ("index",), ())
_TOO_LONG = 200


@dataclass(frozen=True)
class Ended:
    """How a command ended: what it said, and what broke through."""

    exit_code: int
    answer: str
    said: str
    broke: str | None


@dataclass
class Store:
    """A documented database, and what a store is when no one disturbs it."""

    project: Path
    intact: Path
    question: str
    runner: CliRunner = field(default_factory=CliRunner)

    def tribal(self, *arguments: str) -> Ended:
        """Run a command in this process; a search asks the question, as a program does."""
        asked = (self.question, "--json") if arguments == ("search",) else ()
        ended = self.runner.invoke(app, [*arguments, *asked, "--project", str(self.project)])
        broke = None
        if ended.exception is not None and not isinstance(ended.exception, SystemExit):
            broke = "".join(traceback.format_exception(ended.exception))[-700:]
        elif ended.exit_code == EXIT_INTERNAL or "Traceback" in ended.output:
            broke = ended.output[-700:]
        return Ended(ended.exit_code, ended.stdout, ended.stderr, broke)

    def files(self) -> dict[str, Path]:
        """What may be damaged, by its key."""
        found = {path.relative_to(self.project).as_posix(): path for path in sorted(self.project.rglob("*"))}
        return {key: path for key, path in found.items() if path.is_file() and not key.startswith(".tribal/")}

    def differences(self) -> list[str]:
        """What is not as in the undisturbed store."""
        here, there = _contents(self.project), _contents(self.intact)
        different = sorted(key for key in here.keys() | there.keys() if here.get(key) != there.get(key))
        try:
            said = logical_dump(self.project / INDEX_FILE)
        except Exception as exc:  # noqa: BLE001 - whatever is wrong with the index
            return [*different, f"{INDEX_FILE}: {exc}"]
        return different + [INDEX_FILE] * (said != logical_dump(self.intact / INDEX_FILE))

    def reset(self) -> None:
        """Begin again with the undisturbed store."""
        shutil.rmtree(self.project)
        shutil.copytree(self.intact, self.project)


def attack(attack: Attack) -> Iterator[Outcome]:
    """Damage files one after the other; each time look, write, run, and compare."""
    random = attack.random("damage")
    with _documented(attack, random) as store:
        right = store.tribal("search")
        tried: Counter[str] = Counter()
        failed: Counter[str] = Counter()
        examples: dict[str, str] = {}
        for number, (kind, keys) in enumerate(_plan(store, random, attack.times(DAMAGES, least=len(KINDS)))):
            once = Random(f"{attack.seed} {number}")
            key = next((key for key in keys if _damage(store, kind, key, once)), None)
            if key is None:
                continue
            problem = _broken(store, key, right, _WRITING[number % len(_WRITING)])
            tried[kind] += 1
            if problem is not None:
                failed[kind] += 1
                examples.setdefault(kind, f"{key}: {problem}")
            # One damage at a time: what no run makes again is put back before the next.
            if problem is not None or key.startswith((*A_PERSONS, RUNS)) or store.differences():
                store.reset()
        for kind in KINDS:
            if tried[kind]:
                yield Outcome(f"a file {kind}", tried[kind], failed[kind], example=examples.get(kind, ""))


def _plan(store: Store, random: Random, times: int) -> Iterator[tuple[str, list[str]]]:
    """Kinds in turn, and for each the kinds of files in turn, so that a few tries reach many of them.

    Each with a file to damage, and others, for not every kind can happen to every file.
    """
    groups: dict[str, list[str]] = {}
    for key in store.files():
        groups.setdefault(_group(key), []).append(key)
    every = sorted(store.files())
    turns = {kind: cycle(random.sample(sorted(groups), len(groups))) for kind in KINDS}
    for _, kind in zip(range(times), cycle(KINDS), strict=False):
        yield kind, [random.choice(groups[next(turns[kind])]), *random.sample(every, 20)]


def _group(key: str) -> str:
    """What kind of file a key names: its folder and its name, without what is particular to one."""
    parts = key.split("/")
    last = parts[-1] if parts[0] != "docs" or parts[-1] in _DOCUMENTS else parts[-1].rpartition(".")[2]
    return f"{parts[0]}/{'runs/' * ('runs' in parts)}{'slices/' * ('slices' in parts)}{last if len(last) < 40 else ''}"


_DOCUMENTS = ("README.md", "domain.json", "relationships.json", "overview.json", "index.html")


def _damage(store: Store, kind: str, key: str, random: Random) -> bool:
    """Damage a file, if it is there and this kind can happen to it."""
    files = store.files()
    path = files.get(key)
    return path is not None and KINDS[kind](path, random, [other for other in files.values() if other != path])


def _broken(store: Store, key: str, right: Ended, writing: tuple[str, ...]) -> str | None:
    """What breaks through after a file was damaged, if anything."""
    path = store.project / key
    damaged = _state(path)
    for command in (*_READING, *([writing] if writing else [])):
        ended = store.tribal(*command)
        if ended.broke is not None:
            return f"{' '.join(command)}: {ended.broke}"
        if command == ("search",) and ended.exit_code == 0 and ended.answer != right.answer:
            return "search: a wrong answer"
    return _after_a_run(store, key, path, damaged)


def _after_a_run(store: Store, key: str, path: Path, damaged: object) -> str | None:
    ended = store.tribal("run")
    if ended.broke is not None:
        return f"run: {ended.broke}"
    if key.startswith(A_PERSONS):
        if _state(path) != damaged:
            return "a person's file was written"
        # What is another name now, or none, is refused or missing, and the message says of which database.
        told = path.name in ended.said or ended.exit_code == EXIT_DATABASE or "database '" in ended.said
        return None if ended.exit_code == 0 or told else f"not named: {ended.said[:_TOO_LONG]}"
    if key == PLAN_FILE and _edited(path):
        return None
    cleared = False
    if ended.exit_code != 0:
        if path.name not in ended.said:
            return f"not named: {ended.said[:_TOO_LONG]}"
        if path.is_file() and not path.is_symlink() and key != PLAN_FILE:
            return f"refused: {ended.said[:_TOO_LONG]}"
        clear(path)
        cleared = True
        ended = store.tribal("run")
    if ended.exit_code != 0 or ended.broke is not None:
        return f"run ended with {ended.exit_code}: {(ended.broke or ended.said)[:_TOO_LONG]}"
    # The run that was refused had made the vectors already, so that the one after it counts none.
    different = [key for key in store.differences() if not (cleared and key == INDEXER_PROGRESS_FILE)]
    return f"different: {different[:3]}" if different else None


def _edited(path: Path) -> bool:
    """Whether the damage is one that nothing tells from a person who moved tables."""
    try:
        return plan_was_edited(DocumentationPlan.from_json(path.read_bytes()))
    except (OSError, ValueError):
        return False


def _state(path: Path) -> object:
    if path.is_symlink():
        return str(path.readlink())
    return path.read_bytes() if path.is_file() else sorted(path.rglob("*")) if path.is_dir() else None


def _contents(folder: Path) -> dict[str, bytes | str]:
    """Every file by its key, but for what is own to a run; a link by what it leads to."""
    paths = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*")}
    return {
        key: str(path.readlink()) if path.is_symlink() else path.read_bytes() if path.is_file() else "a folder"
        for key, path in paths.items()
        if not key.startswith(OWN_TO_A_RUN) and (path.is_symlink() or path.is_file() or not any(path.iterdir()))
    }


@contextmanager
def _documented(attack: Attack, random: Random) -> Iterator[Store]:
    """A database of made names, documented and indexed, with a person's words about one of its tables."""
    names = [_word(random) for _ in range(12)]
    project = attack.scratch / "project"
    project.mkdir()
    with EmbeddedServer.start(attack.scratch / "server") as server, _environment({"SOURCE_DATE_EPOCH": EPOCH}):
        server.create_database(DATABASE)
        server.load(DATABASE, _sql(names, random))
        settings = f"databases:\n  - name: {DATABASE}\n    dsn: {server.dsn(DATABASE)}\ntables_per_unit: 4\n"
        (project / "databases.yaml").write_text(settings)
        (project / "annotations").mkdir()
        words = f"tables:\n  {names[0]}.{names[1]}:\n    description: {_word(random)} {_word(random)} a day.\n"
        (project / "annotations" / f"{DATABASE}.yaml").write_text(words)
        store = Store(project, attack.scratch / "intact", f"{names[3]} {names[4]}")
        for _ in range(2):
            ended = store.tribal("run")
            assert ended.exit_code == 0, ended.broke or ended.said
        shutil.copytree(project, store.intact)
        assert store.differences() == []
        yield store


def _sql(names: list[str], random: Random) -> str:
    lines = [f"CREATE SCHEMA {schema}; COMMENT ON SCHEMA {schema} IS '{_word(random)}';" for schema in names[0::6]]
    for schema in names[0::6]:
        for number, table in enumerate(names[1:6]):
            parent = f"REFERENCES {schema}.{names[number]}" if number else ""
            lines.append(
                f"CREATE TABLE {schema}.{table} (id int PRIMARY KEY, {_word(random)} text, up int {parent});"
                f"COMMENT ON TABLE {schema}.{table} IS '{_word(random)} of {_word(random)}';"
                f"INSERT INTO {schema}.{table} (id) SELECT g FROM generate_series(1, {random.randrange(5, 60)}) AS g;"
            )
    return "\n".join([*lines, "ANALYZE;"])


def _word(random: Random) -> str:
    return "".join(random.choice("bdfgklmnprstvz") + random.choice("aeiou") for _ in range(random.randrange(3, 6)))


@contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    """Environment variables for the commands, which run in this process."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
