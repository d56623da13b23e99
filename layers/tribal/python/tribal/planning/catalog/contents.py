"""Handle unstable tables and redact text in the contents of a catalog, before they are stored."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from tribal.identity.repeated_keys import without_repeated_keys
from tribal.masking import redact_table, redact_text
from tribal.ports import CatalogContents, Clock, SchemaAndTable, name_of
from tribal_contracts import AgentError, CatalogSchema, CatalogTable, DatabaseType, agent_error

_LOCKED = "was locked, so its state from an earlier run is used if there is one; plan again when the lock is released"
_KEPT = (
    "was changed or dropped by another session each time it was read; its state from an earlier run is used; plan "
    "again when that session is done"
)
_LEFT_OUT = (
    "was changed or dropped by another session each time it was read, and no earlier run read it; it is left out; "
    "plan again when that session is done"
)


@dataclass(frozen=True, slots=True)
class StableContents:
    """A reading in which unstable tables have their state from an earlier one."""

    contents: CatalogContents
    left_out: frozenset[SchemaAndTable]
    """Changed tables that no earlier reading has."""

    def errors(self, database: str, is_selected: Callable[[str, str], bool], clock: Clock) -> list[AgentError]:
        """A warning for each unstable table that the configuration selects."""

        def warned(code: str, tables: Iterable[SchemaAndTable], what: str) -> list[AgentError]:
            return [_warning(code, database, table, what, clock) for table in sorted(tables) if is_selected(*table)]

        contents = self.contents
        return [
            *warned("PLAN_TABLE_LOCKED", contents.locked - contents.changed, _LOCKED),
            *warned("PLAN_TABLE_CHANGED", contents.changed - self.left_out, _KEPT),
            *warned("PLAN_TABLE_CHANGED", self.left_out, _LEFT_OUT),
        ]


def stabilize(contents: CatalogContents, earlier: Iterable[CatalogTable]) -> StableContents:
    """Replace unstable tables with their state in an earlier reading; leave out changed ones that it lacks.

    A temporary state must not look like a structural change: the table's documents and hashes would be rewritten now
    and again after the next reading. A locked table without an earlier reading is kept as far as it could be read.
    """
    unstable = contents.locked | contents.changed
    kept = {name_of(table): table for table in earlier if name_of(table) in unstable}
    left_out = contents.changed - kept.keys()
    tables = (kept.get(name_of(table), table) for table in contents.tables if name_of(table) not in left_out)
    # Such a table exists and must not be taken for dropped.
    unread = contents.unread_tables | left_out
    return StableContents(replace(contents, tables=tuple(tables), unread_tables=unread), left_out)


def _warning(code: str, database: str, table: SchemaAndTable, what: str, clock: Clock) -> AgentError:
    return agent_error(
        code,
        f"table {'.'.join(table)!r} of {database!r} {what}",
        timestamp=clock.published(),
        context={"database": database, "schema": table[0], "table": table[1]},
    )


def redact_contents(contents: CatalogContents, dialect: DatabaseType) -> CatalogContents:
    """The contents with each key once, and all text redacted, except names."""
    return replace(
        contents,
        schemas=tuple(_redact_schema(schema) for schema in contents.schemas),
        tables=tuple(redact_table(without_repeated_keys(table), dialect) for table in contents.tables),
    )


def _redact_schema(schema: CatalogSchema) -> CatalogSchema:
    return schema.model_copy(update={"comment": schema.comment and redact_text(schema.comment)})
