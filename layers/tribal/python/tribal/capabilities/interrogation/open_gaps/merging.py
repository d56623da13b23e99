"""Merge the gaps of questions into the open gaps. Pure functions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tribal.identity.hashing import object_hash
from tribal.identity.targets import WORD
from tribal.rendering.words import bounded
from tribal_contracts.answering.open_gaps import (
    MAX_OTHERS,
    MAX_TARGETS,
    MAX_TEXTS,
    GapCategory,
    GapQuestion,
    GapSeverity,
    OpenGap,
    OpenGaps,
    SessionScope,
)
from tribal_contracts.interrogation.sessions import Gap

MAX_TEXT_CHARS = 300
"""Maximum characters of a question or description. By judgement: two lines of a list."""
_KEY_DIGITS = 16
_ORDER: Mapping[GapSeverity, int] = {"high": 0, "medium": 1, "low": 2}

Place = tuple[str, GapCategory]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionResult:
    """A question that was examined, and its open gaps."""

    text: str
    gaps: Sequence[Gap]
    """Open gaps at the end. Gaps without a target are ignored."""
    from_exam: bool = False
    owner: str | None = None
    scope: SessionScope | None = None
    """Scope that the question may read; `None` for everything."""
    manifest_hash: str | None = None
    """Documentation that the question was put to; `None` for the current documentation."""
    mark: str | None = None
    """ID of the mark, if the answer was marked as wrong."""
    marked_at: str | None = None

    @property
    def key(self) -> str:
        """Identifies the question by its text and scope. Each mark counts as a separate question."""
        if self.mark is not None:
            return object_hash(["mark", self.mark])[:_KEY_DIGITS]
        scope = None if self.scope in (None, SessionScope()) else self.scope.model_dump(mode="json")
        return object_hash([self.text.strip(), scope])[:_KEY_DIGITS]


@dataclass(slots=True)
class _Entry:
    target_hash: str | None
    questions: dict[str, GapQuestion] = field(default_factory=dict)
    others: dict[str, GapSeverity] = field(default_factory=dict)

    def remove(self, key: str) -> None:
        self.questions.pop(key, None)
        self.others.pop(key, None)


def merged(before: OpenGaps, results: Iterable[QuestionResult], hashes: Mapping[str, str | None]) -> OpenGaps:
    """Return the open gaps after more questions were examined.

    Gaps that a question no longer has are removed. So are gaps whose target has changed.

    Args:
        before: the gaps that were open.
        results: results in any order. For the same question, the last one counts.
        hashes: hash of each target's current document; `None` if it has no document. Open gaps of targets that are
            not listed are kept.
    """
    entries = {
        (gap.target, gap.category): _Entry(gap.target_hash, {q.key: q for q in gap.questions}, dict(gap.others))
        for gap in before.gaps
        if hashes.get(gap.target, gap.target_hash) == gap.target_hash
    }
    places: defaultdict[str, set[Place]] = defaultdict(set)
    for place, entry in entries.items():
        for key in (*entry.questions, *entry.others):
            places[key].add(place)
    for result in results:
        _take(result, entries, places, hashes)
    gaps = [_gap(place, entry) for place, entry in entries.items() if entry.questions or entry.others]
    gaps.sort(key=lambda gap: (-len(gap.blocked), gap.target, gap.category))
    return before.model_copy(update={"gaps": gaps[:MAX_TARGETS]})


def without(before: OpenGaps, keys: Iterable[str], *, exam: bool) -> OpenGaps:
    """Return the open gaps without the given questions. Exam questions stay unless `exam` is set."""
    removed = set(keys)
    gaps: list[OpenGap] = []
    for gap in before.gaps:
        questions = [each for each in gap.questions if each.key not in removed or (each.from_exam and not exam)]
        others = {key: severity for key, severity in gap.others.items() if key not in removed}
        if questions or others:
            gaps.append(gap.model_copy(update={"questions": questions, "others": others}))
    return before.model_copy(update={"gaps": gaps})


def _take(
    result: QuestionResult,
    entries: dict[Place, _Entry],
    places: defaultdict[str, set[Place]],
    hashes: Mapping[str, str | None],
) -> None:
    key = result.key
    from_exam = result.from_exam
    for place in places.pop(key, ()):
        known = entries[place].questions.get(key)
        from_exam = from_exam or (known is not None and known.from_exam)
        entries[place].remove(key)
    for gap in result.gaps:
        if gap.target is None or not _is_known(gap.target, hashes):
            continue
        place = (gap.target, gap.category)
        entry = entries.setdefault(place, _Entry(hashes.get(gap.target)))
        known = entry.questions.get(key)
        if known is None or _ORDER[gap.severity] < _ORDER[known.severity]:
            entry.questions[key] = _question(result, gap, from_exam=from_exam)
        places[key].add(place)


def _is_known(target: str, hashes: Mapping[str, str | None]) -> bool:
    return target.startswith(WORD) or hashes.get(target) is not None


def _question(result: QuestionResult, gap: Gap, *, from_exam: bool) -> GapQuestion:
    return GapQuestion(
        key=result.key,
        text=bounded(result.text.strip(), MAX_TEXT_CHARS),
        severity=gap.severity,
        description=bounded(gap.description, MAX_TEXT_CHARS),
        from_exam=from_exam,
        owner=result.owner,
        scope=result.scope,
        mark=result.mark,
        marked_at=result.marked_at,
    )


def _gap(place: Place, entry: _Entry) -> OpenGap:
    # A mark whose text is left out could not be closed.
    ordered = sorted(
        entry.questions.values(), key=lambda each: (_ORDER[each.severity], each.mark is None, each.text, each.key)
    )
    more = {each.key: each.severity for each in ordered[MAX_TEXTS:]}
    others = sorted((entry.others | more).items(), key=lambda item: (_ORDER[item[1]], item[0]))
    return OpenGap(
        target=place[0],
        category=place[1],
        target_hash=entry.target_hash,
        questions=ordered[:MAX_TEXTS],
        others=dict(others[:MAX_OTHERS]),
    )
