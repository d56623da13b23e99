"""Rates search and join paths on the evaluation sets in `TRIBAL_BENCH_DATA`.

From a shell: `TRIBAL_BENCH_DATA=FOLDER python -m bench.retrieval`. Each set is loaded into PostgreSQL as one database,
documented and indexed by `tribal run`, and queried through the tools without a scope: all its databases form one pool.
If `OPENSEARCH_URL` names a cluster, or a node is installed, it is also queried over OpenSearch.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from bench.evaluation import (
    SCHEMA_FILE,
    EvaluationSet,
    Question,
    asked,
    ensure_project,
    evaluation_sets,
    plain_name,
)
from bench.explaining import explain_joins, print_explained
from bench.joins import JoinScore, answers, print_joins, scored
from bench.measure import CommandFailedError
from bench.opensearch import cluster
from bench.opensearch_steps import build
from bench.real_joins import real_joins
from bench.searching import opened
from servers.opensearch import NodeError
from servers.postgres import EmbeddedServerError
from tribal.capabilities.retrieval.names import name_of
from tribal.capabilities.retrieval.searching.candidates import find
from tribal.capabilities.retrieval.searching.ordering import order_of
from tribal.capabilities.retrieval.searching.search_tables import MAX_LIMIT
from tribal.capabilities.retrieval.toolbox import open_index
from tribal.capabilities.retrieval.tools import toolbox_of
from tribal.ports import Application, Caller, IndexFilter, Provider
from tribal.ranking.weights import WEIGHTS, Weights
from tribal.tools.call import call_tool
from tribal_contracts import SearchTablesOutput

DATA_VARIABLE = "TRIBAL_BENCH_DATA"
_CALLER = Caller("bench")
RESULTS = Path(".bench") / "retrieval.json"
ABLATIONS: dict[str, Weights] = {
    "without words": replace(WEIGHTS, lexical=0.0),
    "without the table's vector": replace(WEIGHTS, whole=0.0),
    "without its nearest column": replace(WEIGHTS, column=0.0),
    "without its name's vector": replace(WEIGHTS, name=0.0),
    "without its name's letters": replace(WEIGHTS, letters=0.0),
    "without keys": replace(WEIGHTS, propagation=0.0),
    "without schemas": replace(WEIGHTS, schema=0.0),
    "words alone": replace(WEIGHTS, whole=0.0, column=0.0, name=0.0, letters=0.0, propagation=0.0, schema=0.0),
}


@dataclass(frozen=True, slots=True)
class Ranking:
    """How high the needed tables rank, over all questions of a set."""

    recall_at_5: float
    recall_at_10: float
    all_at_10: float
    """Share of questions with all needed tables among the first ten."""
    all_at_15: float
    mean_reciprocal_rank: float
    """Mean reciprocal rank of the first needed table."""


@dataclass(frozen=True, slots=True)
class SetScore:
    """All scores of one set."""

    name: str
    tables: int
    questions: int
    ranking: Ranking
    in_its_schema: Ranking
    """The ranking when the scope is limited to the question's schema."""
    ablations: dict[str, Ranking]
    joins: JoinScore
    relevance_auc: float | None
    """Probability that an answerable question's top score exceeds an unanswerable one's; only for sets with such."""
    median_milliseconds: float
    slow_milliseconds: float
    """95th percentile of the time of a search with the default limit."""
    over_opensearch: Ranking | None = None
    """The ranking with OpenSearch in place of SQLite, if there is a cluster."""


def main() -> int:
    """Run this benchmark alone, print the table and write the file; returns the exit code."""
    if not os.environ.get(DATA_VARIABLE):
        print(f"bench.retrieval: set {DATA_VARIABLE} to a folder of evaluation sets", file=sys.stderr)
        return 2
    tribal = Path(sys.executable).parent / "tribal"
    try:
        with cluster() as address:
            scores = report(tribal, address)
        joins = explain_joins(Path(os.environ[DATA_VARIABLE]), tribal)
        real = real_joins(Path(os.environ[DATA_VARIABLE]), tribal)
    except (CommandFailedError, EmbeddedServerError, NodeError) as error:
        print(f"bench.retrieval: FAILED: {error}", file=sys.stderr)
        return 1
    print_scores(scores)
    print_joins({**{score.name: score.joins for score in scores}, **real})
    print_explained(joins)
    RESULTS.parent.mkdir(exist_ok=True)
    results = {"sets": [asdict(score) for score in scores], "joins": [asdict(one) for one in joins]}
    results["real_joins"] = [{"name": name, **asdict(score)} for name, score in real.items()]
    RESULTS.write_text(json.dumps(results, indent=2) + "\n")
    print(f"bench.retrieval: written to {RESULTS}")
    return 0


def report(tribal: Path, address: str | None) -> list[SetScore]:
    """Score every set of the folder, also over OpenSearch if `address` is that of a cluster.

    Raises:
        CommandFailedError: when `tribal run` fails for one of them.
    """
    return list(_scores(tribal, address))


def _scores(tribal: Path, address: str | None) -> Iterator[SetScore]:
    for one in evaluation_sets(Path(os.environ[DATA_VARIABLE])):
        with asked(one, tribal) as app:
            score = _score(one, app)
            if address is not None:
                project = ensure_project(one.name, one.database, one.folder / SCHEMA_FILE, tribal)
                build(project, address)
                index = opened(address)
                answers = [
                    _searched(question.text, replace(app, index=Provider.of(index))) for question in one.questions
                ]
                score = replace(score, over_opensearch=_ranking(one.questions, answers))
            yield score


