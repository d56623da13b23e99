"""Rates whether questions find tables before their copies, in a made-up database of 500 tables; needs no data.

From a shell: `python -m bench.copies`. A third of the tables have copies as databases have them: histories, archives,
backups, shards and partitions that are plain tables, views, what loading and releases leave behind. Everything is drawn
by seed. A question says the words of a table's name and of two of its columns.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from bench.evaluation import ensure_project
from bench.generated import ASPECTS, SUBJECTS
from bench.measure import CommandFailedError
from servers.postgres import EmbeddedServerError
from tribal.app.local import local_application
from tribal.identity.table_names import TableIdentity
from tribal.naming import plural
from tribal.ports import Application, Caller, IndexFilter
from tribal.settings import load_settings
from tribal.tools.call import call_tool
from tribal_contracts import SearchTablesOutput

TABLES = 500
QUESTIONS = 300
_COPIED = TABLES // 3
_MOST_KINDS = 3
_SEED = 14
_LIMIT = 10
_DATABASE = "company"
_EVERYWHERE = ("id bigint PRIMARY KEY", "created_at timestamptz", "updated_at timestamptz")
_OWN_COLUMNS = (3, 12)
_THINGS = """
    arrival billing budget carrier contact contract currency delivery department discount expiry freight gross handling
    insurance interest invoice labour language licence margin market net notice opening order package payment penalty
    quality region renewal retail return salary shipping start supplier tax trade transport unit vendor warranty
