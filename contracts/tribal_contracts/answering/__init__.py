"""Contracts of answers from the documentation: statements, their sources, and the gaps that questions found."""

from __future__ import annotations

from pydantic import BaseModel

from tribal_contracts.answering.answers import Answer, AskInput, FailedAnswer

EXPORTED: dict[str, type[BaseModel]] = {"ask-input": AskInput, "ask-output": Answer}
"""The contracts exported as JSON Schema, by file name."""

__all__ = ["EXPORTED", "FailedAnswer"]
