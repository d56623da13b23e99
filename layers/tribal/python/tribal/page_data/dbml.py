"""The DBML of a domain's tables, from which the page assembles that of any tables it shows."""

from __future__ import annotations

from typing import Any

from tribal.capabilities.retrieval.bounded_table import bounded_table
from tribal.capabilities.retrieval.toolbox import Toolbox
from tribal.page_data.survey import Survey, SurveyedDomain, documents
from tribal.rendering.dbml import dbml_refs, dbml_table


def dbml_part(domain: SurveyedDomain, found: Survey, toolbox: Toolbox) -> dict[str, Any]:
    """By table of a domain: its block, and its keys, each with the table that it refers to."""
    part: dict[str, Any] = {}
    for _, document in documents([table.entry for table in domain.tables], toolbox):
        table = bounded_table(document, found.opened.bounds)
        part[table.name] = [dbml_table(table), [[ref.other, ref.line] for ref in dbml_refs(table)]]
    return part