""".split()
_QUALITIES = {
    "amount": "numeric(12,2)",
    "code": "varchar(20)",
    "count": "integer",
    "date": "date",
    "name": "text",
    "note": "text",
    "number": "varchar(40)",
    "rate": "numeric(6,3)",
    "status": "varchar(20)",
    "type": "varchar(20)",
}
_COMMON = {"status": "varchar(20)", "total": "numeric(12,2)", "name": "text", "priority": "smallint", "remarks": "text"}
_MAY_HAVE = 0.4
_HISTORY = ("valid_from timestamptz", "valid_to timestamptz", "operation char(1)", "changed_by text")
_KINDS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "shadow_x": (("shadow_{}",), ()),
    "x_hist": (("{}_hist",), _HISTORY),
    "x_history": (("{}_history",), _HISTORY),
    "x_archive": (("{}_archive",), ("archived_at timestamptz",)),
    "x_audit": (("{}_audit",), _HISTORY[2:]),
    "x_bak": (("{}_bak",), ()),
    "x_bak_date": (("{}_bak_20230614",), ()),
    "x_2023_01": (tuple(f"{{}}_2023_{month:02}" for month in range(1, 7)), ()),
    "x_p0": (tuple(f"{{}}_p{part}" for part in range(4)), ()),
    "v_x": (("v_{}",), ()),
    "x_view": (("{}_view",), ()),
    "tmp_x": (("tmp_{}",), ()),
    "x_copy": (("{}_copy",), ()),
    "x_old": (("{}_old",), ()),
    "stg_x": (("stg_{}",), ("loaded_at timestamptz", "batch_id bigint")),
}
"""By kind, the names of the copies and the columns that they add."""
_VIEWS = ("v_x", "x_view")
_MADE_EARLIER = ("shadow_x", "x_archive", "x_bak", "x_bak_date", "x_copy", "x_old", "tmp_x")
"""Kinds of which every second copy lacks a quarter of the columns, which its table got later."""
_QUESTIONS: tuple[Callable[[str, str, str], str], ...] = (
    lambda table, one, other: f"{one} and {other} of {plural(table)}",
    lambda table, one, other: f"which {plural(table)} have a {one} without {other}",
    lambda table, one, other: f"show the {one} by {other} for each {table}",
)


@dataclass(frozen=True, slots=True)
class CopiesScore:
    """How many copies are known as such, and how often questions about a table that has copies found it first."""

    copies: int
    recognised: int
    """Copies that are known to repeat their original."""
    taken_for_copies: int
    """Originals that are wrongly held for copies."""
    questions: int
    original_first: int
    original_found: int
    """Questions with the original among the first ten."""
    copies_first: dict[str, int]
    """The others by kind of the copy that came first; `nothing` where none of them was found."""


@dataclass(frozen=True, slots=True)
class _Table:
    name: str
    columns: Mapping[str, str]
    added_later: tuple[str, ...]
    """The columns that copies made before lack."""
    kinds: tuple[str, ...]

    @property
    def copies(self) -> Mapping[str, str]:
        """The kind of each copy by its name."""
        return {pattern.format(self.name): kind for kind in self.kinds for pattern in _KINDS[kind][0]}


def main() -> int:
    """Run this benchmark alone and print the figures; returns the exit code."""
    try:
        print_copies(report(Path(sys.executable).parent / "tribal"))
    except (CommandFailedError, EmbeddedServerError) as error:
        print(f"bench.copies: FAILED: {error}", file=sys.stderr)
        return 1
    return 0


def report(tribal: Path) -> CopiesScore:
    """Document the database and ask.

    Raises:
        CommandFailedError: when `tribal run` fails.
    """
    random = Random(_SEED)
    tables = _tables(random)
    with TemporaryDirectory(prefix="tribal-bench-") as scratch:
        script = Path(scratch) / "schema.sql"
        script.write_text("\n".join(line for table in tables for line in _statements(table)), encoding="utf-8")
        project = ensure_project("copies", _DATABASE, script, tribal)
    copied = [table for table in tables if table.kinds]
    with closing(local_application(load_settings(project=project))) as app:
        known = {one.table: one.copy_of for one in app.index().tables(IndexFilter()) if one.copy_of}
        firsts = Counter(_first(table, _question(table, random), app) for table in random.choices(copied, k=QUESTIONS))
    right = firsts.pop(("original", True), 0)
    found = right + sum(count for (_, there), count in firsts.items() if there)
    kinds: Counter[str] = Counter()
    for (kind, _), count in firsts.items():
        kinds[kind] += count
    originals = {copy: table.name for table in copied for copy in table.copies}
    return CopiesScore(
        copies=len(originals),
        recognised=sum(
            copy in known and TableIdentity.parse(known[copy].of).table == of for copy, of in originals.items()
        ),
        taken_for_copies=len(known.keys() - originals.keys()),
        questions=QUESTIONS,
        original_first=right,
        original_found=found,
        copies_first=dict(kinds.most_common()),
    )


def _tables(random: Random) -> list[_Table]:
    names = random.sample([f"{subject}_{aspect}" for subject in SUBJECTS for aspect in ASPECTS], TABLES)
    copied = set(random.sample(names, _COPIED))
    return [_table(name, name in copied, random) for name in names]


def _table(name: str, copied: bool, random: Random) -> _Table:
    kinds = random.sample(list(_KINDS), random.randint(1, _MOST_KINDS)) if copied else []
    columns = {column: of for column, of in _COMMON.items() if random.random() < _MAY_HAVE}
    for _ in range(random.randint(*_OWN_COLUMNS)):
        quality = random.choice(list(_QUALITIES))
        columns[f"{random.choice(_THINGS)}_{quality}"] = _QUALITIES[quality]
    return _Table(name, columns, tuple(random.sample(list(columns), len(columns) // 4)), tuple(kinds))


def _statements(table: _Table) -> Iterator[str]:
    columns = [*_EVERYWHERE, *(f"{column} {of}" for column, of in table.columns.items())]
    yield f"CREATE TABLE {table.name} ({', '.join(columns)});"
    for place, (copy, kind) in enumerate(table.copies.items()):
        if kind in _VIEWS:
            yield f"CREATE VIEW {copy} AS SELECT * FROM {table.name};"
            continue
        earlier = place % 2 == 0 and kind in _MADE_EARLIER
        own = [column for column in columns if not (earlier and column.partition(" ")[0] in table.added_later)]
        yield f"CREATE TABLE {copy} ({', '.join([*own, *_KINDS[kind][1]])});"


def _question(table: _Table, random: Random) -> str:
    one, other = random.sample(sorted(table.columns), 2)
    return random.choice(_QUESTIONS)(*(name.replace("_", " ") for name in (table.name, one, other)))


def _first(table: _Table, question: str, app: Application) -> tuple[str, bool]:
    """What comes first of a table and its copies, and whether the table is found at all."""
    answer = call_tool("search_tables", {"query": question, "limit": _LIMIT}, Caller("bench"), app)
    assert isinstance(answer, SearchTablesOutput)
    names = [found.table for found in answer.tables]
    kinds = {table.name: "original", **table.copies}
    return next((kinds[name] for name in names if name in kinds), "nothing"), table.name in names


def print_copies(score: CopiesScore) -> None:
    """Print the counts."""
    others = "".join(f", {kind} {count}" for kind, count in score.copies_first.items())
    first, share = score.original_first, f"{score.original_first / score.questions:.1%}"
    print(
        f"copies: {score.recognised} of {score.copies} recognised, {score.taken_for_copies} originals taken for copies"
    )
    print(
        f"copies: of {score.questions} questions {first} ({share}) have the original before its copies, "
        f"{score.original_found} have it among the first {_LIMIT}{others}"
    )


if __name__ == "__main__":
    sys.exit(main())
