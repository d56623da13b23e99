"""Report of an exam in Markdown, for a pull request or a wiki."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tribal.identity.targets import WORD
from tribal.rendering.markdown import code_span, escape_text, list_section, page, table
from tribal.rendering.words import number
from tribal_contracts.interrogation.exams import ExamGap, ExamQuestion, ExamResult

MOST_GAPS = 20
"""Maximum number of gaps in a report."""
_MOST_QUESTIONS = 3
"""Maximum number of example questions per gap."""


def summary_line(result: ExamResult) -> str:
    """Return how many questions are answered, in one line."""
    asked = result.total - result.not_asked
    left = f"; {number(result.not_asked, 'question')} not asked" if result.not_asked else ""
    return f"The documentation answers {result.answered} of {number(asked, 'question')} ({result.share:.0%}){left}."


def report(result: ExamResult) -> str:
    """Return the report: the share of answered questions, what to write first, and the questions."""
    failing = [row for row in result.questions if row.verdict == "blocked"]
    return page(
        [
            "# What the documentation answers",
            summary_line(result),
            *_changes(result),
            *(["## What to write first", _gap_rows(result.gaps)] if result.gaps else []),
            list_section("## Unanswered questions", map(_failing, failing)),
            list_section("## Questions not asked", _texts(result.questions, "not_asked")),
            list_section("## Answered questions", _texts(result.questions, "answered")),
        ]
    )


def gap_name(gap: ExamGap) -> str:
    """Return the target of a gap, or its description if it has none."""
    return target_name(gap.target) or gap.description


def target_name(target: str) -> str:
    """Return the name of a target for readers."""
    word = target.removeprefix(WORD)
    return target if word == target else f"the word “{word}”"


def _changes(result: ExamResult) -> Iterator[str]:
    if result.baseline is not None:
        yield list_section("## Newly answered", map(escape_text, result.baseline.newly_answered))
        yield list_section("## No longer answered", map(escape_text, result.baseline.newly_failing))


def _gap_rows(gaps: Sequence[ExamGap]) -> str:
    rows = [
        [str(gap.question_count), _about(gap.target), escape_text(gap.description), _some(gap)]
        for gap in gaps[:MOST_GAPS]
    ]
    return table(["Questions", "About", "What is missing", "For example"], rows, right=[0])


def _some(gap: ExamGap) -> str:
    return "; ".join(escape_text(question) for question in gap.questions[:_MOST_QUESTIONS])


def _failing(row: ExamQuestion) -> str:
    names = ", ".join(dict.fromkeys(_about(gap.target) for gap in row.blocked_by if gap.target))
    return f"{escape_text(row.question)}{f' ({names})' if names else ''}"


def _texts(rows: Iterable[ExamQuestion], verdict: str) -> Iterator[str]:
    return (escape_text(row.question) for row in rows if row.verdict == verdict)


def _about(target: str) -> str:
    if not target or target.startswith(WORD):
        return escape_text(target_name(target))
    return code_span(target)
