"""The statements that are known: what is not here is a syntax error, whatever Snowflake makes of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from tests.fakes.snowflake import show_keys, shows
from tests.fakes.snowflake.account import Account
from tests.fakes.snowflake.catalog import Warehouse
from tests.fakes.snowflake.errors import missing, no_warehouse
from tests.fakes.snowflake.limits import Limits
from tests.fakes.snowflake.names import Tokens, written
from tests.fakes.snowflake.results import Result, ok
from tests.fakes.snowflake.selects import Plan, Select
from tests.fakes.snowflake.sessions import Session
from tests.fakes.snowflake.showing import ToolClient
from tests.fakes.snowflake.visibility import Sight

_SELECT = re.compile(r"\s*SELECT\b", re.IGNORECASE)
_SHOWS: dict[tuple[str, ...], Callable[[Tokens, ToolClient], Result]] = {
    ("DATABASES",): shows.databases,
    ("SCHEMAS",): shows.schemas,
    ("TABLES",): shows.tables,
    ("VIEWS",): shows.views,
    ("COLUMNS",): shows.columns,
    ("INDEXES",): shows.indexes,
    ("WAREHOUSES",): shows.warehouses,
    ("PRIMARY", "KEYS"): show_keys.primary_keys,
    ("UNIQUE", "KEYS"): show_keys.unique_keys,
    ("IMPORTED", "KEYS"): show_keys.imported_keys,
    ("GRANTS",): show_keys.grants,
}


@dataclass
class Statement:
    """A statement that is in the grammar, and whether it runs on a warehouse."""

    run: Callable[[], Result]
    needs_warehouse: bool = False


class Statements:
    """Reads the statements of one account's sessions."""

    def __init__(self, account: Account, limits: Limits) -> None:
        self._account = account
        self._limits = limits

    def read(self, sql: str, session: Session, bindings: list[str | None] | None = None) -> Statement:
        """What a statement asks.

        Raises:
            SqlError: it is not in the grammar.
        """
        if _SELECT.match(sql):
            plan = Plan(sql, bindings or [])
            return Statement(
                lambda: Select(plan, self._asker(session), session.parameters).result(),
                needs_warehouse=plan.needs_warehouse,
            )
        tokens = Tokens(sql)
        if tokens.take("SHOW"):
            for words, show in _SHOWS.items():
                if tokens.take(*words):
                    return Statement(partial(self._show, show, tokens, session))
        elif tokens.take("USE"):
            return Statement(lambda: self._use(tokens, session))
        raise tokens.error()

    def warehouse(self, session: Session) -> Warehouse:
        """Where the session's queries run.

        Raises:
            SqlError: it has none, or one that is not its role's to use.
        """
        name = session.warehouse
        if name is None or name not in self._account.warehouses or not self._sight(session).may_use(name):
            raise no_warehouse()
        return self._account.warehouses[name]

    def _sight(self, session: Session) -> Sight:
        return Sight(self._account, session.roles)

    def _asker(self, session: Session) -> ToolClient:
        return ToolClient(
            self._sight(session), self._limits, session.role, session.user.name, session.database, session.warehouse
        )

    def _show(self, show: Callable[[Tokens, ToolClient], Result], tokens: Tokens, session: Session) -> Result:
        return show(tokens, self._asker(session))

    def _use(self, tokens: Tokens, session: Session) -> Result:
        if tokens.take("SECONDARY", "ROLES"):
            every = tokens.take("ALL")
            if not every:
                tokens.expect("NONE")
            tokens.finish()
            session.secondary_roles = every
            return ok()
        kind = tokens.word() if tokens.next.text.upper() in ("WAREHOUSE", "ROLE", "DATABASE") else ""
        if not kind:
            raise tokens.error()
        name = tokens.name()
        tokens.finish()
        if kind == "WAREHOUSE":
            if not self._sight(session).may_use(name):
                raise missing("Warehouse", written((name,)))
            session.warehouse = name
        elif kind == "ROLE":
            if name != "PUBLIC" and name not in session.user.roles:
                raise missing("Role", written((name,)))
            session.role = name
        else:
            if not self._sight(session).privileges("DATABASE", name):
                raise missing("Database", written((name,)))
            session.database = name
        return ok()
