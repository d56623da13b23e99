"""Agent 6: documents about the change. A recipe needs none."""

from __future__ import annotations

from tribal.capabilities.contribution.agents.context import AgentContext
from tribal_contracts.contribution.changes import DocsChanges, DocsSummary, DocsValidation


def docs(context: AgentContext) -> DocsChanges:
    """Say that descriptions need no documents of their own."""
    return DocsChanges(
        agent="agent-6-docs",
        timestamp=context.now,
        cycle=context.record.cycle,
        status="completed",
        docs_required=False,
        reason="the change consists of documentation",
        doc_files=[],
        validation=DocsValidation(links_valid=True, examples_tested=False, spelling_checked=False),
        summary=DocsSummary(files_updated=0, sections_added=0, sections_modified=0),
    )
