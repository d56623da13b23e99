"""Syntax of other databases that the parser accepts, and PostgreSQL refuses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tribal.sql.checking.findings import Notes
from tribal.sql.checking.names import CALLED_WITHOUT_PARENTHESES, offset_of
from tribal.sql.parsing import Token, TokenType, exp

_TT = TokenType
_OPENING = frozenset((_TT.L_PAREN, _TT.L_BRACKET))
_CLOSING = frozenset((_TT.R_PAREN, _TT.R_BRACKET))
_CLAUSES = frozenset(
    (
        *(_TT.FROM, _TT.WHERE, _TT.GROUP_BY, _TT.HAVING, _TT.ORDER_BY, _TT.LIMIT, _TT.OFFSET, _TT.FETCH),
        *(_TT.UNION, _TT.EXCEPT, _TT.INTERSECT, _TT.WINDOW),
    )
)
_BEFORE_VALUE = _CLAUSES | frozenset(
    (
        *(_TT.SELECT, _TT.DISTINCT, _TT.IN, _TT.COMMA, _TT.L_PAREN, _TT.L_BRACKET, _TT.DOT, _TT.JOIN, _TT.ON),
        *(_TT.AND, _TT.OR, _TT.NOT, _TT.EQ, _TT.NEQ, _TT.ALIAS, _TT.WHEN, _TT.THEN, _TT.ELSE),
    )
)
"""What stands before a value: a bracket there is no subscript."""
_NEEDING_AS = frozenset(
    """
    array as char character create day except fetch filter for from grant group having hour intersect into isnull limit
    minute month notnull offset on order over overlaps precision returning second to union varying where window with
    within without year
    """.split()
)
"""Source: `SELECT word FROM pg_get_keywords() WHERE NOT barelabel`, PostgreSQL 15."""
_RESERVED = frozenset(
    """
    all analyse analyze and any array as asc asymmetric authorization both case cast check collate column constraint
    create default deferrable desc distinct do else end except fetch for foreign from grant group having in initially
    intersect into join lateral leading limit natural not offset on only or order placing primary references returning
    select some symmetric table then to trailing union unique using variadic when where window with
    """.split()
)
"""Words that are no column without quotes. Source: `pg_get_keywords()`, `catcode` R, without functions and values."""
_FOREIGN_TYPES = frozenset(
    """
    binary blob byteint clob datetime datetime2 double int64 float64 long longblob longtext mediumblob mediumint
    mediumtext nclob nvarchar nvarchar2 number signed smalldatetime string tinyblob tinyint tinytext uniqueidentifier
    unsigned varbinary varchar2
    """.split()
)
"""Types of other databases. PostgreSQL has none of them, unless someone has created one."""
_JOIN_WORDS = frozenset("NATURAL CROSS LEFT RIGHT FULL INNER OUTER".split())
_VALUES = frozenset((_TT.VAR, _TT.IDENTIFIER, _TT.STRING, _TT.NUMBER, _TT.R_PAREN))
_ORDER_OF_CLAUSES = {
    _TT.WHERE: 1,
    _TT.GROUP_BY: 2,
    _TT.HAVING: 3,
    _TT.WINDOW: 4,
    _TT.ORDER_BY: 5,
    **dict.fromkeys((_TT.LIMIT, _TT.OFFSET, _TT.FETCH), 6),
}
_FOREIGN_OPERATORS = frozenset((_TT.EQ, _TT.NOT, _TT.RLIKE, _TT.APPLY, _TT.XOR))
_INSTEAD_OF_WORD: Mapping[str, str] = {
    "==": "=",
    "!": "NOT",
    "RLIKE": "~",
    "REGEXP": "~",
    "APPLY": "JOIN LATERAL ... ON true",
    "XOR": "<> between conditions",
}
_SELECT_PARTS: Mapping[str, str] = {
    "qualify": "QUALIFY",
    "prewhere": "PREWHERE",
    "connect": "CONNECT BY",
    "pivots": "PIVOT",
    "sort": "SORT BY",
    "cluster": "CLUSTER BY",
    "distribute": "DISTRIBUTE BY",
    "sample": "SAMPLE",
    "settings": "SETTINGS",
    "format": "FORMAT",
    "options": "OPTION",
    "exclude": "EXCLUDE",
    "kind": "AS STRUCT",
}
_TABLE_PARTS: Mapping[str, str] = {
    "hints": "a table hint",
    "indexed": "INDEXED BY",
    "pivots": "PIVOT",
    "version": "a version of a table",
    "system_time": "FOR SYSTEM_TIME",
    "when": "a time of a table",
    "changes": "CHANGES",
    "partition": "PARTITION",
}
_INSTEAD: Mapping[str, str] = {
    "QUALIFY": "; compare the window function's result in a query around this one",
    "CONNECT BY": "; use WITH RECURSIVE",
    "PIVOT": "; use aggregates with FILTER",
    "EXCLUDE": "; list the columns",
}


class Refusals:
    """Reports what PostgreSQL's grammar lacks.

    Args:
        tokens: of the statement.
        notes: receives what is found.
    """

    def __init__(self, tokens: Sequence[Token], notes: Notes) -> None:
        self._tokens = tokens
        self._notes = notes
        self._before = {
            token.start: before for before, token in zip([None, *tokens[:-1]], tokens, strict=True) if before
        }

    def check(self, tree: exp.Expr) -> None:
        """Report what the statement has.

        Args:
            tree: of the same tokens.
        """
        self._check_tokens()
        self._check_tree(tree)

    def _check_tokens(self) -> None:
        """Report what is gone once the statement is parsed."""
        self._check_clauses()
        opened: list[str] = []
        """The word before each open parenthesis and bracket."""
        for place, token in enumerate(self._tokens):
            before = self._tokens[place - 1] if place else None
            kind = token.token_type
            if kind in _OPENING:
                word = before.text.upper() if before is not None else ""
                if kind is _TT.L_BRACKET and before is not None and before.token_type in _BEFORE_VALUE:
                    word = opened[-1] if opened else ""
                    if word != "ARRAY":
                        self._refuse(token, "brackets around a name are SQL Server's; use double quotes, or none")
                opened.append(word)
            elif kind in _CLOSING and opened:
                opened.pop()
            elif kind is _TT.LIMIT:
                self._check_limit(place)
            elif kind is _TT.JOIN:
                self._check_condition(place)
            elif kind is _TT.DCOLON or (kind is _TT.ALIAS and opened[-1:] == ["CAST"]):
                self._check_type(place)
            else:
                self._check_sign(place, before)

    def _check_sign(self, place: int, before: Token | None) -> None:
        """Report commas, operators and words that PostgreSQL does not have between these neighbours."""
        token, after = self._tokens[place], self._tokens[place + 1] if place + 1 < len(self._tokens) else None
        kind, next_kind = token.token_type, after.token_type if after is not None else None
        word = token.text.upper()
        if kind is _TT.COMMA and (next_kind is None or next_kind in _CLOSING | _CLAUSES):
            self._refuse(token, "a comma stands before nothing; remove it")
        elif kind is _TT.COMMA and (before is None or before.token_type in _OPENING | {_TT.COMMA, _TT.SELECT}):
            self._refuse(token, "a comma stands behind nothing; remove it")
        elif kind is _TT.NULL and place > 1 and before is not None and before.token_type is _TT.NOT:
            if self._tokens[place - 2].token_type in _VALUES:
                self._refuse(before, "write IS NOT NULL")
        elif kind in _FOREIGN_OPERATORS and word in _INSTEAD_OF_WORD:
            if after is None or not after.text.startswith("~"):
                self._refuse(token, f"{word} is no operator of PostgreSQL; write {_INSTEAD_OF_WORD[word]}")
        elif kind is _TT.INTERVAL and next_kind is _TT.NUMBER:
            self._refuse(token, "the length of an interval is in quotes, as in INTERVAL '1 day'")
        elif kind is _TT.ALIAS and next_kind is _TT.STRING:
            self._refuse(token, "an alias is not in single quotes; use double quotes, or none")
        elif word == "CONVERT" and next_kind is _TT.L_PAREN:
            self._check_convert(place)

    def _check_clauses(self) -> None:
        """Report clauses in the wrong order."""
        last: list[tuple[int, str]] = [(0, "")]
        """For each open parenthesis, the place in the order of the clause in it, and its name."""
        for token in self._tokens:
            place = _ORDER_OF_CLAUSES.get(token.token_type)
            if token.token_type in _OPENING:
                last.append((0, ""))
            elif token.token_type in _CLOSING and len(last) > 1:
                last.pop()
            elif token.token_type in (_TT.SELECT, _TT.UNION, _TT.EXCEPT, _TT.INTERSECT):
                last[-1] = (0, "")
            elif place is not None:
                if place < last[-1][0]:
                    self._refuse(token, f"{token.text.upper()} must be before {last[-1][1]}")
                last[-1] = (place, token.text.upper())

    def _check_limit(self, place: int) -> None:
        for token in self._at_this_level(place):
            if token.token_type is _TT.COMMA:
                self._refuse(token, "LIMIT takes one number; write LIMIT count OFFSET start")
                return

    def _check_condition(self, place: int) -> None:
        """Report JOIN without ON or USING, if it needs one."""
        missing = int(self._needs_condition(self._tokens[place]))
        for token in self._at_this_level(place) if missing else ():
            if token.token_type in (_TT.ON, _TT.USING):
                missing -= 1
            elif token.token_type is _TT.JOIN:
                missing += self._needs_condition(token)
            elif token.token_type in _CLAUSES | {_TT.COMMA}:
                break
            if not missing:
                return
        if missing:
            self._refuse(self._tokens[place], "JOIN needs ON or USING; for all combinations, write CROSS JOIN")

    def _needs_condition(self, join: Token) -> bool:
        before: Token | None = join
        words = set()
        for _ in range(3):
            before = self._before.get(before.start) if before is not None else None
            if before is None or before.text.upper() not in _JOIN_WORDS:
                break
            words.add(before.text.upper())
        return not words & {"CROSS", "NATURAL"}

    def _check_convert(self, place: int) -> None:
        """Report CONVERT with a type, which is a cast elsewhere; PostgreSQL's function takes two encodings."""
        inside = [token.token_type for token in self._at_this_level(place + 1)]
        if inside.count(_TT.COMMA) != 2:
            self._refuse(self._tokens[place], "PostgreSQL does not convert so; write CAST(value AS type)")

    def _check_type(self, place: int) -> None:
        words = [token.text.lower() for token in self._tokens[place + 1 : place + 3]]
        if not words or words[0] not in _FOREIGN_TYPES or words[1:] == ["precision"]:
            return
        token = self._tokens[place + 1]
        if token.token_type is not _TT.IDENTIFIER and words[1:] != ["."]:
            self._refuse(token, f"PostgreSQL has no type {words[0]}")

    def _at_this_level(self, place: int) -> Iterator[Token]:
        """The tokens behind one, up to the end of the parentheses around it, without those in other parentheses."""
        depth = 0
        for token in self._tokens[place + 1 :]:
            depth += (token.token_type in _OPENING) - (token.token_type in _CLOSING)
            if depth < 0:
                return
            if not depth:
                yield token

    def _check_tree(self, tree: exp.Expr) -> None:
        """Report parts of a statement, and words in places, that PostgreSQL does not know."""
        for node in tree.walk():
            for what in _foreign_parts(node):
                instead = _INSTEAD.get(what, "")
                self._notes.report(offset_of(node), "parse_error", f"PostgreSQL does not have {what}{instead}")
            if isinstance(node, exp.SetOperation) and _is_cut(node.this):
                message = "ORDER BY and LIMIT of one side of a set operation need parentheses around that side"
                self._notes.report(offset_of(node.this), "parse_error", message)
            elif isinstance(node, exp.AggFunc) and (wrong := _wrong_arguments(node)):
                self._notes.report(offset_of(node), "parse_error", wrong)
            elif isinstance(node, exp.In) and not (node.expressions or node.args.get("query")):
                self._notes.report(offset_of(node), "parse_error", "IN needs a list of values in parentheses")
            elif isinstance(node, exp.Is) and _is_value(node.expression):
                self._notes.report(offset_of(node), "parse_error", "IS compares with NULL, TRUE or FALSE; write =")
            elif isinstance(node, exp.Placeholder) or (isinstance(node, exp.Parameter) and node.name.isdecimal()):
                self._notes.report(offset_of(node), "parse_error", "a parameter has no value here; write a value")
            elif isinstance(node, exp.Identifier) and not node.args.get("quoted"):
                self._check_word(node)

    def _check_word(self, node: exp.Identifier) -> None:
        """Report a reserved word that is used as a name."""
        word, above, start = node.name.lower(), node.parent, node.meta.get("start")
        if start is None:
            return
        before = self._before.get(start)
        if isinstance(above, exp.Alias) and above.args.get("alias") is node:
            is_refused = word in _NEEDING_AS and before is not None and before.token_type is not _TT.ALIAS
        elif isinstance(above, exp.TableAlias):
            is_refused = word in _RESERVED | CALLED_WITHOUT_PARENTHESES
        elif isinstance(above, exp.Column | exp.Table):
            is_refused = word in _RESERVED and (before is None or before.token_type is not _TT.DOT)
        else:
            is_refused = False
        if is_refused:
            self._notes.report(start, "parse_error", f"{word} is a reserved word; quote it", f'"{word}"')

    def _refuse(self, token: Token, message: str) -> None:
        self._notes.report(int(token.start), "parse_error", message)


