"""An account: its objects, who owns them, and what was granted to whom."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from tests.fakes.snowflake.catalog import Database, Kind, Relation, Schema, User, Warehouse
from tests.fakes.snowflake.errors import SqlError
from tests.fakes.snowflake.names import Path, written

Where = Literal["DATABASE", "SCHEMA", "RELATION", "WAREHOUSE", "ROLE", "DATABASE_ROLE", "ACCOUNT"]
"""Tables and views share their names, so grants on them do."""

SYSTEM_ROLES = ("ACCOUNTADMIN", "SECURITYADMIN", "USERADMIN", "SYSADMIN", "PUBLIC")
VIEWERS = ("OBJECT_VIEWER", "GOVERNANCE_VIEWER", "USAGE_VIEWER", "SECURITY_VIEWER")
"""Database roles of SNOWFLAKE: https://docs.snowflake.com/en/sql-reference/snowflake-db-roles"""

MEMBERS: dict[str, tuple[Kind, ...]] = {
    "TABLE": ("table", "transient", "iceberg", "hybrid", "event"),
    "ICEBERG TABLE": ("iceberg",),
    "EXTERNAL TABLE": ("external",),
    "DYNAMIC TABLE": ("dynamic",),
    "VIEW": ("view", "secure_view"),
    "MATERIALIZED VIEW": ("materialized",),
}
"""What `ALL` and `FUTURE` mean of a kind; each kind has its own grants:
https://docs.snowflake.com/en/sql-reference/sql/grant-privilege (that TABLE covers Iceberg and hybrid is assumed)"""

PRIVILEGES = {
    "DATABASE": "USAGE MONITOR MODIFY OWNERSHIP APPLYBUDGET|CREATE SCHEMA|IMPORTED PRIVILEGES",
    "SCHEMA": "USAGE MONITOR MODIFY OWNERSHIP APPLYBUDGET|CREATE TABLE|CREATE VIEW",
    "TABLE": "SELECT INSERT UPDATE DELETE TRUNCATE REFERENCES OWNERSHIP APPLYBUDGET|EVOLVE SCHEMA",
    "ICEBERG TABLE": "SELECT INSERT UPDATE DELETE TRUNCATE REFERENCES OWNERSHIP APPLYBUDGET",
    "EXTERNAL TABLE": "SELECT REFERENCES OWNERSHIP",
    "DYNAMIC TABLE": "SELECT MONITOR OPERATE OWNERSHIP",
    "VIEW": "SELECT REFERENCES OWNERSHIP",
    "MATERIALIZED VIEW": "SELECT REFERENCES OWNERSHIP APPLYBUDGET",
    "WAREHOUSE": "USAGE MONITOR MODIFY OPERATE OWNERSHIP APPLYBUDGET",
}
"""https://docs.snowflake.com/en/sql-reference/sql/grant-privilege, those that the tests of a reader can want."""


@dataclass(frozen=True)
class Grant:
    """A privilege on an object, for a role."""

    privilege: str
    where: Where
    granted_on: str
    path: Path
    option: bool = False
    since: datetime = datetime(2024, 5, 2, tzinfo=UTC)


@dataclass(frozen=True)
class FutureGrant:
    """A privilege on what will be made."""

    privilege: str
    granted_on: str
    scope: Path
    role: str


@dataclass
class Role:
    """A role, what it was granted, and the roles that it was granted; a database role goes by its whole name."""

    name: str
    grants: dict[tuple[str, Where, Path], Grant] = field(default_factory=dict)
    roles: set[str] = field(default_factory=set)
    database_roles: set[Path] = field(default_factory=set)


