"""Likely, undeclared keys as text."""

from __future__ import annotations

from collections.abc import Sequence

from tribal.rendering.markdown import cell_code, escape_text
from tribal.rendering.names import linked_table
from tribal.rendering.words import number
from tribal_contracts import DocumentedInferredKey, KeyEvidence, TableDocument

LIKELY_KEYS = "Likely keys (not declared)"
"""Heading of their section."""


def why_likely(key: DocumentedInferredKey) -> str:
    """The evidence and likelihood of a key as plain text: "named after it (90 % likely)"."""
    reasons = "; ".join(filter(None, map(_reason, key.evidence)))
    return f"{reasons or 'no reason is recorded'} ({key.confidence:.0%} likely)".replace("%", " %")


def likely_key_list(document: TableDocument, path: str) -> str:
    """A table's likely keys as a Markdown list; `path` is its page's own path relative to `docs/`."""
    return "\n".join(f"- {_sentence(document, key, path)}" for key in document.inferred_keys)


def _sentence(document: TableDocument, key: DocumentedInferredKey, path: str) -> str:
    own, other = _columns(key.from_columns), _columns(key.to_columns)
    verb = "reference" if len(key.from_columns) > 1 else "references"
    if key.from_table != document.name:
        said = f"{own} of {linked_table(key.from_table, path, key.path)} likely {verb} {other} here"
    else:
        said = f"{own} likely {verb} {other} of {linked_table(key.to_table, path, key.path)}"
    return f"{said}: {escape_text(why_likely(key))}"


def _columns(names: Sequence[str]) -> str:
    return " and ".join(cell_code(name) for name in names)


def _reason(evidence: KeyEvidence) -> str:
    if evidence.kind == "sister":
        return f"{evidence.of}, of the same name and type, declares it"
    if evidence.kind == "name":
        return "named after it"
    if evidence.kind == "shared_name":
        return "both have this name"
    if evidence.kind == "told":
        return f"the comment on {evidence.of} says so"
    if evidence.kind == "view":
        return f"{evidence.of} joins them"
    if evidence.compared is None or evidence.found is None:
        return ""
    return f"{evidence.found:,} of {number(evidence.compared, 'sampled value')} are found there"
