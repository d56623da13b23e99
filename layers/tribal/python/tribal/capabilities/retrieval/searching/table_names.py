"""The names of the tables that a caller may see, prepared for comparison with questions; built once per generation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tribal.capabilities.retrieval.toolbox import OpenIndex, Toolbox
from tribal.naming import split_identifier
from tribal.ranking.character_grams import GramIndex
from tribal.ranking.named import NamedTables

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class TableNames:
    """Tables by their names, numbered in order of name."""

    grams: GramIndex
    named: NamedTables
    record_ids: NDArray[Any]
    """Record ids by number."""


def table_names(opened: OpenIndex, toolbox: Toolbox) -> TableNames:
    """The names of all tables that the caller may see."""

    def read() -> TableNames:
        return TableNames(
            GramIndex([split_identifier(entry.table) for entry in opened.tables]),
            NamedTables([(entry.database, entry.schema, entry.table) for entry in opened.tables]),
            np.array([entry.record_id for entry in opened.tables], dtype=np.int64),
        )

    return toolbox.derived.get(opened.generation, ("table names", toolbox.scope), read)
