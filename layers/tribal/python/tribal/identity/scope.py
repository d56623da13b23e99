"""What a caller may see."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scope:
    """Whole databases and single schemas that a caller may see; without either, all. Totals, suggestions and paths
    keep to it too."""

    databases: frozenset[str] | None = None
    schemas: frozenset[tuple[str, str]] | None = None
    """Pairs of database and schema, in addition to the databases."""

    def allows(self, database: str, schema: str | None = None) -> bool:
        """Whether a schema may be seen, or, without a schema, anything of a database."""
        if self.allows_all_of(database):
            return True
        if schema is None:
            return any(name == database for name, _ in self.schemas or ())
        return (database, schema) in (self.schemas or ())

    def allows_all_of(self, database: str) -> bool:
        """Whether every schema of a database may be seen."""
        return self == EVERYTHING or database in (self.databases or ())


EVERYTHING = Scope()
