"""Contracts of interrogation: sessions, their audits, and exams."""

from __future__ import annotations

from pydantic import BaseModel

from tribal_contracts.interrogation.configuration import Configuration
from tribal_contracts.interrogation.exams import ExamResult
from tribal_contracts.interrogation.sessions import InterrogationSession, SessionListItem

EXPORTED: dict[str, type[BaseModel]] = {
    "interrogation-session": InterrogationSession,
    "interrogation-configuration": Configuration,
    "session-list-item": SessionListItem,
    "exam-result": ExamResult,
}
"""The contracts exported as JSON Schema, by file name."""
