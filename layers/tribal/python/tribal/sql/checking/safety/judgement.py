"""Whether a query only reads and computes: everything in it that could act is compared with lists of what may be used.

Calls are found in the text, not in the syntax tree, whose nodes no longer say which name was called.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tribal.sql.checking.names import Names, offset_of
from tribal.sql.checking.safety import postgres_builtins, snowflake_builtins
from tribal.sql.dialect import fold
from tribal.sql.parsing import Token, TokenType, exp, split_statements
from tribal.sql.statements.templates import PLACEHOLDER

_CLAUSE_WORDS = {
    "bernoulli": "tablesample",
    "by": "group order partition",
    "first": "fetch",
    "group": "within",
    "materialized": "as not",
    "next": "fetch",
    "sets": "grouping",
    "system": "tablesample",
    "varying": "bit char character nchar",
    "zone": "time",
}
"""Words of PostgreSQL's grammar before a parenthesis that may name functions too, and the words that they follow."""
_AFTER_VALUE = frozenset("columns filter over passing repeatable".split())
"""Such words that follow a value, as no function does."""
_OPERATORS = frozenset("cube ilike join like overlaps rollup".split())
"""Words before a parenthesis that the parser takes for nothing but grammar."""
_CHANGES = (exp.Insert, exp.Update, exp.Delete, exp.Merge, exp.Command)
_TYPE_FOLLOWS = (TokenType.ALIAS, TokenType.DCOLON)
_NOT_NAMES = (TokenType.STRING, TokenType.NUMBER)
_ENDS_VALUE = (*_NOT_NAMES, TokenType.R_PAREN)
_NOT_ALLOWED = (
    "is neither a built-in function that only reads and computes nor a documented routine that does; leave it out"
)


class Safety:
    """Reports what a query does besides reading and computing.

    Args:
        names: of the query, which are resolved.
    """

    def __init__(self, names: Names) -> None:
        self._names = names
        self._known = names.known
        self._is_snowflake = names.known.dialect == "snowflake"

    def check(self, tree: exp.Expr) -> None:
        """Report each such part as `unsafe_sql`."""
        for node in tree.walk():
            if why := self._danger(node):
                self._report(offset_of(node), why)
        aliases = {each.this.meta.get("start") for each in tree.find_all(exp.TableAlias) if each.this is not None}
        for statement in split_statements(self._names.notes.text, self._known.dialect):
            for start, called in _calls(statement):
                name = called[-1]
                if name.start not in aliases and not self._is_allowed(start, called):
                    shown = ".".join(each.text for each in called)[:80]
                    self._report(name.start, f"{shown} {_NOT_ALLOWED}")

    def _is_allowed(self, before: Token | None, called: Sequence[Token]) -> bool:
        if before is not None and before.token_type in _TYPE_FOLLOWS:
            return True
        names = self._stored(called)
        if PLACEHOLDER.search(names[-1]):
            return True
        is_plain = len(called) == 1 and called[0].token_type is not TokenType.IDENTIFIER
        if self._is_snowflake:
            name = names[-1].casefold() if names[-1] == names[-1].upper() else ""
            listed = len(names) == 1 and (
                name in snowflake_builtins.FUNCTIONS or (is_plain and name in snowflake_builtins.WORDS)
            )
        else:
            is_built_in = len(names) == 1 or names[:-1] == ["pg_catalog"]
            listed = is_built_in and names[-1] in postgres_builtins.FUNCTIONS
            listed = listed or (is_plain and _is_grammar(before, called[0]))
        return listed or self._known.is_harmless_routine(names)

    def _stored(self, called: Sequence[Token]) -> list[str]:
        return [
            # sqlglot makes one token of GROUPING SETS.
            each.text if each.token_type is TokenType.IDENTIFIER else fold(each.text, self._known.dialect).split()[-1]
            for each in called
        ]

    def _danger(self, node: exp.Expr) -> str | None:
        """Why a part of the syntax tree is not safe, apart from calls."""
        if isinstance(node, _CHANGES):
            return "this changes data; leave it out"
        if isinstance(node, exp.Lock):
            return "this locks rows; leave it out"
        if isinstance(node, exp.Into):
            return "SELECT INTO makes a table; leave out INTO"
        if isinstance(node, exp.Table | exp.TableFromRows) and isinstance(
            node.this, exp.Var | exp.Parameter | exp.Literal
        ):
            return "this does not read a documented table; name one"
        if isinstance(node, exp.Column | exp.Dot) and id(node) not in self._names.uses:
            return self._called_as_column(node)
        return None

    def _called_as_column(self, node: exp.Column | exp.Dot) -> str | None:
        """Why `value.name` is not safe: PostgreSQL calls a function so, Snowflake increments a sequence."""
        name = node.expression if isinstance(node, exp.Dot) else node.this
        is_qualified = isinstance(node, exp.Dot) or node.args.get("table") is not None
        if not is_qualified or not isinstance(name, exp.Identifier):
            return None
        stored = self._names.stored(name)
        if self._is_snowflake:
            return "this increments a sequence" if stored == "NEXTVAL" else None
        return f"this calls the function {stored}" if stored in postgres_builtins.OTHER_FUNCTIONS else None

    def _report(self, offset: int, why: str) -> None:
        self._names.notes.report(offset, "unsafe_sql", why)


def _is_grammar(before: Token | None, token: Token) -> bool:
    """Whether a word before a parenthesis is part of PostgreSQL's grammar, not a function."""
    # sqlglot makes one token of several words, such as GROUPING SETS.
    *earlier, word = f"{before.text if before else ''} {token.text}".casefold().split()
    last = earlier[-1] if earlier else ""
    if word in _AFTER_VALUE:
        is_value = before is not None and (before.token_type in _ENDS_VALUE or _is_name(before))
        return is_value and last not in postgres_builtins.KEYWORDS
    return word in postgres_builtins.KEYWORDS | _OPERATORS or last in _CLAUSE_WORDS.get(word, "").split()


def _calls(tokens: Sequence[Token]) -> Iterator[tuple[Token | None, Sequence[Token]]]:
    """The dotted names before a parenthesis, each with the token before it."""
    for place, token in enumerate(tokens):
        if token.token_type is not TokenType.L_PAREN or not place or not _is_name(tokens[place - 1]):
            continue
        first = place - 1
        while first >= 2 and tokens[first - 1].token_type is TokenType.DOT and _is_name(tokens[first - 2]):
            first -= 2
        yield (tokens[first - 1] if first else None), tokens[first:place:2]


def _is_name(token: Token) -> bool:
    return token.token_type is TokenType.IDENTIFIER or (
        token.token_type not in _NOT_NAMES and (token.text[:1].isalpha() or token.text[:1] in "_$")
    )