@dataclass
class Account:
    """Everything behind the wire."""

    name: str = "fake"
    databases: dict[str, Database] = field(default_factory=dict)
    warehouses: dict[str, Warehouse] = field(default_factory=dict)
    users: dict[str, User] = field(default_factory=dict)
    roles: dict[str, Role] = field(default_factory=lambda: {name: Role(name) for name in SYSTEM_ROLES})
    future: list[FutureGrant] = field(default_factory=list)
    dropped_databases: list[Database] = field(default_factory=list)
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    usage_lags: bool = False
    """Whether ACCOUNT_USAGE does not know yet what was dropped; it may be hours behind."""
    drops_mark_what_they_hold: bool = True
    """Whether a dropped schema's tables have a time of deletion of their own in ACCOUNT_USAGE; assumed."""

    def database(self, name: str, **more: object) -> Database:
        """A database, made where it is not there."""
        if name not in self.databases:
            self.databases[name] = Database(name, **more)  # type: ignore[arg-type]
        return self.databases[name]

    def role(self, name: str) -> Role:
        """A role, made where it is not there."""
        return self.roles.setdefault(name, Role(name))

    def warehouse(self, name: str, **more: object) -> Warehouse:
        """A warehouse, made where it is not there."""
        if name not in self.warehouses:
            self.warehouses[name] = Warehouse(name, **more)  # type: ignore[arg-type]
        return self.warehouses[name]

    def user(self, name: str, *roles: str, **more: object) -> User:
        """A user with these roles, the first of them the default; roles are made where they are not there."""
        for role in roles:
            self.role(role)
        default = roles[0] if roles else None
        made = User(name, roles=set(roles), **{"default_role": default, **more})  # type: ignore[arg-type]
        self.users[name] = made
        return made

    def grant(self, role: str, privilege: str, granted_on: str, *path: str, option: bool = False) -> None:
        """Grant one privilege on one object."""
        held = Grant(privilege, where(granted_on), granted_on, path, option, self.now())
        self.role(role).grants[privilege, held.where, path] = held

    def revoke(self, role: str, privilege: str, granted_on: str, *path: str) -> None:
        """Take a privilege away; one that is not held is no error."""
        self.role(role).grants.pop((privilege, where(granted_on), path), None)

    def opened(self, role: str) -> set[str]:
        """The database roles of SNOWFLAKE that a role holds itself."""
        return {path[1] for path in self.role(role).database_roles if path[0] == "SNOWFLAKE"}

    def all_of(self, role: str) -> set[str]:
        """A role and all that it inherits; everyone is PUBLIC."""
        reached: set[str] = set()
        coming = [role, "PUBLIC"]
        while coming:
            name = coming.pop()
            if name not in reached and name in self.roles:
                reached.add(name)
                coming.extend(self.roles[name].roles)
                coming.extend(map(written, self.roles[name].database_roles))
        return reached

    def owners(self) -> Iterator[tuple[str, Where, Path]]:
        """Who owns what."""
        for database in self.databases.values():
            yield database.owner, "DATABASE", (database.name,)
            for schema in database.schemas.values():
                yield schema.owner, "SCHEMA", (database.name, schema.name)
                for relation in schema.relations.values():
                    yield relation.owner, "RELATION", (database.name, schema.name, relation.name)
        for warehouse in self.warehouses.values():
            yield warehouse.owner, "WAREHOUSE", (warehouse.name,)

    def members(self, plural: str, scope: Path) -> Iterator[tuple[Path, Schema, Relation]]:
        """Tables or views of a kind in a schema or a database."""
        kinds = MEMBERS[plural]
        database = self.databases.get(scope[0])
        for schema in database.schemas.values() if database else ():
            if len(scope) > 1 and schema.name != scope[1]:
                continue
            for relation in schema.relations.values():
                if relation.kind in kinds:
                    yield (scope[0], schema.name, relation.name), schema, relation

    def came(self, path: Path, relation: Relation | None = None) -> None:
        """Grant what was promised for the future; a promise for the schema outweighs those for the database.

        https://docs.snowflake.com/en/sql-reference/sql/grant-privilege#future-grants-on-database-or-schema-objects
        """
        kinds = [name for name, kinds in MEMBERS.items() if relation and relation.kind in kinds] or ["SCHEMA"]
        granted_on = relation.granted_on if relation else "SCHEMA"
        promised = [each for each in self.future if each.granted_on in kinds and path[: len(each.scope)] == each.scope]
        closest = max((len(each.scope) for each in promised), default=0)
        for each in promised:
            if len(each.scope) == closest:
                self.grant(each.role, each.privilege, granted_on, *path)

    def moved(self, old: Path, new: Path) -> None:
        """Grants stay with a table that was renamed."""
        for role in self.roles.values():
            for key in [key for key in role.grants if key[1] == "RELATION" and key[2] == old]:
                held = role.grants.pop(key)
                self.grant(role.name, held.privilege, held.granted_on, *new, option=held.option)

    def went(self, path: Path) -> None:
        """Forget the grants on an object that was dropped, and on all that was in it."""
        for role in self.roles.values():
            gone = [key for key in role.grants if key[1] != "WAREHOUSE" and key[2][: len(path)] == path]
            for key in gone:
                del role.grants[key]


def where(granted_on: str) -> Where:
    """The space of names that a kind of object is in."""
    if granted_on in ("DATABASE", "SCHEMA", "WAREHOUSE", "ACCOUNT"):
        return granted_on  # type: ignore[return-value]
    return "RELATION"


def allowed(granted_on: str) -> set[str]:
    """The privileges that a kind of object knows.

    Raises:
        SqlError: there is no such kind.
    """
    if granted_on not in PRIVILEGES:
        raise SqlError("001003", "42000", f"SQL compilation error:\nsyntax error unexpected '{granted_on}'.")
    single, *longer = PRIVILEGES[granted_on].split("|")
    return {*single.split(), *longer}
