"""Finds the column that a name means in the place where it is used, as the server does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from tribal.sql.checking.findings import Notes
from tribal.sql.checking.known import KnownTables
from tribal.sql.checking.relations import Column, Level, Relation, Use
from tribal.sql.dialect import fold, quote_identifier
from tribal.sql.parsing import Token, TokenType, exp
from tribal.sql.statements.templates import PLACEHOLDER
from tribal_contracts import DatabaseType

_MOST_NAMES = 5_000
"""More are compared only without case. By judgement: difflib takes about 20 microseconds for each."""
_SYSTEM_COLUMNS = frozenset("ctid xmin xmax cmin cmax tableoid".split())
CALLED_WITHOUT_PARENTHESES = frozenset(
    """
    current_catalog current_date current_role current_schema current_time current_timestamp current_user localtime
    localtimestamp session_user system_user user
    """.split()
)
_MOST_SHOWN = 5


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that is spelled most like a name: first of all one that differs in case only."""
    names = list(dict.fromkeys(known))
    folded = name.casefold()
    for each in names:
        if each.casefold() == folded:
            return each
    if len(names) > _MOST_NAMES or len(name) > 128:
        return None
    by_folded = {each.casefold(): each for each in reversed(names)}
    found = get_close_matches(folded, by_folded, 1, cutoff=0.7)
    return by_folded[found[0]] if found else None


def written(parts: Sequence[str], dialect: DatabaseType) -> str:
    """A name in SQL, quoted where it has to be."""
    return ".".join(quote_identifier(part, dialect) for part in parts)


def offset_of(node: exp.Expr) -> int:
    """Where a node begins in the text; that of the first name or literal in it, if it has no place of its own."""
    for each in (node, *node.find_all(exp.Identifier, exp.Literal, exp.Func)):
        if "start" in each.meta:
            return int(each.meta["start"])
    return 0


