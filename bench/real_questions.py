"""Rates what people asked of real schemas, and whether made-up words find anything.

From a shell: `TRIBAL_BENCH_DATA=FOLDER python -m bench.real_questions`. The questions of `real/questions.tsv` are asked
of one project over seven databases, with their own database as filter and without; any of the listed tables is right.
"""

from __future__ import annotations

import os
import string
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from bench.evaluation import asked, evaluation_sets
from bench.measure import CommandFailedError
from bench.real_schemas import asked_real
from servers.postgres import EmbeddedServerError
from tribal.ports import Application, Caller
from tribal.tools.call import call_tool
from tribal_contracts import SearchTablesOutput, TableSearchResult

DATA_VARIABLE = "TRIBAL_BENCH_DATA"
_CALLER = Caller("bench")
_SEED = 14
_LIMIT = 5
_LIKELY = 0.5
_MADE_UP = 200
_MOST_WORDS = 4
_LETTERS = (4, 10)


@dataclass(frozen=True, slots=True)
class AskedScore:
    """How the questions were answered in one way."""

    name: str
    questions: int
    hit_at_1: int
    hit_at_5: int
    likely_and_right: int
    """Right first hits with a relevance above one half."""
    unlikely_and_wrong: int
    """Wrong first hits with a relevance of at most that, or nothing found."""
    missed: tuple[str, ...]
    """Questions without a right table among the first five."""


@dataclass(frozen=True, slots=True)
class MadeUpScore:
    """How many made-up questions found anything in one set."""

    name: str
    questions: int
    answered: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RealQuestions:
    """All scores of this benchmark."""

    asked: tuple[AskedScore, ...]
    made_up: tuple[MadeUpScore, ...]


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question of one database, and the tables any of which answers it, with or without their schema."""

    database: str
    text: str
    tables: frozenset[str]


def main() -> int:
    """Run this benchmark alone and print the table; returns the exit code."""
    data = os.environ.get(DATA_VARIABLE)
    if not data:
        print(f"bench.real_questions: set {DATA_VARIABLE} to a folder of evaluation sets", file=sys.stderr)
        return 2
    try:
        print_asked(report(Path(data), Path(sys.executable).parent / "tribal"))
    except (CommandFailedError, EmbeddedServerError) as error:
        print(f"bench.real_questions: FAILED: {error}", file=sys.stderr)
        return 1
    return 0


def report(data: Path, tribal: Path) -> RealQuestions:
    """Ask the questions of people, then made-up ones of every set.

    Raises:
        CommandFailedError: when `tribal run` fails for one of them.
    """
    made_up = []
    for one in evaluation_sets(data):
        with asked(one, tribal) as app:
            made_up.append(_made_up_score(one.name, app))
    questions = list(_questions(data / "real" / "questions.tsv"))
    with asked_real(data, tribal) as app:
        made_up.append(_made_up_score("real", app))
        own = asked_score(
            "own database", [(one, first_tables(one.text, app, {"database": one.database})) for one in questions]
        )
        pool = asked_score("all databases", [(one, first_tables(one.text, app, {})) for one in questions])
    return RealQuestions((own, pool), tuple(made_up))


def _questions(file: Path) -> Iterator[AskedQuestion]:
    for line in filter(None, file.read_text(encoding="utf-8").splitlines()):
        database, text, tables = line.split("\t")
        yield AskedQuestion(database, text, frozenset(tables.split("|")))


def first_tables(text: str, app: Application, only: Mapping[str, str]) -> list[TableSearchResult]:
    """The first five tables for a question under a filter."""
    answer = call_tool("search_tables", {"query": text, "limit": _LIMIT, **only}, _CALLER, app)
    assert isinstance(answer, SearchTablesOutput)
    return answer.tables


def asked_score(name: str, answers: Sequence[tuple[AskedQuestion, list[TableSearchResult]]]) -> AskedScore:
    """Rate what was found for each question."""
    hits = [[_is_right(table, one) for table in tables] for one, tables in answers]
    likely = [bool(tables) and tables[0].relevance_score > _LIKELY for _, tables in answers]
    first = [hit[:1] == [True] for hit in hits]
    return AskedScore(
        name=name,
        questions=len(answers),
        hit_at_1=sum(first),
        hit_at_5=sum(map(any, hits)),
        likely_and_right=sum(right and high for right, high in zip(first, likely, strict=True)),
        unlikely_and_wrong=sum(not right and not high for right, high in zip(first, likely, strict=True)),
        missed=tuple(one.text for (one, _), hit in zip(answers, hits, strict=True) if not any(hit)),
    )


def _is_right(table: TableSearchResult, question: AskedQuestion) -> bool:
    names = {table.table, f"{table.schema_}.{table.table}"}
    return table.database == question.database and not names.isdisjoint(question.tables)


def _made_up_score(name: str, app: Application) -> MadeUpScore:
    questions = list(made_up_questions(_MADE_UP))
    return MadeUpScore(name, len(questions), tuple(text for text in questions if first_tables(text, app, {})))


def made_up_questions(count: int) -> Iterator[str]:
    """Questions of one to four words of random letters."""
    random = Random(_SEED)
    for _ in range(count):
        lengths = (random.randint(*_LETTERS) for _ in range(random.randint(1, _MOST_WORDS)))
        yield " ".join("".join(random.choices(string.ascii_lowercase, k=length)) for length in lengths)


def print_asked(scores: RealQuestions) -> None:
    """Print one line per way of asking, and one per set for made-up words."""
    print_scores(scores.asked)
    for made_up in scores.made_up:
        said = f": {', '.join(map(repr, made_up.answered))}" if made_up.answered else ""
        print(f"made-up words, {made_up.name}: {len(made_up.answered)} of {made_up.questions} found anything{said}")


def print_scores(scores: Sequence[AskedScore]) -> None:
    """Print a line for each score."""
    print(f"{'questions of people':<24}{'asked':>7}{'hit@1':>7}{'hit@5':>7}{'right above .5':>16}{'wrong below':>13}")
    for one in scores:
        likely = f"{one.likely_and_right} of {one.hit_at_1}"
        unlikely = f"{one.unlikely_and_wrong} of {one.questions - one.hit_at_1}"
        print(f"{one.name:<24}{one.questions:>7}{one.hit_at_1:>7}{one.hit_at_5:>7}{likely:>16}{unlikely:>13}")


if __name__ == "__main__":
    sys.exit(main())
