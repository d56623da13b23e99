"""Are tables joined as people join them? Needs `TRIBAL_BENCH_DATA`.

`python -m bench.joins`: the pairs of tables of each set of questions, those that a person wrote down for real schemas,
and declared paths that are the only shortest one.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

from bench.harness import Bench, Row, Table, run, write_report
from bench.question_sets import JoinTest, Way, ensure_project, opened, plain_name, question_sets, read_lines
from tribal.capabilities.retrieval.names import name_of
from tribal.ports import Application, Caller, IndexFilter
from tribal.tools.call import call_tool
from tribal_contracts import GetJoinPathOutput, JoinStep

_ARROW = re.compile(r"\s*(?:->|<-|\breferences\b)\s*")
_IDENTIFIER = r'"(?:[^"]|"")*"|[^\s="]+'
_REMARK = re.compile(r"\(.*?\)")
_VIA = re.compile(r"\(or via (\w+)\)")
_PAIR = re.compile(rf"t\d+\.({_IDENTIFIER}) = t\d+\.({_IDENTIFIER})")
_MARKS = {"RET_JOIN_INFERRED", "RET_JOIN_AMBIGUOUS"}


def tables(bench: Bench) -> Iterator[Table]:
    """Compare the paths that are found with those of people."""
    wrong: list[str] = []
    rows = [*_of_sets(bench, wrong), *_of_people(bench, wrong), *_shortest(bench, wrong)]
    yield Table("joins as people wrote them", rows, [write_report("wrong-joins", wrong)])


def _of_sets(bench: Bench, wrong: list[str]) -> Iterator[Row]:
    for one in question_sets(bench.data):
        with opened(one.project(bench)) as app:
            yield _score(one.name, one.join_tests, app, wrong)


def _of_people(bench: Bench, wrong: list[str]) -> Iterator[Row]:
    """The pairs of `real/joins.tsv`: database, source, target, path in prose; in `real2`, question and conditions."""
    for file in sorted(bench.data.glob("real*/joins.tsv")):
        lines = [line.split("\t") for line in file.read_text(encoding="utf-8").splitlines() if line]
        for database in dict.fromkeys(line[0] for line in lines):
            with opened(_project_of(bench, file.parent / database / "schema.sql")) as app:
                names = {entry.table: plain_name(name_of(entry)) for entry in app.index().tables(IndexFilter())}
                tests = []
                for _, source, target, text, *conditions in (line for line in lines if line[0] == database):
                    paths = paths_along(conditions[0], source) if conditions else paths_in(text, source, target)
                    ways = tuple((tuple(names[each] for each in path), ()) for path in paths)
                    question, hops = (text, 4) if conditions else (None, 3)
                    tests.append(JoinTest(names[source], names[target], ways, hops, question))
                yield _score(database, tests, app, wrong)


def paths_along(conditions: str, source: str) -> list[tuple[str, ...]]:
    """The tables that joins reach one after another: `a.x=b.y; b.z=c.w`, or other conditions after `||`.

    A part in brackets is a remark, which may name a table on the way.
    """
    paths = []
    for way in conditions.split("||"):
        path = [source]
        for condition in _REMARK.sub("", way).split(";"):
            ends = [end.strip().partition(".")[0] for end in condition.split("=")]
            path += [end for end in ends if end not in path and end]
        paths.append(tuple(path))
        if via := _VIA.search(way):
            paths.append((source, via[1], *path[1:]))
    return paths


def paths_in(prose: str, source: str, target: str) -> list[tuple[str, ...]]:
    """The paths that a person wrote: `a <- b or c -> d` are two, and a name alone is between both ends."""
    paths = []
    for part in prose.split(","):
        stops = [stop.split(" or ") for stop in _ARROW.split(part.strip().removeprefix("or "))]
        for path in product(*stops):
            whole = (source, *path, target) if len(path) == 1 else path
            paths.append(whole if whole[0] == source else whole[::-1])
    return paths


def _shortest(bench: Bench, wrong: list[str]) -> Iterator[Row]:
    """Declared paths that are the only shortest one."""
    for file in sorted(bench.data.glob("ddl/*/fk_paths.jsonl")):
        tests = []
        for one in read_lines(file):
            columns = tuple(frozenset(frozenset(pair.split("=")) for pair in step) for step in one["on"])
            way: Way = (tuple(one["path"]), columns)
            tests.append(JoinTest(one["source"], one["target"], (way,), max_hops=max(3, one["joins"])))
        with opened(_project_of(bench, file.with_name("schema_nocomments.sql"))) as app:
            yield _score(f"{file.parent.name}, shortest", tests, app, wrong)


def _project_of(bench: Bench, schema: Path) -> Path:
    return ensure_project(bench, schema.parent.name, {schema.parent.name: schema})


def _score(name: str, tests: Sequence[JoinTest], app: Application, wrong: list[str]) -> Row:
    """Compare the answer for each pair with the ways of people: the same tables in the same order, and columns."""
    counts: Counter[str] = Counter()
    for test in tests:
        answer = _join(test, app)
        way = _way(answer)
        right = way is not None and any(way[0] == gold[0] and gold[1] in ((), way[1]) for gold in test.ways)
        codes = {warning.code for warning in answer.warnings or ()}
        counts["right"] += right
        if right and "RET_JOIN_INFERRED" not in codes:
            counts["right, declared"] += 1
            counts["of these marked"] += "RET_JOIN_AMBIGUOUS" in codes
        elif way is not None and not right:
            counts["wrong, marked" if codes & _MARKS else "wrong, not marked"] += 1
        if not right:
            wrong.append(f"- {name}: {test.source} -> {test.target}: {' '.join(way[0]) if way else 'no path'}")
    columns = ("wrong, marked", "wrong, not marked", "right, declared", "of these marked")
    shares = {"pairs": len(tests), "right": counts["right"] / max(1, len(tests))}
    return {"set": name, **shares, **{column: counts[column] for column in columns}}


def _join(test: JoinTest, app: Application) -> GetJoinPathOutput:
    arguments = {"source_table": test.source, "target_table": test.target, "max_hops": test.max_hops}
    if test.question is not None:
        arguments["question"] = test.question
    answer = call_tool("get_join_path", arguments, Caller("bench"), app)
    assert isinstance(answer, GetJoinPathOutput)
    return answer


def _way(answer: GetJoinPathOutput) -> Way | None:
    if answer.path is None:
        return None
    names = (plain_name(answer.source), *(plain_name(step.to_table) for step in answer.path))
    return names, tuple(_columns(step) for step in answer.path)


def _columns(step: JoinStep) -> frozenset[frozenset[str]]:
    here, there = plain_name(step.from_table), plain_name(step.to_table)
    pairs = _PAIR.findall(step.on_clause)
    return frozenset(frozenset((f"{here}.{_bare(own)}", f"{there}.{_bare(other)}")) for own, other in pairs)


def _bare(identifier: str) -> str:
    return identifier[1:-1].replace('""', '"') if identifier.startswith('"') else identifier


if __name__ == "__main__":
    sys.exit(run("joins", tables))
