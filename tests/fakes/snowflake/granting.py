"""GRANT and REVOKE, as administrators write them.

https://docs.snowflake.com/en/sql-reference/sql/grant-privilege , .../grant-role , .../grant-database-role ,
.../grant-ownership
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tests.fakes.snowflake.account import MEMBERS, VIEWERS, Account, FutureGrant, allowed, where
from tests.fakes.snowflake.errors import SqlError, missing
from tests.fakes.snowflake.names import Path, Tokens, written

_PLURALS = {**{f"{kind}S".replace("YS", "IES"): kind for kind in MEMBERS}, "SCHEMAS": "SCHEMA"}
_SINGLE = ("DATABASE", "SCHEMA", "WAREHOUSE", *MEMBERS)


@dataclass(frozen=True)
class _Objects:
    """What privileges are granted on: one object, or all (or the future ones) of a kind in a scope."""

    granted_on: str
    path: Path
    many: str = ""


class Granting:
    """Changes who may do what in an account."""

    def __init__(self, account: Account) -> None:
        self._account = account

    def run(self, tokens: Tokens, *, give: bool) -> None:
        """What comes after GRANT or REVOKE."""
        if tokens.take("ROLE"):
            self._role(tokens, give=give)
        elif tokens.take("DATABASE", "ROLE"):
            self._database_role(tokens, give=give)
        else:
            self._privileges(tokens, give=give)

    def _role(self, tokens: Tokens, *, give: bool) -> None:
        role = self._known_role(tokens.name())
        tokens.expect("TO" if give else "FROM")
        if tokens.take("USER"):
            name = tokens.name()
            if name not in self._account.users:
                raise missing("User", written((name,)))
            holders = self._account.users[name].roles
        else:
            tokens.expect("ROLE")
            holders = self._account.roles[self._known_role(tokens.name())].roles
        tokens.finish()
        (holders.add if give else holders.discard)(role)

    def _database_role(self, tokens: Tokens, *, give: bool) -> None:
        path = tokens.path()
        if path not in {("SNOWFLAKE", each) for each in VIEWERS} and written(path) not in self._account.roles:
            raise missing("Database role", written(path))
        tokens.expect("TO" if give else "FROM")
        held = self._account.roles[self._grantee(tokens)].database_roles
        tokens.finish()
        (held.add if give else held.discard)(path)

    def _privileges(self, tokens: Tokens, *, give: bool) -> None:
        option = not give and tokens.take("GRANT", "OPTION", "FOR")
        wanted = self._list(tokens)
        tokens.expect("ON")
        objects = self._objects(tokens)
        tokens.expect("TO" if give else "FROM")
        role = self._grantee(tokens)
        with_option = tokens.take("WITH", "GRANT", "OPTION") or option
        if not (tokens.take("COPY", "CURRENT", "GRANTS") or tokens.take("REVOKE", "CURRENT", "GRANTS")):
            tokens.take("CASCADE")
        tokens.finish()
        for privilege in self._checked(wanted, objects):
            if objects.many == "FUTURE":
                self._promise(FutureGrant(privilege, objects.granted_on, objects.path, role), give=give)
                continue
            for granted_on, path in self._each(objects):
                if privilege == "OWNERSHIP":
                    self._own(path, granted_on, role)
                elif give:
                    self._account.grant(role, privilege, granted_on, *path, option=with_option)
                else:
                    self._account.revoke(role, privilege, granted_on, *path)

    def _list(self, tokens: Tokens) -> list[str]:
        wanted = [self._words(tokens)]
        while tokens.take(","):
            wanted.append(self._words(tokens))
        return wanted

    def _words(self, tokens: Tokens) -> str:
        words = [tokens.word()]
        while tokens.next.kind == "word" and tokens.next.text.upper() != "ON":
            words.append(tokens.word())
        return " ".join(words)

    def _objects(self, tokens: Tokens) -> _Objects:
        for many in ("ALL", "FUTURE"):
            if tokens.take(many):
                kind = _kind(tokens, _PLURALS)
                tokens.expect("IN")
                depth = 1 if tokens.take("DATABASE") else 2
                if depth == 2:
                    tokens.expect("SCHEMA")
                return _Objects(_PLURALS[kind], self._there(tokens.path(), depth), many)
        kind = _kind(tokens, dict.fromkeys(_SINGLE))
        path = tokens.path()
        if kind == "WAREHOUSE":
            if path[0] not in self._account.warehouses:
                raise missing("Warehouse", written(path))
            return _Objects(kind, path)
        depth = {"DATABASE": 1, "SCHEMA": 2}.get(kind, 3)
        if path == ("SNOWFLAKE",):
            return _Objects(kind, path)
        return _Objects(kind, self._there(path, depth))

    def _there(self, path: Path, depth: int) -> Path:
        database = self._account.databases.get(path[0])
        schema = database.schemas.get(path[1]) if database and len(path) > 1 else None
        if len(path) != depth or database is None or (depth > 1 and schema is None):
            raise missing("Object", written(path))
        if depth == 3 and path[2] not in (schema.relations if schema else ()):
            raise missing("Object", written(path))
        return path

    def _checked(self, wanted: list[str], objects: _Objects) -> list[str]:
        known = allowed(objects.granted_on)
        if wanted in (["ALL"], ["ALL PRIVILEGES"]):
            return sorted(known - {"OWNERSHIP", "IMPORTED PRIVILEGES"})
        for privilege in wanted:
            if privilege not in known:
                text = f"SQL compilation error:\nInvalid privilege '{privilege}' for object type {objects.granted_on}."
                raise SqlError("003008", "42601", text)
        return wanted

    def _each(self, objects: _Objects) -> Iterator[tuple[str, Path]]:
        if not objects.many:
            yield objects.granted_on, objects.path
        elif objects.granted_on == "SCHEMA":
            yield from (("SCHEMA", (*objects.path, name)) for name in self._account.databases[objects.path[0]].schemas)
        else:
            for path, _, relation in self._account.members(objects.granted_on, objects.path):
                yield relation.granted_on, path

    def _promise(self, promised: FutureGrant, *, give: bool) -> None:
        if promised in self._account.future:
            self._account.future.remove(promised)
        if give:
            self._account.future.append(promised)

    def _own(self, path: Path, granted_on: str, role: str) -> None:
        if where(granted_on) == "WAREHOUSE":
            self._account.warehouses[path[0]].owner = role
            return
        database = self._account.databases[path[0]]
        if len(path) == 1:
            database.owner = role
        elif len(path) == 2:
            database.schemas[path[1]].owner = role
        else:
            database.schemas[path[1]].relations[path[2]].owner = role

    def _grantee(self, tokens: Tokens) -> str:
        if tokens.take("DATABASE", "ROLE"):
            return self._known_role(written(tokens.path()))
        tokens.expect("ROLE")
        return self._known_role(tokens.name())

    def _known_role(self, name: str) -> str:
        if name not in self._account.roles:
            raise missing("Role", written((name,)))
        return name


def _kind(tokens: Tokens, kinds: dict[str, str] | dict[str, None]) -> str:
    for kind in sorted(kinds, key=len, reverse=True):
        if tokens.take(*kind.split()):
            return kind
    raise tokens.error()
