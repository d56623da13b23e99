"""The questions to a model: only what is open, and the same text for the same table."""

from __future__ import annotations

from tribal.describing.model.questions.domains import domain_key, domain_question
from tribal.describing.model.questions.prompting import Prompting
from tribal.describing.model.questions.question import ANSWER_SCHEMA, Question
from tribal.describing.model.questions.table_data import TableData
from tribal.describing.model.questions.tables import (
    earlier_question_key,
    halved,
    is_open,
    leaner,
    narrowed,
    question_key,
    shown_table,
    slice_key,
    table_questions,
)

__all__ = [
    "ANSWER_SCHEMA",
    "Prompting",
    "Question",
    "TableData",
    "domain_key",
    "domain_question",
    "earlier_question_key",
    "halved",
    "is_open",
    "leaner",
    "narrowed",
    "question_key",
    "shown_table",
    "slice_key",
    "table_questions",
]
