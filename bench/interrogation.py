"""How well `ask` and the offline detective do on public questions. Needs `TRIBAL_BENCH_DATA`.

`python -m bench.interrogation`: the tables of an answer, how completeness separates questions that nothing answers,
what a question's own hint changes, and times.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from bench.generated import documented_project
from bench.harness import Bench, Row, Table, run
from bench.question_sets import QuestionSet, opened, plain_name, question_sets, read_lines
from bench.search import questions
from tribal.answering.documentation import Documentation
from tribal.capabilities.interrogation.exams.taking import Exam
from tribal.capabilities.interrogation.interrogations import Interrogations
from tribal.capabilities.interrogation.sessions.loop import run_unsaved
from tribal.errors import TribalError
from tribal.identity.scope import EVERYTHING, Scope
from tribal.ports import Application, Caller, Provider
from tribal_contracts import Description, TableDocument
from tribal_contracts.answering.answers import AskInput

_CALLER = Caller("bench")
_MANY, _TIMED = 1_000, 100


def tables(bench: Bench) -> Iterator[Table]:
    """Answers, completeness, hints and times."""
    sets = {one.name: one for one in question_sets(bench.data)}
    yield Table("tables of an answer of `ask`, from names and keys alone", [_tables(sets["bird_mini"], bench)])
    yield Table(
        "completeness of questions that have an answer, against those that have none", _auc(sets["defog"], bench)
    )
    yield Table("completeness with a hint as the description of its tables", [_hints(sets["bird_mini"], bench)])
    yield Table(f"times over {_MANY:,} tables, and of an exam", [*_times(bench), _exam(sets["defog"], bench)])


def _tables(one: QuestionSet, bench: Bench) -> Row:
    right = 0
    counts = []
    with opened(one.project(bench)) as app:
        for question in one.questions:
            answer = Documentation(_CALLER, app).answer(AskInput(question=question.text))
            shown = {plain_name(each.name) for each in answer.sources if each.kind == "table"}
            right += question.tables <= shown
            counts.append(len(shown))
    return {"questions": len(counts), "all tables": right / len(counts), "most tables": max(counts)}


def _completeness(app: Application, text: str, scope: Scope = EVERYTHING) -> int:
    """The completeness of an offline session; 0 for a question that cannot be read."""
    service = Interrogations(app, replace(_CALLER, scope=scope), asks_models=False)
    with suppress(TribalError):
        session = service.new(text, 20)
        with service.parties(session, "bench") as parties:
            ended = run_unsaved(session, parties.detective, parties.witness, app.clock)
        return ended.qa_pairs[-1].gap_analysis.completeness_score
    return 0


def _auc(one: QuestionSet, bench: Bench) -> list[Row]:
    rows = list[Row]()
    with opened(one.project(bench)) as app:
        for scoped in (False, True):
            good, bad = (
                [_completeness(app, each.text, one.scope_of(each) if scoped else EVERYTHING) for each in group]
                for group in (one.questions, one.unanswerable)
            )
            wins = sum((left > right) + (left == right) / 2 for left in good for right in bad)
            rows.append(
                {
                    "scope": "its database" if scoped else "all",
                    "AUC": wins / (len(good) * len(bad)),
                    "median answerable": statistics.median(good),
                    "median unanswerable": statistics.median(bad),
                }
            )
    return rows


def _hints(one: QuestionSet, bench: Bench) -> Row:
    """Every question without a hint, with its own, and with another one of the same database.

    The hint is put into the documents as a person's description; the index is not rebuilt, so tables are found as
    before.
    """
    records = read_lines(one.folder / "questions.jsonl")
    hints = {number: str(record["evidence"]) for number, record in enumerate(records) if record.get("evidence")}
    changes: dict[str, list[int]] = {"own": [], "other": []}
    with opened(one.project(bench)) as app:
        for number, hint in hints.items():
            question = one.questions[number]
            scope = one.scope_of(question)
            others = [each for each in hints if each != number and one.questions[each].schema == question.schema]
            before = _completeness(app, question.text, scope)
            own = _completeness(_hinted(app, question.tables, hint), question.text, scope)
            changes["own"].append(own - before)
            if others:
                other = hints[others[number % len(others)]]
                after = _completeness(_hinted(app, question.tables, other), question.text, scope)
                changes["other"].append(after - before)
    return {
        "questions": len(hints),
        **{f"{name} rises": sum(each > 0 for each in found) / len(found) for name, found in changes.items()},
        **{f"{name} falls": sum(each < 0 for each in found) / len(found) for name, found in changes.items()},
    }


class _HintedIndex:
    """An index whose documents of some tables have a description by a person."""

    def __init__(self, index: Any, names: Collection[str], hint: str) -> None:
        self._index, self._names = index, names
        self._description = Description(text=hint, source="human", confidence=1.0)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index, name)

    def documents(self, ids: Sequence[int], part: Any) -> dict[int, Any]:
        found = self._index.documents(ids, part)
        update = {"description": self._description}
        return {
            each: document.model_copy(update=update)
            if part is TableDocument and plain_name(document.name) in self._names
            else document
            for each, document in found.items()
        }


def _hinted(app: Application, names: Collection[str], hint: str) -> Application:
    index: Any = _HintedIndex(app.index(), names, hint)
    return replace(app, index=Provider.of(index))


def _times(bench: Bench) -> Iterator[Row]:
    with opened(documented_project(bench, _MANY)) as app:
        documentation = Documentation(_CALLER, app)
        service = Interrogations(app, _CALLER, asks_models=False)
        documentation.answer(AskInput(question="orders"))
        asked, examined = [], []
        for question in questions(_TIMED):
            began = time.perf_counter()
            documentation.answer(AskInput(question=question))
            asked.append(time.perf_counter() - began)
            began = time.perf_counter()
            service.start(service.new(question))
            examined.append(time.perf_counter() - began)
    yield {"what": "ask", "median ms": 1_000 * statistics.median(asked)}
    yield {"what": "offline session", "median ms": 1_000 * statistics.median(examined)}


def _exam(one: QuestionSet, bench: Bench) -> Row:
    with opened(one.project(bench)) as app:
        began = time.perf_counter()
        texts = list(dict.fromkeys(question.text for question in one.questions))
        Exam(service=Interrogations(app, _CALLER, asks_models=False)).take(texts)
        return {"what": f"exam of {len(texts)}", "median ms": 1_000 * (time.perf_counter() - began)}


if __name__ == "__main__":
    sys.exit(run("interrogation", tables))
