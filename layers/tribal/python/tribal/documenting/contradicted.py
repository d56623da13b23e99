"""What descriptions, notes, terms, decisions and memories say against the catalog, by table."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

from tribal.identity.table_names import TableIdentity
from tribal.identity.targets import parse_target
from tribal.ports import ObjectStore
from tribal.ports.remembering.guidance import Guidance
from tribal.store import require_manifest
from tribal.text_checks.contradictions import (
    CatalogContradiction,
    catalog_contradictions,
    decision_contradictions,
    table_words,
    term_contradictions,
)
from tribal_contracts import DefinedTerm, TableDocument


class Contradicted:
    """Compares everything that is written about a table with its catalog.

    Args:
        store: has the manifest, whose tables a text may mean.
        terms: the definitions.
        decisions: returns the decisions and memories that may be about a table.
    """

    def __init__(
        self,
        store: ObjectStore,
        terms: Iterable[DefinedTerm],
        decisions: Callable[[TableIdentity], Sequence[Guidance]] | None,
    ) -> None:
        names = defaultdict(list)
        for file in require_manifest(store).manifest.indexable_files:
            if file.table:
                names[file.database].append(file.table)
        self._known = {database: table_words(tables) for database, tables in names.items()}
        self._terms: dict[str, list[DefinedTerm]] = defaultdict(list)
        for term in terms:
            for table in term.tables:
                self._terms[table].append(term)
        self._decisions = decisions

    def of(self, table: TableDocument) -> Iterator[tuple[str, str | None]]:
        """What contradicts the catalog of a table, each with its column if it is about one."""
        for each in self._found(table):
            target = parse_target(each.target)
            yield each.description, target.column if target else None

    def _found(self, table: TableDocument) -> Iterator[CatalogContradiction]:
        known = self._known.get(table.database, frozenset())
        yield from catalog_contradictions(table, known)
        for term in self._terms.get(table.name, ()):
            yield from term_contradictions(term, table, known)
        if self._decisions is None:
            return
        for each in self._decisions(TableIdentity(table.database, table.schema_, table.table)):
            if _names(each, table):
                yield from decision_contradictions(each.text, f"the {each.kind} {each.id!r}", table, known)


def _names(decision: Guidance, table: TableDocument) -> bool:
    """Whether a decision has the name of a table as a word, and not only its letters."""
    words = re.findall(r"\w+", " ".join((decision.text, *decision.tables)))
    return not table_words(words).isdisjoint(table_words((table.table,)))
