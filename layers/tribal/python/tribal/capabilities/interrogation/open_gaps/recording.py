"""Write the gaps of sessions, exams and marks into the file of open gaps, by conditional put."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

from tribal.capabilities.interrogation.errors import SessionInvalid, SessionsBusy
from tribal.capabilities.interrogation.open_gaps.merging import QuestionResult, merged, without
from tribal.capabilities.interrogation.open_gaps.reading import gaps_file, load_gaps
from tribal.capabilities.interrogation.sessions.repository import Sessions
from tribal.errors import PreconditionFailed
from tribal.identity.hashing import record_id
from tribal.identity.locations import OPEN_GAPS_FILE
from tribal.identity.targets import parse_target, target_hash
from tribal.ports import IndexReader, ObjectStore
from tribal.store import report_damage
from tribal_contracts import TableDocument
from tribal_contracts.answering.open_gaps import OpenGaps
from tribal_contracts.interrogation.exams import ExamResult
from tribal_contracts.interrogation.marks import Mark
from tribal_contracts.interrogation.sessions import Gap, InterrogationSession
from tribal_contracts.interrogation.times import instant

ATTEMPTS = 20
"""How often a change is retried if other processes change the file at the same time."""
_DOCUMENTS_AT_ONCE = 50


def record(sessions: Sessions, index: IndexReader, results: Iterable[QuestionResult]) -> None:
    """Write the gaps that questions found, in one put. Does nothing if they are already there.

    Call it after a session has ended, or once for all questions of an exam. Questions about a different version of the
    documentation than the indexed one are ignored, because their gaps may be closed. If the file is missing or damaged,
    it is rebuilt from all sessions, exams and marks in the store.

    Raises:
        SessionsBusy: when other processes keep changing the file.
        IndexNotReady: when there is no finished index.
    """
    given = list(results)

    def change(before: OpenGaps | None) -> OpenGaps:
        asked = given if before is not None else [*_stored_results(sessions), *given]
        with index.reading():
            return _with_results(before or OpenGaps(schema_version="1.0", gaps=[]), asked, index)

    _change(sessions.store, change)


def forget(store: ObjectStore, results: Iterable[QuestionResult], *, exam: bool = False) -> None:
    """Remove the questions of a session, an exam or a mark that is about to be removed.

    Raises:
        SessionsBusy: when other processes keep changing the file.
    """
    keys = {each.key for each in results}
    _change(store, lambda before: None if before is None else without(before, keys, exam=exam))


def session_result(session: InterrogationSession) -> QuestionResult:
    """Return what a session found."""
    return QuestionResult(
        text=session.hypothesis.text,
        gaps=session.open_gaps,
        owner=session.owner,
        scope=session.scope,
        manifest_hash=session.manifest_hash,
    )


def exam_results(exam: ExamResult) -> Iterator[QuestionResult]:
    """Yield what each question of an exam found. Questions that were not asked are left out."""
    descriptions = {(gap.target, gap.category): gap.description for gap in exam.gaps}
    for question in exam.questions:
        if question.verdict == "not_asked":
            continue
        gaps = [
            Gap(
                category=each.category,
                description=descriptions.get((each.target, each.category), each.category.replace("_", " ")),
                severity=each.severity,
                target=each.target or None,
            )
            for each in question.blocked_by
        ]
        yield QuestionResult(
            text=question.question,
            gaps=gaps,
            from_exam=True,
            owner=exam.owner,
            scope=exam.scope,
            manifest_hash=exam.manifest_hash,
        )


def mark_result(mark: Mark) -> QuestionResult:
    """Return the result of a mark: a gap of its tables until their documents change."""
    return QuestionResult(
        text=mark.question,
        gaps=[
            Gap(category="inconsistency", description=mark.why, severity="high", target=table) for table in mark.tables
        ],
        owner=mark.owner,
        scope=mark.scope,
        manifest_hash=mark.manifest_hash,
        mark=mark.id,
        marked_at=mark.created_at,
    )


def _change(store: ObjectStore, change: Callable[[OpenGaps | None], OpenGaps | None]) -> None:
    """Write what `change` returns for the current gaps, or for `None` without a usable file. Removes a damaged file."""
    for _ in range(ATTEMPTS):
        try:
            stored = load_gaps(store)
        except SessionInvalid:
            report_damage(store, OPEN_GAPS_FILE)
            store.delete(OPEN_GAPS_FILE)
            stored = None
        before = None if stored is None else stored.record
        after = change(before)
        if after is None or after == before:
            return
        with suppress(PreconditionFailed):
            gaps_file(store).create(after) if stored is None else gaps_file(store).replace(stored, after)
            return
    raise SessionsBusy(f"other processes keep changing {OPEN_GAPS_FILE}; try again")


def _with_results(before: OpenGaps, results: list[QuestionResult], index: IndexReader) -> OpenGaps:
    metadata = index.metadata()
    manifest_hash = None if metadata is None else metadata.manifest_hash
    results = [each for each in results if each.manifest_hash in (None, manifest_hash)]
    targets = {gap.target for each in results for gap in each.gaps if gap.target is not None}
    if before.manifest_hash != manifest_hash:
        targets.update(gap.target for gap in before.gaps)
    hashes = _hashes(index, targets)
    return merged(before, results, hashes).model_copy(update={"manifest_hash": manifest_hash})


def _hashes(index: IndexReader, targets: Iterable[str]) -> dict[str, str | None]:
    """Return the hash of each target's indexed document; `None` for a target without a document."""
    found: dict[str, str | None] = dict.fromkeys(targets)
    wanted: defaultdict[int, list[tuple[str, str | None]]] = defaultdict(list)
    for name in found:
        target = parse_target(name)
        if target is not None:
            table = target.table
            wanted[record_id("table", table.database, table.schema, table.table)].append((name, target.column))
    ids = [*wanted]
    for start in range(0, len(ids), _DOCUMENTS_AT_ONCE):
        documents = index.documents(ids[start : start + _DOCUMENTS_AT_ONCE], TableDocument)
        for number, document in documents.items():
            found.update({name: target_hash(document, column) for name, column in wanted[number]})
    return found


def _stored_results(sessions: Sessions) -> list[QuestionResult]:
    """Return the results of all stored sessions, exams and marks, oldest first, without damaged files."""
    found = [
        (instant(session.start_time), [session_result(session)])
        for session in sessions.readable()
        if not session.is_running
    ]
    found += [(instant(exam.created_at), [*exam_results(exam)]) for exam in sessions.readable_exams()]
    found += [(instant(mark.created_at), [mark_result(mark)]) for mark in sessions.readable_marks()]
    ordered = sorted(found, key=lambda each: each[0])
    return [result for _, results in ordered for result in results if result.manifest_hash is not None]
