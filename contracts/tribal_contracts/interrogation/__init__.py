"""Contracts of interrogation: sessions, their audits, exams, and the gaps that they found."""

from __future__ import annotations

from pydantic import BaseModel

from tribal_contracts.answering.open_gaps import OpenGaps
from tribal_contracts.interrogation.configuration import Configuration
from tribal_contracts.interrogation.exams import ExamResult
from tribal_contracts.interrogation.sessions import InterrogationSession, SessionListItem
from tribal_contracts.interrogation.settings import InterrogationSettings
from tribal_contracts.interrogation.tools import (
    GetInterrogationInput,
    GetInterrogationOutput,
    ListInterrogationsInput,
    ListInterrogationsOutput,
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
    "start-interrogation-input": StartInterrogationInput,
    "start-interrogation-output": StartInterrogationOutput,
    "stop-interrogation-input": StopInterrogationInput,
    "stop-interrogation-output": StopInterrogationOutput,
    "get-interrogation-input": GetInterrogationInput,
    "get-interrogation-output": GetInterrogationOutput,
    "list-interrogations-input": ListInterrogationsInput,
    "list-interrogations-output": ListInterrogationsOutput,
}
"""The contracts exported as JSON Schema, by file name."""

__all__ = ["EXPORTED", "InterrogationSettings"]
