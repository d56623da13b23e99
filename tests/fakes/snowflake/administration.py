"""What administrators say: grants, and simple forms of CREATE, ALTER, DROP, COMMENT and INSERT.

It runs beside the wire, as ACCOUNTADMIN, and is no statement of the reader: sessions get a syntax error for it.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.fakes.snowflake.account import Account
from tests.fakes.snowflake.catalog import Column, Relation, Schema
from tests.fakes.snowflake.definitions import created, inserted
from tests.fakes.snowflake.errors import missing
from tests.fakes.snowflake.granting import Granting
from tests.fakes.snowflake.names import Path, Tokens, split, written


class Administrator:
    """Runs scripts against an account."""

    def __init__(self, account: Account) -> None:
        self._account = account
        self._granting = Granting(account)

    def run(self, script: str) -> None:
        """Run statements one after the other; names are written whole.

        Raises:
            SqlError: one of them is not known or refused; those before it are done.
        """
        for sql in split(script):
            self._one(sql)

    def _one(self, sql: str) -> None:
        tokens = Tokens(sql)
        words: dict[str, Callable[[], None]] = {
            "GRANT": lambda: self._granting.run(tokens, give=True),
            "REVOKE": lambda: self._granting.run(tokens, give=False),
            "CREATE": lambda: self._create(tokens, sql),
            "ALTER": lambda: self._alter(tokens),
            "DROP": lambda: self._drop(tokens),
            "COMMENT": lambda: self._comment(tokens),
            "INSERT": lambda: self._insert(sql),
            "USE": lambda: None,
        }
        word = tokens.next.text.upper()
        if word not in words:
            raise tokens.error()
        tokens.word()
        words[word]()

    def _create(self, tokens: Tokens, sql: str) -> None:
        replace = tokens.take("OR", "REPLACE")
        if tokens.take("DATABASE", "ROLE"):
            tokens.take("IF", "NOT", "EXISTS")
            self._account.role(written(tokens.path()))
            return
        for kind in ("DATABASE", "SCHEMA", "ROLE", "USER", "WAREHOUSE"):
            if tokens.take(kind):
                tokens.take("IF", "NOT", "EXISTS")
                self._container(kind, tokens)
                return
        path, relation, unless = created(sql, self._account)
        schema = self._schema(path)
        if relation.name in schema.relations and (unless or not replace):
            if unless:
                return
            raise missing("New", written(path))
        if relation.name in schema.relations:
            self._forget(schema, path)
        relation.created = self._account.now()
        schema.add(relation)
        self._account.came(path, relation)

    def _container(self, kind: str, tokens: Tokens) -> None:
        path = tokens.path()
        properties = _properties(tokens)
        if kind == "DATABASE":
            self._account.database(path[0], created=self._account.now())
        elif kind == "SCHEMA":
            database = self._account.databases.get(path[0])
            if database is None or len(path) != 2:
                raise missing("Database", written(path[:1]))
            if path[1] not in database.schemas:
                database.schema(path[1], created=self._account.now())
                self._account.came(path)
        elif kind == "ROLE":
            self._account.role(path[0])
        elif kind == "WAREHOUSE":
            self._account.warehouse(path[0])
        elif path[0] not in self._account.users:
            self._account.user(path[0])
            self._user(path[0], properties)

    def _user(self, name: str, properties: dict[str, str]) -> None:
        user = self._account.users.get(name)
        if user is None:
            raise missing("User", written((name,)))
        user.password = properties.get("PASSWORD", user.password)
        user.default_role = properties.get("DEFAULT_ROLE", user.default_role)
        user.default_warehouse = properties.get("DEFAULT_WAREHOUSE", user.default_warehouse)
        if "RSA_PUBLIC_KEY" in properties:
            body = properties["RSA_PUBLIC_KEY"].replace("\n", "")
            user.public_keys = [f"-----BEGIN PUBLIC KEY-----\n{body}\n-----END PUBLIC KEY-----\n"]
        if "DEFAULT_SECONDARY_ROLES" in properties:
            user.secondary_roles = "ALL" in properties["DEFAULT_SECONDARY_ROLES"].upper()

    def _alter(self, tokens: Tokens) -> None:
        if tokens.take("USER"):
            name = tokens.name()
            tokens.expect("SET")
            self._user(name, _properties(tokens))
            return
        tokens.expect("TABLE")
        path = tokens.path()
        relation = self._relation(path)
        if tokens.take("RENAME", "TO"):
            new = tokens.path()
            tokens.finish()
            schema = self._schema(path)
            del schema.relations[path[2]]
            relation.name = new[-1]
            schema.add(relation)
            self._account.moved(path, (*path[:2], new[-1]))
        elif tokens.take("ADD", "COLUMN"):
            name = tokens.name()
            relation.altered = self._account.now()
            relation.columns.append(Column(name, "".join(token.text for token in tokens.rest())))
        elif tokens.take("DROP", "COLUMN"):
            gone = tokens.name()
            relation.altered = self._account.now()
            at = [column.name for column in relation.columns].index(gone)
            relation.columns.pop(at)
            relation.rows = [row[:at] + row[at + 1 :] for row in relation.rows]
        else:
            raise tokens.error()

    def _drop(self, tokens: Tokens) -> None:
        while tokens.take("MATERIALIZED") or tokens.take("DYNAMIC") or tokens.take("EXTERNAL"):
            pass
        kind = tokens.word()
        perhaps = tokens.take("IF", "EXISTS")
        path = tokens.path()
        if not (tokens.take("CASCADE") or tokens.take("RESTRICT")):
            tokens.finish()
        try:
            self._drop_one(kind, path)
        except KeyError as error:
            if not perhaps:
                raise missing(kind.title(), written(path)) from error

    def _drop_one(self, kind: str, path: Path) -> None:
        now = self._account.now()
        if kind == "DATABASE":
            database = self._account.databases.pop(path[0])
            database.dropped = now
            self._account.dropped_databases.append(database)
        elif kind == "SCHEMA":
            schema = self._account.databases[path[0]].schemas.pop(path[1])
            schema.dropped = now
            self._account.databases[path[0]].dropped_schemas.append(schema)
        elif kind in ("TABLE", "VIEW"):
            self._forget(self._account.databases[path[0]].schemas[path[1]], path)
        else:
            raise Tokens(kind).error()
        self._account.went(path)

    def _forget(self, schema: Schema, path: Path) -> None:
        relation = schema.relations.pop(path[2])
        relation.dropped = self._account.now()
        schema.dropped_relations.append(relation)
        self._account.went(path)

    def _comment(self, tokens: Tokens) -> None:
        tokens.expect("ON")
        kind = tokens.word()
        path = tokens.path()
        tokens.expect("IS")
        text = tokens.text()
        tokens.finish()
        if kind == "COLUMN":
            relation = self._relation(path[:3])
            next(column for column in relation.columns if column.name == path[3]).comment = text
        elif kind == "SCHEMA":
            self._schema(path).comment = text
        else:
            self._relation(path).comment = text

    def _insert(self, sql: str) -> None:
        path, rows = inserted(sql)
        self._relation(path).rows.extend(rows)

    def _schema(self, path: Path) -> Schema:
        database = self._account.databases.get(path[0])
        if database is None or len(path) < 2 or path[1] not in database.schemas:
            raise missing("Schema", written(path[:2]))
        return database.schemas[path[1]]

    def _relation(self, path: Path) -> Relation:
        schema = self._schema(path)
        if path[2] not in schema.relations:
            raise missing("Table", written(path))
        return schema.relations[path[2]]


def _properties(tokens: Tokens) -> dict[str, str]:
    """`NAME = value` after each other; a value is a word, a literal, or a list in brackets."""
    found: dict[str, str] = {}
    rest = tokens.rest()
    at = 0
    while at < len(rest):
        name = rest[at].text.upper()
        if at + 1 < len(rest) and rest[at + 1].text == "=":
            at += 2
            if at < len(rest) and rest[at].text == "(":
                end = next(n for n in range(at, len(rest)) if rest[n].text == ")")
                found[name] = " ".join(token.text for token in rest[at : end + 1])
                at = end + 1
                continue
            token = rest[at]
            found[name] = token.text[1:-1] if token.kind == "text" else token.name
        at += 1
    return found
