"""Contracts of interrogation: sessions, their audits, exams, and the gaps that they found."""

from __future__ import annotations

from pydantic import BaseModel

from tribal_contracts.interrogation.configuration import Configuration
from tribal_contracts.interrogation.exams import ExamResult
from tribal_contracts.interrogation.open_gaps import OpenGaps
from tribal_contracts.interrogation.sessions import InterrogationSession, SessionListItem

EXPORTED: dict[str, type[BaseModel]] = {
    "interrogation-session": InterrogationSession,
    "interrogation-configuration": Configuration,
    "session-list-item": SessionListItem,
    "exam-result": ExamResult,
    "open-gaps": OpenGaps,
}
"""The contracts exported as JSON Schema, by file name."""
