"""Rates how often a table that is named comes first: exactly, its words in any order, one letter wrong.

From a shell: `TRIBAL_BENCH_DATA=FOLDER python -m bench.exact_names`. Every table and view of every schema there is asks
for itself through `search_tables`, its schema as scope. Two tables of the same words cannot both come first; what
misses is written to a file, to be read by a person.
"""

from __future__ import annotations

import os
import string
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

from bench import results
from bench.evaluation import asked, ensure_project, evaluation_sets
from bench.measure import CommandFailedError
from bench.real_schemas import asked_real
from servers.postgres import EmbeddedServerError
from tribal.app.local import local_application
from tribal.capabilities.retrieval.names import name_of
from tribal.identity.scope import Scope
from tribal.naming import split_identifier
from tribal.ports import Application, Caller, IndexedTable, IndexFilter
from tribal.settings import load_settings
from tribal.tools.call import call_tool
from tribal_contracts import SearchTablesOutput

DATA_VARIABLE = "TRIBAL_BENCH_DATA"
REPORT = Path(".bench") / "exact-names.md"
KINDS = ("exact", "words", "edit")
_CALLER = Caller("bench")
_SEED = 14
_LIMIT = 5
_SHORTEST_EDITED = 5
_LISTED = 10
"""Misses of one kind and schema that are written down."""


@dataclass(frozen=True, slots=True)
class Miss:
    """A table that did not come first for its own name."""

    kind: str
    query: str
    wanted: str
    found: tuple[str, ...]


@dataclass(slots=True)
class NameScore:
    """How many tables of one schema were asked for in each way, and how many came first."""

    schema: str
    tables: int = 0
    asked: Counter[str] = field(default_factory=Counter)
    first: Counter[str] = field(default_factory=Counter)
    misses: list[Miss] = field(default_factory=list)


def main() -> int:
    """Run this benchmark alone, print the table and write the misses; returns the exit code."""
    data = os.environ.get(DATA_VARIABLE)
    if not data:
        print(f"bench.exact_names: set {DATA_VARIABLE} to a folder of evaluation sets", file=sys.stderr)
        return 2
    try:
        print_names(report(Path(data), Path(sys.executable).parent / "tribal"))
    except (CommandFailedError, EmbeddedServerError) as error:
        print(f"bench.exact_names: FAILED: {error}", file=sys.stderr)
        return 1
    return 0


def report(data: Path, tribal: Path) -> list[NameScore]:
    """Score every schema of every set.

    Raises:
        CommandFailedError: when `tribal run` fails for one of them.
    """
    scores = [score for app in _applications(data, tribal) for score in _scores(app)]
    REPORT.parent.mkdir(exist_ok=True)
    REPORT.write_text(_written(scores), encoding="utf-8")
    return scores


def _applications(data: Path, tribal: Path) -> Iterator[Application]:
    for one in evaluation_sets(data):
        with asked(one, tribal) as app:
            yield app
    with asked_real(data, tribal) as app:
        yield app
    flat = ensure_project(
        "ddl-adventureworks_flat",
        "adventureworks_flat",
        data / "ddl" / "adventureworks_flat" / "schema_nocomments.sql",
        tribal,
    )
    with closing(local_application(load_settings(project=flat))) as app:
        yield app


def _scores(app: Application) -> Iterator[NameScore]:
    schemas: defaultdict[tuple[str, str], list[IndexedTable]] = defaultdict(list)
    for entry in app.index().tables(IndexFilter()):
        schemas[entry.database, entry.schema].append(entry)
    for schema in sorted(schemas):
        caller = replace(_CALLER, scope=Scope(schemas=frozenset({schema})))
        score = NameScore(".".join(schema))
        for entry in sorted(schemas[schema], key=name_of):
            score.tables += 1
            for kind, query in queries(entry.table).items():
                _count(score, kind, query, name_of(entry), caller, app)
        yield score


def queries(table: str) -> Mapping[str, str]:
    """The ways in which a table is asked for by its name; each name draws by a seed of its own."""
    random = Random(f"{_SEED} {table}")
    asked_for = {"exact": table}
    words = split_identifier(table)
    if len(words) > 1:
        asked_for["words"] = " ".join(random.sample(words, len(words)))
    if sum(letter.isalpha() for letter in table) >= _SHORTEST_EDITED:
        asked_for["edit"] = _edited(table, random)
    return asked_for


def _edited(name: str, random: Random) -> str:
    """The name with one letter swapped with the next one, left out, added or changed."""
    place = random.choice([place for place, letter in enumerate(name) if letter.isalpha()])
    before, letter, after = name[:place], name[place], name[place + 1 :]
    other = random.choice([each for each in string.ascii_lowercase if each != letter.lower()])
    swapped = after[:1] + letter + after[1:]
    ways = [after, other + letter + after, other + after]
    if after[:1].isalpha() and after[:1] != letter:
        ways.append(swapped)
    return before + random.choice(ways)


def _count(score: NameScore, kind: str, query: str, wanted: str, caller: Caller, app: Application) -> None:
    answer = call_tool("search_tables", {"query": query, "limit": _LIMIT}, caller, app)
    assert isinstance(answer, SearchTablesOutput)
    names = tuple(table.name for table in answer.tables)
    score.asked[kind] += 1
    if names[:1] == (wanted,):
        score.first[kind] += 1
    else:
        score.misses.append(Miss(kind, query, wanted, names))


def _written(scores: Sequence[NameScore]) -> str:
    lines = ["# Names that did not bring their table first", ""]
    for score in scores:
        for kind in KINDS:
            misses = [miss for miss in score.misses if miss.kind == kind]
            if misses:
                lines += [f"## {score.schema}, {kind}: {len(misses)} of {score.asked[kind]}", ""]
                lines += [
                    f"- `{miss.query}` is `{miss.wanted}`, found {', '.join(f'`{name}`' for name in miss.found) or '-'}"
                    for miss in misses[:_LISTED]
                ]
                lines.append("")
    return "\n".join(lines)


def print_names(scores: Sequence[NameScore]) -> None:
    """Print one line per schema in which something misses, and the totals of all."""
    print(f"{'first for its own name':<50}{'tables':>8}{'exact':>14}{'words':>14}{'one edit':>14}")
    for score in scores:
        if score.misses:
            print(_line(score))
    whole = sum(not score.misses for score in scores)
    total = NameScore(f"all {len(scores)} schemas ({whole} without a miss)")
    for score in scores:
        total.tables += score.tables
        total.asked.update(score.asked)
        total.first.update(score.first)
    print(_line(total))
    shares = (f"{kind} {total.first[kind] / total.asked[kind]:.2%}" for kind in KINDS if total.asked[kind])
    print(f"first: {', '.join(shares)}; misses in {REPORT}")


def _line(score: NameScore) -> str:
    counts = (f"{score.first[kind]} of {score.asked[kind]}" for kind in KINDS)
    return f"{score.schema:<50}{score.tables:>8}" + "".join(f"{count:>14}" for count in counts)


def recorded(score: NameScore) -> dict[str, object]:
    """The counts of a schema, for the file of results."""
    return results.recorded(score, without=("misses",))


if __name__ == "__main__":
    sys.exit(main())
