"""Questions about domains."""

from __future__ import annotations

from tribal.describing.model.questions.question import Question
from tribal.describing.model.questions.tables import Asking
from tribal.ports import DomainContext


def domain_question(context: DomainContext, asking: Asking) -> Question:
    """The question for title and text of a domain."""
    raise NotImplementedError


def domain_key(context: DomainContext, asking: Asking) -> str:
    """SHA-256 over all that the question shows, and prompts, model, language and terms."""
    raise NotImplementedError
