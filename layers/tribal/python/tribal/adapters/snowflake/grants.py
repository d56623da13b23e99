"""What a role may do, with the roles that are granted to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tribal.adapters.snowflake import statements
from tribal.adapters.snowflake.connections.connection import Answer
from tribal.adapters.snowflake.connections.errors import NO_PRIVILEGE, is_too_much, is_unknown_object, number_of
from tribal.adapters.snowflake.names import identifier, path, split_name
from tribal.adapters.snowflake.reading.questions import SHOW_ROWS
from tribal.adapters.snowflake.rows import GrantRow
from tribal.errors import DatabaseError
from tribal.ports import SchemaAndTable

OWNERSHIP = "OWNERSHIP"
SELECT = "SELECT"
_USAGE = "USAGE"
_PUBLIC = "PUBLIC"
_MOST_ROLES = 50
"""By judgement: a role that leads to more is a person's, and no reader's."""
_READS = frozenset("USAGE SELECT REFERENCES MONITOR READ IMPORTED_PRIVILEGES OPERATE RESOLVE_ALL".split())
_WITH_CONTENT = ("TABLE", "VIEW")
_PLACES = frozenset({"DATABASE", "SCHEMA"})
_VIEWERS = frozenset({"SNOWFLAKE.OBJECT_VIEWER"})
ADMINISTRATORS = frozenset("ACCOUNTADMIN SECURITYADMIN SYSADMIN USERADMIN ORGADMIN GLOBALORGADMIN".split())


@dataclass(frozen=True, slots=True)
class Grants:
    """What a role may do; `known` is false if Snowflake did not list all of it."""

    rows: tuple[GrantRow, ...]
    roles: frozenset[str]
    """The role itself, and those granted to it."""
    database_roles: frozenset[str]
    known: bool

    def selectable(self, database: str) -> frozenset[SchemaAndTable]:
        """The tables and views of a database whose rows the role may read."""
        return frozenset(
            (names[1], names[2])
            for row in self.rows
            if row.privilege in (SELECT, OWNERSHIP) and _has_content(row)
            for names in [split_name(row.name)]
            if len(names) == 3 and names[0] == database
        )

    def writes(self, database: str) -> list[GrantRow]:
        """What the role may do in a database, or on all of them, beyond reading; in order."""
        found = {row for row in self.rows if _is_write(row) and _is_inside(row, database)}
        return sorted(found, key=lambda row: (row.granted_on, row.name, row.privilege))

    @property
    def object_viewer(self) -> bool:
        """Whether the role may read `ACCOUNT_USAGE` about objects."""
        imported = any(
            row.granted_on == "DATABASE"
            and row.privilege in (_USAGE, "IMPORTED PRIVILEGES")
            and row.name == "SNOWFLAKE"
            for row in self.rows
        )
        return imported or bool(self.database_roles & _VIEWERS) or "ACCOUNTADMIN" in self.roles


def read_grants(ask: Callable[[str], Answer], role: str | None) -> Grants:
    """The grants of a role, of the roles granted to it, and of `PUBLIC`."""
    roles = [role, _PUBLIC] if role else [_PUBLIC]
    database_roles: list[str] = []
    rows: list[GrantRow] = []
    known = role is not None
    asked = 0
    for each in roles:
        if asked >= _MOST_ROLES:
            known = False
            break
        asked += 1
        found = _grants(ask, statements.GRANTS_TO_ROLE.format(role=identifier(each)))
        known = known and found is not None
        rows.extend(found or ())
        roles.extend(name for name in _granted(found or (), "ROLE") if name not in roles)
        database_roles.extend(n for n in _granted(found or (), "DATABASE_ROLE") if n not in database_roles)
    for each in database_roles:
        if each in _VIEWERS or split_name(each)[0] == "SNOWFLAKE":
            continue
        if asked >= _MOST_ROLES:
            known = False
            break
        asked += 1
        found = _grants(ask, statements.GRANTS_TO_DATABASE_ROLE.format(role=path(*split_name(each))))
        known = known and found is not None
        rows.extend(found or ())
        database_roles.extend(n for n in _granted(found or (), "DATABASE_ROLE") if n not in database_roles)
    names = frozenset(".".join(split_name(name)) for name in database_roles)
    return Grants(tuple(rows), frozenset(roles), names, known)


def _grants(ask: Callable[[str], Answer], sql: str) -> list[GrantRow] | None:
    try:
        rows = ask(sql).as_rows(GrantRow)
    except DatabaseError as error:
        if is_too_much(error) or is_unknown_object(error) or number_of(error) == NO_PRIVILEGE:
            return None
        raise
    rows = [row._replace(granted_on=row.granted_on.replace(" ", "_")) for row in rows]
    return rows if len(rows) < SHOW_ROWS else None


def _granted(rows: Iterable[GrantRow], kind: str) -> list[str]:
    found = (row.name for row in rows if row.granted_on == kind and row.privilege == _USAGE)
    return [".".join(split_name(name)) if kind == "ROLE" else name for name in found]


def _has_content(row: GrantRow) -> bool:
    return row.granted_on.endswith(_WITH_CONTENT)


def _is_write(row: GrantRow) -> bool:
    if row.granted_on in ("ROLE", "DATABASE_ROLE", "WAREHOUSE"):
        return False
    return row.privilege.replace(" ", "_") not in _READS and (_has_content(row) or row.granted_on in _PLACES)


def _is_inside(row: GrantRow, database: str) -> bool:
    return split_name(row.name)[:1] == [database]