def _foreign_parts(node: exp.Expr) -> Iterator[str]:
    if isinstance(node, exp.Select):
        yield from (name for key, name in _SELECT_PARTS.items() if node.args.get(key))
    elif isinstance(node, exp.Table):
        yield from (name for key, name in _TABLE_PARTS.items() if node.args.get(key))
    elif isinstance(node, exp.Join):
        kind = str(node.args.get("kind") or "").upper()
        yield from [f"{kind} JOIN"] if kind not in ("", "INNER", "OUTER", "CROSS") else []
        yield from ["CROSS JOIN with a condition"] if kind == "CROSS" and node.args.get("on") else []
    elif isinstance(node, exp.TryCast):
        yield "TRY_CAST"
    elif isinstance(node, exp.Lateral) and node.args.get("view"):
        yield "LATERAL VIEW"
    elif isinstance(node, exp.Star) and any(node.args.get(key) for key in ("except_", "except", "replace", "rename")):
        yield "EXCLUDE"
    elif isinstance(node, exp.Group) and (node.args.get("all") or node.args.get("totals")):
        yield "GROUP BY ALL"
    elif isinstance(node, exp.Rollup | exp.Cube) and not node.expressions:
        yield "WITH ROLLUP"
    elif isinstance(node, exp.LimitOptions) and node.args.get("percent"):
        yield "PERCENT"
    elif isinstance(node, exp.DataType) and node.this is exp.DType.CHARACTER_SET:
        yield "CONVERT ... USING"


def _wrong_arguments(node: exp.AggFunc) -> str | None:
    """What is wrong with the number of values that an aggregate is given."""
    if isinstance(node, exp.Count):
        if node.expressions or (isinstance(node.this, exp.Distinct) and len(node.this.expressions) > 1):
            return "COUNT takes one value; write COUNT(DISTINCT (one, other)) for combinations"
        return "write COUNT(*)" if node.this is None else None
    if isinstance(node, exp.Max | exp.Min) and node.expressions:
        return f"{node.key.upper()} takes one value; use greatest or least for several"
    return f"{node.key.upper()} takes a value, not *" if isinstance(node.this, exp.Star) else None


def _is_cut(node: exp.Expr) -> bool:
    return isinstance(node, exp.Select) and any(node.args.get(key) for key in ("order", "limit", "offset", "locks"))


def _is_value(node: exp.Expr) -> bool:
    """Whether a value is compared by IS, as PostgreSQL does not: `x IS NORMALIZED` and the like compare nothing."""
    is_word = isinstance(node, exp.Column) and node.name.upper() in ("DOCUMENT", "JSON", "NORMALIZED")
    return isinstance(node, exp.Literal | exp.Column) and not is_word
