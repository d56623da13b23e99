"""Joins over real schemas: those that a person wrote down, and shortest declared paths where there is a single one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import closing
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.descriptions import loadable
from bench.evaluation import JoinTest, Way, ensure_project, plain_name
from bench.joins import Answered, JoinScore, answers, scored
from tribal.app.local import local_application
from tribal.capabilities.retrieval.names import name_of
from tribal.ports import Application, IndexFilter
from tribal.settings import load_settings

_ARROW = re.compile(r"\s*(?:->|<-|\breferences\b)\s*")


def real_joins(data: Path, tribal: Path) -> dict[str, JoinScore]:
    """Score the pairs of `real/joins.tsv`, and the shortest paths of every schema under `ddl/`.

    Raises:
        CommandFailedError: when `tribal run` fails for one of them.
    """
    scores = {"real": scored(list(_of_people(data / "real", tribal)))}
    for file in sorted(data.glob("ddl/*/fk_paths.jsonl")):
        name = file.parent.name
        project = ensure_project(f"ddl-{name}", name, file.parent / "schema_nocomments.sql", tribal)
        with closing(local_application(load_settings(project=project))) as app:
            scores[f"{name}, shortest"] = scored(answers(list(_shortest(file)), app))
    return scores


def _of_people(folder: Path, tribal: Path) -> Iterator[Answered]:
    lines = [line.split("\t") for line in (folder / "joins.tsv").read_text(encoding="utf-8").splitlines() if line]
    for database in dict.fromkeys(line[0] for line in lines):
        with TemporaryDirectory(prefix="tribal-bench-") as scratch:
            script = Path(scratch) / "schema.sql"
            script.write_text(loadable(folder / database / "schema.sql"), encoding="utf-8")
            project = ensure_project(f"real-{database}", database, script, tribal)
        with closing(local_application(load_settings(project=project))) as app:
            names = _names(app)
            yield from answers([_test(line[1:], names) for line in lines if line[0] == database], app)


def _names(app: Application) -> dict[str, str]:
    return {entry.table: plain_name(name_of(entry)) for entry in app.index().tables(IndexFilter())}


def _test(line: list[str], names: dict[str, str]) -> JoinTest:
    source, target, prose = line
    ways: list[Way] = [(tuple(names[table] for table in path), ()) for path in paths_in(prose, source, target)]
    return JoinTest(names[source], names[target], tuple(ways))


def paths_in(prose: str, source: str, target: str) -> list[tuple[str, ...]]:
    """The paths that a person wrote: `a <- b or c -> d` are two, and a name alone stands between both ends."""
    paths = []
    for part in prose.split(","):
        stops = [stop.split(" or ") for stop in _ARROW.split(part.strip().removeprefix("or "))]
        for path in product(*stops):
            whole = (source, *path, target) if len(path) == 1 else path
            paths.append(whole if whole[0] == source else whole[::-1])
    return paths


def _shortest(file: Path) -> Iterator[JoinTest]:
    for line in file.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        columns = tuple(frozenset(frozenset(pair.split("=")) for pair in hop) for hop in record["on"])
        way: Way = (tuple(record["path"]), columns)
        yield JoinTest(record["source"], record["target"], (way,), max_hops=max(3, record["joins"]))
