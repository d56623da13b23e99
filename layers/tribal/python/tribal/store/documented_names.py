"""Compares the scope of a token with what is documented."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from tribal.identity.table_names import format_name, parse_name
from tribal.ports import ObjectStore
from tribal.store.manifest import load_manifest


def unmatched_scope(scope: Iterable[str], store: ObjectStore) -> list[str]:
    """A sentence for each database or schema of a scope that has no documented table; none before the first run.

    Raises:
        ManifestError: when the manifest exists but cannot be read.
    """
    stored = load_manifest(store)
    if stored is None:
        return []
    known = {format_name((each.name,)) for each in stored.manifest.databases}
    known |= {
        format_name((file.database, file.schema_))
        for file in stored.manifest.indexable_files
        if file.type == "table" and file.database and file.schema_
    }
    return [_said(name, known) for name in scope if format_name(parse_name(name)) not in known]


def _said(name: str, known: Iterable[str]) -> str:
    close = get_close_matches(name, sorted(known), n=1)
    hint = f"did you mean {close[0]!r}?" if close else "`tribal domains` shows the databases"
    return f"the scope {name!r} matches nothing that is documented; {hint}"
