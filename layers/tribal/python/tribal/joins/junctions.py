"""Junction tables, which relate rows of other tables and hold nothing else."""

from __future__ import annotations

from tribal_contracts import TableDocument


def is_junction(table: TableDocument) -> bool:
    """Whether a table has at least two declared foreign keys and no other column except its primary key."""
    foreign = {column for key in table.foreign_keys for column in key.columns}
    own = [column.name for column in table.columns if column.name not in foreign]
    surrogate = table.primary_key.columns if table.primary_key else []
    return len(table.foreign_keys) > 1 and (not own or own == surrogate)
