"""Read the open gaps that a caller may see."""

from __future__ import annotations

from collections.abc import Iterator

from tribal.capabilities.interrogation.errors import SessionInvalid
from tribal.capabilities.interrogation.sessions.visibility import may_read
from tribal.errors import ObjectDamaged, ObjectNotFound
from tribal.identity.locations import DEFINITIONS_FILE, OPEN_GAPS_FILE
from tribal.identity.targets import WORD, parse_target
from tribal.ports import Caller, ObjectStore
from tribal.store import RecordFile, Stored, read_record
from tribal_contracts import DefinedMetric, DefinedTerm, Definitions
from tribal_contracts.answering.open_gaps import GapQuestion, OpenGap, OpenGaps


def gaps_file(store: ObjectStore) -> RecordFile[OpenGaps]:
    """Return the file of open gaps."""
    return RecordFile(store, OPEN_GAPS_FILE, OpenGaps)


def load_gaps(store: ObjectStore) -> Stored[OpenGaps] | None:
    """Return all open gaps; `None` if none was ever written.

    Raises:
        SessionInvalid: when the file is damaged.
    """
    try:
        return gaps_file(store).read()
    except ObjectNotFound:
        return None
    except ObjectDamaged as error:
        raise SessionInvalid(
            f"{OPEN_GAPS_FILE} is damaged; delete it, and the next interrogation or exam rebuilds it from all "
            "sessions, exams and marks"
        ) from error


def visible_gaps(store: ObjectStore, caller: Caller, *, exams_only: bool = False) -> list[OpenGap]:
    """Return the open gaps that the caller may see, those that block the most questions first.

    Gaps of tables outside the caller's scope are left out, and so are words that a term or metric now explains. Hidden
    questions are only counted. A word without a visible question is left out, because the word comes from its
    questions. `tribal.identity.targets.current_gaps` checks whether targets have changed.

    Args:
        store: contains the gaps and the definitions.
        caller: the caller, whose scope limits the gaps.
        exams_only: hide the questions of sessions, as a static site does.

    Raises:
        SessionInvalid: when the file is damaged.
    """
    stored = load_gaps(store)
    if stored is None:
        return []
    shown = [_for_caller(gap, caller, exams_only) for gap in stored.record.gaps if _is_in_scope(gap, caller)]
    words = any(gap.target.startswith(WORD) for gap in shown)
    defined = set(_defined_words(store)) if words else set()
    return [gap for gap in shown if not gap.target.startswith(WORD) or (gap.questions and _word(gap) not in defined)]


def _is_in_scope(gap: OpenGap, caller: Caller) -> bool:
    target = parse_target(gap.target)
    return target is None or caller.scope.allows(target.table.database, target.table.schema)


def _for_caller(gap: OpenGap, caller: Caller, exams_only: bool) -> OpenGap:
    def is_shown(question: GapQuestion) -> bool:
        return question.from_exam or not exams_only

    shown = [each for each in gap.questions if is_shown(each) and may_read(each, caller)]
    if len(shown) == len(gap.questions):
        return gap
    hidden = {each.key: each.severity for each in gap.questions if each not in shown}
    # Built by copying: hidden questions may exceed what a file may hold.
    return gap.model_copy(update={"questions": shown, "others": {**gap.others, **hidden}})


def _word(gap: OpenGap) -> str:
    return gap.target.removeprefix(WORD).casefold()


def _defined_words(store: ObjectStore) -> Iterator[str]:
    found = read_record(store, DEFINITIONS_FILE, Definitions)
    if found is None:
        return
    items: list[DefinedTerm | DefinedMetric] = [*found.terms, *found.metrics]
    for each in items:
        yield from (name.casefold() for name in (each.name, *each.synonyms))