class Names:
    """Resolves names of columns.

    Attributes:
        uses: the columns that were found, by the id of the node that names them.
    """

    def __init__(self, known: KnownTables, notes: Notes) -> None:
        self.known = known
        self.notes = notes
        self.uses: dict[int, Use] = {}

    def stored(self, identifier: exp.Expr) -> str:
        """The name that the server looks up for an identifier."""
        name = identifier.name
        return name if identifier.args.get("quoted") else fold(name, self.known.dialect)

    def stored_token(self, token: Token) -> str:
        """The name that the server looks up for a token."""
        return token.text if token.token_type is TokenType.IDENTIFIER else fold(token.text, self.known.dialect)

    def resolve(self, node: exp.Column, level: Level | None) -> None:
        """Find a column, or report that its name is unknown."""
        if any(PLACEHOLDER.search(part.name) for part in node.parts):
            return
        if node.args.get("table") is not None:
            self._qualified(node, level)
        elif isinstance(node.this, exp.Identifier):
            self._unqualified(node, level)

    def use(self, node: exp.Expr, relation: Relation, column: Column) -> None:
        """Note that a node means a column."""
        self.uses[id(node)] = relation, column
        self.note(column)

    def note(self, column: Column) -> None:
        """Note that the query uses a column."""
        if column.origin is not None:
            table, known = column.origin
            self.notes.columns[table.name, known.name] = None

    def _unqualified(self, node: exp.Column, level: Level | None) -> None:
        name = self.stored(node.this)
        for each in level or ():
            found = each.item.find(name)
            if len(found) == 1:
                self.use(node, *found[0])
            if len(found) > 1:
                self._report_ambiguous(node.this, name, [relation for relation, _ in found])
            is_system = name in _SYSTEM_COLUMNS and any(one.has_system_columns for one in each.item.relations)
            if found or is_system or each.item.is_open or name in each.outputs:
                return
        if any(relation.alias == name for each in level or () for relation in each.item.relations):
            return
        known = CALLED_WITHOUT_PARENTHESES | ({"sysdate"} if self.known.dialect == "snowflake" else set())
        if node.this.args.get("quoted") or name.lower() not in known:
            self._report_unknown(node, name, level)

    def _qualified(self, node: exp.Column, level: Level | None) -> None:
        relation = self.relation(node, level)
        if relation is None or isinstance(node.this, exp.Star):
            return
        self._resolve_in(relation, node.this, node)

    def _resolve_in(self, relation: Relation, identifier: exp.Expr, node: exp.Column | exp.Dot) -> None:
        """Find the column of a relation that a node names."""
        name = self.stored(identifier)
        found = relation.find(name)
        if len(found) == 1:
            self.use(node, relation, found[0])
        elif found:
            self._report_ambiguous(identifier, name, [relation, relation])
        elif not relation.is_open and not (relation.has_system_columns and name in _SYSTEM_COLUMNS):
            meant = nearest(name, (column.name for column in relation.columns))
            qualifier = [self.stored(part) for part in node.parts[:-1]] if isinstance(node, exp.Column) else []
            self.notes.report(
                offset_of(identifier),
                "unknown_column",
                f"{relation.shown} has no column {self._shown(name)}{self._because(name, meant)}",
                written([*qualifier, meant], self.known.dialect) if meant else None,
            )

    def is_field(self, node: exp.Dot, level: Level | None) -> bool:
        """Whether this is a column of a whole row, as in `(o).total`; report it if the row lacks it."""
        row = node.this.unnest()
        if not isinstance(row, exp.Column) or row.table or not isinstance(node.expression, exp.Identifier):
            return False
        name = self.stored(row.this)
        for each in level or ():
            if each.item.find(name) or each.item.is_open:
                return False
            found = [one for one in each.item.relations if one.alias == name]
            if len(found) == 1:
                self._resolve_in(found[0], node.expression, node)
                return True
        return False

    def relation(self, node: exp.Column, level: Level | None) -> Relation | None:
        """The relation before the dot; `None`, and a finding, if its name is unknown."""
        schema = self.stored(node.args["db"]) if node.args.get("db") else None
        alias = self.stored(node.args["table"])
        for each in level or ():
            found = [one for one in each.item.relations if one.alias == alias and schema in (None, one.schema)]
            if len(found) > 1:
                self.notes.report(
                    offset_of(node),
                    "ambiguous_column",
                    f"{self._shown(alias)} may be any of {len(found)} tables; give each an alias of its own",
                )
            if found:
                return found[0] if len(found) == 1 else None
        self._report_no_relation(node, alias, level)
        return None

    def _report_no_relation(self, node: exp.Column, alias: str, level: Level | None) -> None:
        visible = [relation for each in level or () for relation in each.item.relations if relation.alias]
        hidden = next((one for one in visible if one.table is not None and one.table.table == alias), None)
        meant = hidden.alias if hidden is not None else nearest(alias, (one.alias for one in visible))
        why = f"; here the table is called {self._shown(meant)}" if hidden is not None and meant else ""
        self.notes.report(
            offset_of(node),
            "unknown_table",
            f"no table or alias {self._shown(alias)} can be named here{why}",
            written([meant], self.known.dialect) if meant else None,
        )

    def _report_ambiguous(self, identifier: exp.Expr, name: str, relations: list[Relation]) -> None:
        of = list(dict.fromkeys(one.shown for one in relations))[:_MOST_SHOWN]
        self.notes.report(
            offset_of(identifier),
            "ambiguous_column",
            f"the column {self._shown(name)} may be that of {' or '.join(of)}",
            written([relations[0].alias, name], self.known.dialect) if len(of) > 1 and relations[0].alias else None,
        )

    def _report_unknown(self, node: exp.Column, name: str, level: Level | None) -> None:
        visible = [use for each in level or () for use in each.item.columns]
        meant = nearest(name, (column.name for _, column in visible))
        tables = list(dict.fromkeys(one.shown for each in level or () for one in each.item.relations))
        among = f" in {', '.join(tables[:_MOST_SHOWN])}" if tables else ": nothing is selected from"
        self.notes.report(
            offset_of(node.this),
            "unknown_column",
            f"there is no column {self._shown(name)}{among}{self._because(name, meant)}",
            written([meant], self.known.dialect) if meant else None,
        )

    def _because(self, name: str, meant: str | None) -> str:
        """Why a name that differs in case only is another one."""
        if meant is None or meant.casefold() != name.casefold():
            return ""
        case = "upper" if self.known.dialect == "snowflake" else "lower"
        return f"; without quotes, a name is in {case} case"

    def _shown(self, name: str) -> str:
        return written([name], self.known.dialect)
