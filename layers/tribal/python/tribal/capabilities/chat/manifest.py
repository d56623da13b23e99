"""The manifest of the chat: data only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tribal.capabilities.chat.functions import FUNCTIONS, USES
from tribal.capabilities.chat.rights import ASK_CHAT, READ_AUDIT, WRITE_COLLECTIONS
from tribal.ports.tool import Capability

if TYPE_CHECKING:
    from tribal_contracts import CapabilitySettings


def _section() -> type[CapabilitySettings]:
    from tribal_contracts.chat.settings import ChatSettings

    return ChatSettings


CAPABILITY = Capability(
    name="chat",
    section=_section,
    needs_section=False,
    errors="tribal.capabilities.chat.errors",
    write_rights=(WRITE_COLLECTIONS,),
    named_rights=(ASK_CHAT, WRITE_COLLECTIONS, READ_AUDIT),
    functions=FUNCTIONS,
    uses=USES,
)
