"""Questions about tables."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from tribal.describing.model.questions.keys import earlier_table_key, part_key, table_key
from tribal.describing.model.questions.prompting import Prompting
from tribal.describing.model.questions.question import Question
from tribal.describing.model.questions.table_data import MAX_OTHER_COLUMNS, TableData
from tribal.masking import redact_table
from tribal.ports import TableContext, TableDescription
from tribal.rendering.prompt_data import data_json
from tribal_contracts import Description, EvidenceKind

MAX_COLUMNS = 40
"""The most columns that one question asks for."""

_KNOWN: frozenset[EvidenceKind] = frozenset({"declared", "told"})
_KNOWN_OR_SEEN: frozenset[EvidenceKind] = frozenset({"declared", "told", "seen"})


@dataclass(frozen=True, slots=True, eq=False)
class _Source:
    data: TableData
    prompting: Prompting


def table_questions(
    context: TableContext, rules: TableDescription, prompting: Prompting, *, with_samples: bool = True
) -> list[Question]:
    """The questions about what is open in a table.

    A text is open if neither a person nor a comment describes it and, for columns, rules know nothing declared or seen.
    The first question asks for the table's own text; each asks for at most `MAX_COLUMNS` columns.
    """
    source = _Source(TableData(_redacted(context), with_samples), prompting)
    text, columns = _open_text(context, rules), _open_columns(context, rules, _KNOWN_OR_SEEN)
    if not text and not columns:
        return []
    slices = [columns[at : at + MAX_COLUMNS] for at in range(0, len(columns), MAX_COLUMNS)] or [[]]
    return [_question(source, numbers, text and position == 0) for position, numbers in enumerate(slices)]


def question_key(context: TableContext, rules: TableDescription, prompting: Prompting) -> str:
    """The key of what is written about a table.

    It does not depend on what samples show, on the table's domain, or on what is said of other tables.
    """
    return _keyed(table_key, context, rules, prompting)


def earlier_question_key(context: TableContext, rules: TableDescription, prompting: Prompting) -> str:
    """The key under which earlier versions stored the same."""
    return _keyed(earlier_table_key, context, rules, prompting)


def _keyed(key: Callable[..., str], context: TableContext, rules: TableDescription, prompting: Prompting) -> str:
    columns = _open_columns(context, rules, _KNOWN)
    return key(TableData(_redacted(context)), columns, prompting, text=_open_text(context, rules))


def slice_key(question: Question) -> str:
    """The key of the answer to one of a table's questions, unlike any `question_key`; empty for a domain."""
    source = question.source
    if not isinstance(source, _Source):
        return ""
    numbers = sorted(question.columns)
    return part_key(source.data, numbers, source.prompting, text=question.asks_text, others=MAX_OTHER_COLUMNS)


def shown_table(question: Question) -> TableData | None:
    """The table that a question shows; `None` for a question about a domain."""
    return question.source.data if isinstance(question.source, _Source) else None


def halved(question: Question) -> list[Question]:
    """Two questions that together ask the same; empty if the question cannot be split."""
    numbers = sorted(question.columns)
    if not isinstance(question.source, _Source) or len(numbers) + question.asks_text < 2:
        return []
    # The text counts as one column.
    middle = len(numbers) // 2
    return [
        _question(question.source, numbers[:middle], question.asks_text),
        _question(question.source, numbers[middle:], False),
    ]


def narrowed(question: Question, subjects: Collection[str]) -> Question:
    """The same question for some subjects only: columns, and the text, whose name is empty."""
    numbers = [number for number, name in sorted(question.columns.items()) if name in subjects]
    return _question(question.source, numbers, question.asks_text and "" in subjects)


def leaner(question: Question) -> Question | None:
    """Return the same question with less about the table: without samples, then without what is not needed.

    `None` if there is nothing more to leave out.
    """
    source = question.source
    if not isinstance(source, _Source) or source.data.is_lean:
        return None
    is_bare = not question.shown.samples
    data = TableData(source.data.context, with_samples=False, is_lean=is_bare)
    return _question(replace(source, data=data), sorted(question.columns), question.asks_text)


def _question(source: _Source, numbers: Sequence[int], text: bool) -> Question:
    data, prompting = source.data, source.prompting
    table = data.context.table
    shown = data.shown(numbers)
    terms = [part for term in sorted(prompting.settings.terms.items()) for part in term]
    return Question(
        subject=data.subject,
        kind="table",
        request_prefix=prompting.prefix,
        request_part=prompting.prompts.fill("table.md", table=data_json(data.asking(numbers, text=text))),
        max_tokens=prompting.max_tokens(len(numbers)),
        handles=data.handles.all,
        columns={number: table.columns[number - 1].name for number in numbers},
        asks_text=text,
        shown=replace(shown, human_text=(*shown.human_text, *terms)),
        prompts=prompting.prompts,
        language=prompting.settings.language,
        is_strict=prompting.is_strict,
        source=source,
    )


def _redacted(context: TableContext) -> TableContext:
    """The redacted context: whatever a slice holds, only what documents show leaves the machine."""
    return replace(context, table=redact_table(context.table, context.database_type))


def _open_text(context: TableContext, rules: TableDescription) -> bool:
    return not context.human.table.strip() and rules.table.source not in ("human", "comment")


def _open_columns(context: TableContext, rules: TableDescription, known: frozenset[EvidenceKind]) -> list[int]:
    human = context.human.columns
    return [
        number
        for number, column in enumerate(context.table.columns, 1)
        if not human.get(column.name, "").strip() and is_open(rules.columns[column.name], known)
    ]


def is_open(said: Description, known: frozenset[EvidenceKind] = _KNOWN_OR_SEEN) -> bool:
    """Whether a column is left to a model, given the rules' description."""
    if said.source in ("human", "comment"):
        return False
    return all(evidence.kind not in known for evidence in said.evidence or ())
