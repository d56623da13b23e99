"""What a session's roles may see: what they hold nothing on does not exist for them.

https://docs.snowflake.com/en/user-guide/security-access-control-privileges : to see a table takes any privilege on it
and at least one on its schema and on its database.
"""

from __future__ import annotations

from collections.abc import Iterator, Set

from tests.fakes.snowflake.account import VIEWERS, Account
from tests.fakes.snowflake.catalog import Database, Relation, Schema, Warehouse
from tests.fakes.snowflake.errors import missing, missing_scope, no_privilege
from tests.fakes.snowflake.names import Path, written

_NOTHING: frozenset[str] = frozenset()


class Sight:
    """What some roles together may see of an account, taken once for a statement."""

    def __init__(self, account: Account, roles: Set[str]) -> None:
        self.account = account
        self.roles = {reached for role in roles for reached in account.all_of(role)}
        self._held: dict[tuple[str, Path], set[str]] = {}
        for name in self.roles:
            for privilege, where, path in account.roles[name].grants:
                self._held.setdefault((where, path), set()).add(privilege)
        for owner, where, path in account.owners():
            if owner in self.roles:
                self._held.setdefault((where, path), set()).add("OWNERSHIP")

    def privileges(self, where: str, *path: str) -> Set[str]:
        """What is held on an object."""
        return self._held.get((where, path), _NOTHING)

    def databases(self) -> Iterator[Database]:
        """By name."""
        for name in sorted(self.account.databases):
            if self.privileges("DATABASE", name):
                yield self.account.databases[name]

    def database(self, name: str) -> Database:
        """A database that a SHOW names."""
        found = self.account.databases.get(name)
        if found is None or not self.privileges("DATABASE", name):
            raise missing_scope()
        return found

    def schemas(self, database: Database) -> Iterator[Schema]:
        """By name."""
        for name in sorted(database.schemas):
            if self.privileges("SCHEMA", database.name, name):
                yield database.schemas[name]

    def schema(self, path: Path) -> tuple[Database, Schema]:
        """A schema that a SHOW names."""
        database = self.database(path[0])
        found = database.schemas.get(path[1])
        if found is None or not self.privileges("SCHEMA", *path):
            raise missing_scope()
        return database, found

    def relations(self, database: Database, schema: Schema) -> Iterator[Relation]:
        """Tables and views by name."""
        for name in sorted(schema.relations):
            if self.privileges("RELATION", database.name, schema.name, name):
                yield schema.relations[name]

    def relation(self, path: Path, kind: str = "Object") -> tuple[Database, Schema, Relation]:
        """A table or a view that a statement names."""
        database = self.account.databases.get(path[0])
        if database is None or not self.privileges("DATABASE", path[0]):
            raise missing("Database", written(path[:1]))
        schema = database.schemas.get(path[1])
        if schema is None or not self.privileges("SCHEMA", *path[:2]):
            raise missing("Schema", written(path[:2]))
        relation = schema.relations.get(path[2])
        if relation is None or not self.privileges("RELATION", *path):
            raise missing(kind, written(path))
        return database, schema, relation

    def data(self, path: Path) -> Relation:
        """A table or view whose rows a query reads.

        Raises:
            SqlError: it is not there for the role, or the role sees its structure alone.
        """
        relation = self.relation(path)[2]
        if not self.privileges("RELATION", *path) & {"SELECT", "OWNERSHIP"}:
            raise no_privilege(relation.granted_on, relation.name)
        return relation

    def warehouses(self) -> Iterator[Warehouse]:
        """By name."""
        for name in sorted(self.account.warehouses):
            if self.privileges("WAREHOUSE", name):
                yield self.account.warehouses[name]

    def may_use(self, warehouse: str) -> bool:
        """Whether queries of the session can run there."""
        return bool(self.privileges("WAREHOUSE", warehouse) & {"USAGE", "OWNERSHIP"})

    def viewers(self) -> set[str]:
        """The database roles of SNOWFLAKE that are held; the imported privileges hold all."""
        if "IMPORTED PRIVILEGES" in self.privileges("DATABASE", "SNOWFLAKE") or "ACCOUNTADMIN" in self.roles:
            return set(VIEWERS)
        return {viewer for role in self.roles for viewer in self.account.opened(role)}
