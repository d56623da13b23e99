"""The documents and tools that forms use, from one generation of the index."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tribal.capabilities.retrieval.bounded_table import bounded_table
from tribal.capabilities.retrieval.checking.check_sql import CheckPolicies, check_sql
from tribal.capabilities.retrieval.join_path import get_join_path
from tribal.capabilities.retrieval.names import name_of
from tribal.capabilities.retrieval.toolbox import OpenIndex, Toolbox
from tribal.errors import TribalError
from tribal.naming import split_identifier, stem
from tribal_contracts import CheckSqlInput, GetJoinPathInput, GetJoinPathOutput, TableDocument


@dataclass(frozen=True, slots=True)
class OpenLibrary:
    """The library of a caller."""

    known: Mapping[str, TableDocument]
    opened: OpenIndex
    toolbox: Toolbox
    policies: Callable[[], CheckPolicies | None]

    def table(self, name: str) -> TableDocument | None:
        """Return the document of a table; `None` for one that the caller may not see."""
        if name in self.known:
            return self.known[name]
        ids = [each.record_id for each in self.opened.tables if name_of(each) == name]
        found = self.toolbox.index.documents(ids, TableDocument)
        return next((bounded_table(each, self.opened.bounds) for each in found.values()), None)

    def has_area(self, word: str) -> bool:
        """Return whether a word is in the name of a database, a schema or a domain that the caller may see."""
        names = {
            name
            for each in self.opened.tables
            for name in (each.database, each.schema, self.opened.bounds.shown_domain(each.domain))
        }
        return stem(word.casefold()) in {stem(part) for name in names for part in split_identifier(name)}

    def join(self, tables: Sequence[str], question: str) -> GetJoinPathOutput:
        """Join two or more tables by the keys that a question means."""
        first, second, *also = tables
        wanted = GetJoinPathInput(source_table=first, target_table=second, also=also or None, question=question)
        return get_join_path(wanted, self.toolbox)

    def fits(self, sql: str, database: str) -> bool:
        """Whether a query fits the tables and the policies."""
        try:
            return check_sql(CheckSqlInput(sql=sql, database=database), self.toolbox, self.policies()).valid
        except TribalError:
            return False