def _score(one: EvaluationSet, app: Application) -> SetScore:
    asks = [_ask(question, one, app) for question in one.questions]
    milliseconds = sorted(ask.milliseconds for ask in asks)
    return SetScore(
        name=one.name,
        tables=len(app.index().tables(IndexFilter())),
        questions=len(asks),
        ranking=_ranking(one.questions, [ask.answer for ask in asks]),
        in_its_schema=_ranking(one.questions, [ask.in_its_schema for ask in asks]),
        ablations={name: _ranking(one.questions, [ask.ablations[name] for ask in asks]) for name in ABLATIONS},
        joins=scored(answers(one.join_tests, app)),
        relevance_auc=_relevance_auc(one, app),
        median_milliseconds=statistics.median(milliseconds),
        slow_milliseconds=milliseconds[int(0.95 * len(milliseconds))],
    )


@dataclass(frozen=True, slots=True)
class _Ask:
    """The answers to one question asked in different ways: names of tables, best first."""

    answer: list[str]
    in_its_schema: list[str]
    ablations: dict[str, list[str]]
    milliseconds: float


def _ask(question: Question, one: EvaluationSet, app: Application) -> _Ask:
    answer = _searched(question.text, app)
    # Timed on the second call, when the index is loaded, with the default limit.
    began = time.perf_counter()
    call_tool("search_tables", {"query": question.text}, _CALLER, app)
    milliseconds = (time.perf_counter() - began) * 1_000
    in_its_schema = _searched(question.text, app, replace(_CALLER, scope=one.scope_of(question)))
    return _Ask(answer, in_its_schema, _ablated(question, app), milliseconds)


def _searched(text: str, app: Application, caller: Caller = _CALLER) -> list[str]:
    answer = call_tool("search_tables", {"query": text, "limit": MAX_LIMIT}, caller, app)
    assert isinstance(answer, SearchTablesOutput)
    return [plain_name(table.name) for table in answer.tables]


def _ablated(question: Question, app: Application) -> dict[str, list[str]]:
    """Rank the tool's candidates without each signal in turn, without reading any documents."""
    everywhere, toolbox = IndexFilter(), toolbox_of(_CALLER, app)
    opened = open_index(toolbox)
    names = {entry.record_id: name_of(entry) for entry in opened.tables}
    found = find(question.text, everywhere, opened, toolbox)

    def ranked(weights: Weights) -> list[str]:
        order = order_of(found, everywhere, opened, replace(toolbox, weights=weights))
        return [plain_name(names[table]) for table in order.ids[:MAX_LIMIT].tolist()]

    return {name: ranked(weights) for name, weights in ABLATIONS.items()}


def _ranking(questions: Sequence[Question], orders: Sequence[Sequence[str]]) -> Ranking:
    recall_5, recall_10, all_10, all_15, reciprocal = [], [], [], [], []
    for question, order in zip(questions, orders, strict=True):
        wanted = question.tables
        recall_5.append(len(wanted.intersection(order[:5])) / len(wanted))
        recall_10.append(len(wanted.intersection(order[:10])) / len(wanted))
        all_10.append(wanted <= set(order[:10]))
        all_15.append(wanted <= set(order[:15]))
        first = next((place for place, name in enumerate(order, start=1) if name in wanted), None)
        reciprocal.append(1 / first if first else 0.0)
    return Ranking(*(statistics.fmean(values) for values in (recall_5, recall_10, all_10, all_15, reciprocal)))


def _relevance_auc(one: EvaluationSet, app: Application) -> float | None:
    if not one.unanswerable:
        return None

    def certainty(question: Question) -> float:
        answer = call_tool("search_tables", {"query": question.text, "limit": 1}, _CALLER, app)
        assert isinstance(answer, SearchTablesOutput)
        return answer.tables[0].relevance_score if answer.tables else 0.0

    answerable = [certainty(question) for question in one.questions]
    others = [certainty(question) for question in one.unanswerable]
    wins = sum((good > bad) + 0.5 * (good == bad) for good in answerable for bad in others)
    return wins / (len(answerable) * len(others))


def print_scores(scores: Sequence[SetScore]) -> None:
    """Print a table with one line per set, followed by one for each signal left out."""
    heads = f"{'R@5':>7}{'R@10':>7}{'ALL@10':>8}{'ALL@15':>8}{'MRR':>7}{'joins':>8}{'AUC':>7}{'p50 ms':>8}{'p95 ms':>8}"
    print(f"{'':<32}{heads}")
    for score in scores:
        auc = "" if score.relevance_auc is None else f"{score.relevance_auc:.3f}"
        print(
            f"{_line(f'{score.name} ({score.tables} tables, {score.questions} q)', score.ranking)}"
            f"{score.joins.exact:>8.3f}{auc:>7}{score.median_milliseconds:>8.1f}{score.slow_milliseconds:>8.1f}"
        )
        if score.over_opensearch is not None:
            print(_line("  over OpenSearch", score.over_opensearch))
        for name, ranking in (("with its schema as scope", score.in_its_schema), *score.ablations.items()):
            print(_line(f"  {name}", ranking))


def _line(name: str, ranking: Ranking) -> str:
    return (
        f"{name:<32}{ranking.recall_at_5:>7.3f}{ranking.recall_at_10:>7.3f}{ranking.all_at_10:>8.3f}"
        f"{ranking.all_at_15:>8.3f}{ranking.mean_reciprocal_rank:>7.3f}"
    )


if __name__ == "__main__":
    sys.exit(main())
