"""The rights of the caller of a server, and the work that waits for it; only a served page has this part."""

from __future__ import annotations

from typing import Any

from tribal.capabilities.chat.collections.visibility import visible_collections
from tribal.capabilities.chat.parts import ChatParts
from tribal.capabilities.chat.rights import READ_DOCUMENTATION, WRITE_COLLECTIONS
from tribal.capabilities.contribution.parts import ContributionParts
from tribal.capabilities.contribution.rights import READ_CONTRIBUTIONS
from tribal.capabilities.interrogation.rights import READ_INTERROGATION, START_INTERROGATION
from tribal.capabilities.proposals.rights import PROPOSE_DESCRIPTIONS, WRITE_ANNOTATIONS
from tribal.page_data.caller.waiting import waiting
from tribal.ports.application import Application
from tribal.ports.caller import Caller
from tribal_contracts.chat.settings import ChatSettings


def caller_part(caller: Caller, app: Application) -> dict[str, Any]:
    """Return the rights of a caller, how much waits of what it may see, and the collections that it may ask."""
    contributes = caller.may(READ_CONTRIBUTIONS) and app.part(ContributionParts) is not None
    return {
        "rights": {
            "write": caller.may(WRITE_ANNOTATIONS),
            "propose": caller.may(PROPOSE_DESCRIPTIONS),
            "interrogate": caller.may(START_INTERROGATION),
            "read_sessions": caller.may(READ_INTERROGATION),
            "contribute": contributes,
            "upload": caller.may(WRITE_COLLECTIONS),
            "ask": caller.may(READ_DOCUMENTATION),
        },
        "waiting": waiting(caller, app).counts,
        "collections": _collections(caller, app) if caller.may(READ_DOCUMENTATION) else [],
    }


def _collections(caller: Caller, app: Application) -> list[list[Any]]:
    """Name, title and whether a question goes to a model, the collection of questions that name none first."""
    parts = app.part(ChatParts)
    settings = ChatSettings() if parts is None else parts.settings
    asks = parts is not None and parts.asks_models
    entries = visible_collections(settings, caller)
    entries.sort(key=lambda each: each.title != settings.default_collection)
    return [[each.title, each.course, asks and each.has_models] for each in entries]
