"""Manifest of the chat. Data only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tribal.capabilities.chat.functions import ALARMS, AUDITS, CHARTS, FUNCTIONS, USES
from tribal.capabilities.chat.rights import ASK_CHAT, READ_AUDIT, WRITE_COLLECTIONS
from tribal.capabilities.chat.tools import CHAT
from tribal.ports.capability import USE_STORE, Capability, CommandSpec

if TYPE_CHECKING:
    from tribal_contracts import CapabilitySettings


def _section() -> type[CapabilitySettings]:
    from tribal_contracts.chat.settings import ChatSettings

    return ChatSettings


CAPABILITY = Capability(
    name="chat",
    groups=(CHAT,),
    section=_section,
    needs_section=False,
    errors="tribal.capabilities.chat.errors",
    page="chat.md",
    builder="tribal.app.chat:build",
    routes="tribal.edges.http.chat.routes:chat_routes",
    write_rights=(WRITE_COLLECTIONS,),
    asking_rights=(ASK_CHAT,),
    named_rights=(ASK_CHAT, WRITE_COLLECTIONS, READ_AUDIT),
    commands=(
        CommandSpec(
            name="ask",
            target="tribal.edges.cli.chat.asking:ask",
            heading="Ask",
            example="tribal ask 'which invoices are unpaid?'\ntribal ask --wrong 'void invoices are not unpaid'",
        ),
        CommandSpec(
            name="chat",
            target="tribal.edges.cli.chat.asking:chat",
            heading="Ask",
            example="tribal chat --collection handbook",
        ),
        CommandSpec(
            name="upload",
            target="tribal.edges.cli.chat.uploading:upload",
            heading="Remember",
            example="tribal upload handbook.pdf --collection handbook",
        ),
        CommandSpec(
            name="jobs",
            target="tribal.edges.cli.chat.uploading:jobs",
            heading="Administer",
            example="tribal jobs --watch",
        ),
        CommandSpec(
            name="collections",
            target="tribal.edges.cli.chat.collections:collections",
            heading="Administer",
            example="tribal collections show handbook",
            help="List collections, show one, or remove a file from it.",
        ),
        CommandSpec(
            name="answers",
            target="tribal.edges.cli.chat.answers:answers",
            heading="Administer",
            example="tribal answers --limit 5",
            help="List and remove stored answers.",
            here_only=f"no route shows stored answers; {USE_STORE}",
        ),
    ),
    extras=("chat",),
    jobs=("tribal.capabilities.chat.uploads.job_kind:UPLOADS",),
    rebuilds="tribal.capabilities.chat.collections.publishing:rebuild_indexes",
    functions=FUNCTIONS,
    uses=USES,
    alarms=ALARMS,
    charts=CHARTS,
    audits=AUDITS,
)
