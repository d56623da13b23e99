"""Documents as Markdown and HTML, diagrams as Mermaid, with untrusted text escaped; no I/O."""

from __future__ import annotations

from tribal.rendering.mermaid import ErColumn, ErTable, er_diagram
from tribal.rendering.overview_pages import domain_page, overview_page
from tribal.rendering.relations import relation_sentence
from tribal.rendering.table_page import table_page
from tribal.rendering.versions import RENDERER_VERSION

__all__ = [
    "RENDERER_VERSION",
    "ErColumn",
    "ErTable",
    "domain_page",
    "er_diagram",
    "overview_page",
    "relation_sentence",
    "table_page",
]
