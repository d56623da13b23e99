"""A stored question with its answer. Extension contract."""

from __future__ import annotations

from tribal_contracts.chat.settings import CollectionName, Intent
from tribal_contracts.chat.state import Law
from tribal_contracts.core.shape import Contract, ISOTimestamp


class AuditedAnswer(Contract):
    """How one question ended. File: `audit/chat/{date}/{id}.json`, written once, where `chat.audit` is on."""

    id: str
    at: ISOTimestamp
    subject: str
    collection: CollectionName
    question: str
    intent: Intent
    approved: bool
    law_violated: Law | None
    model: str
    answer: str
    error: str | None
