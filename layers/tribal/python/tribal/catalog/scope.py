"""What a caller may see."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scope:
    """Databases and schemas that a caller may see; `None` means all. Totals, suggestions and paths keep to it too."""

    databases: frozenset[str] | None = None
    schemas: frozenset[tuple[str, str]] | None = None
    """Pairs of database and schema."""

    def allows(self, database: str, schema: str | None = None) -> bool:
        """Whether a schema may be seen, or, without a schema, anything of a database."""
        if self.databases is not None and database not in self.databases:
            return False
        if self.schemas is None:
            return True
        if schema is None:
            return any(name == database for name, _ in self.schemas)
        return (database, schema) in self.schemas


EVERYTHING = Scope()
