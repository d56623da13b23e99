"""Contracts of interrogation: sessions, their audits, exams, and the gaps that they found."""

from __future__ import annotations

from pydantic import BaseModel

from tribal_contracts.answering.open_gaps import OpenGaps
from tribal_contracts.interrogation.configuration import Configuration
from tribal_contracts.interrogation.exams import ExamResult
from tribal_contracts.interrogation.marks import Mark
from tribal_contracts.interrogation.sessions import InterrogationSession, SessionListItem
from tribal_contracts.interrogation.settings import InterrogationSettings
from tribal_contracts.interrogation.tools import (
    CloseMarkInput,
    CloseMarkOutput,
    GetInterrogationInput,
    GetInterrogationOutput,
    ListInterrogationsInput,
    ListInterrogationsOutput,
    MarkAnswerInput,
    MarkAnswerOutput,
    StartInterrogationInput,
    StartInterrogationOutput,
    StopInterrogationInput,
    StopInterrogationOutput,
)

EXPORTED: dict[str, type[BaseModel]] = {
    "interrogation-session": InterrogationSession,
    "interrogation-configuration": Configuration,
    "session-list-item": SessionListItem,
    "exam-result": ExamResult,
    "open-gaps": OpenGaps,
    "mark": Mark,
    "start-interrogation-input": StartInterrogationInput,
    "start-interrogation-output": StartInterrogationOutput,
    "stop-interrogation-input": StopInterrogationInput,
    "stop-interrogation-output": StopInterrogationOutput,
    "get-interrogation-input": GetInterrogationInput,
    "get-interrogation-output": GetInterrogationOutput,
    "list-interrogations-input": ListInterrogationsInput,
    "list-interrogations-output": ListInterrogationsOutput,
    "mark-answer-input": MarkAnswerInput,
    "mark-answer-output": MarkAnswerOutput,
    "close-mark-input": CloseMarkInput,
    "close-mark-output": CloseMarkOutput,
}
"""The contracts exported as JSON Schema, by file name."""

__all__ = ["EXPORTED", "InterrogationSettings"]
