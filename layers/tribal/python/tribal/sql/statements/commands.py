"""Read what the parser does not: statements that only wrap others, and commands that name tables but hold no query."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from tribal.sql.parsing import Token, TokenType

LITERALS = frozenset(
    {
        TokenType.STRING,
        TokenType.HEREDOC_STRING,
        TokenType.RAW_STRING,
        TokenType.NATIONAL_STRING,
        TokenType.UNICODE_STRING,
        TokenType.BYTE_STRING,
        TokenType.HEX_STRING,
        TokenType.BIT_STRING,
    }
)
STATEMENTS = frozenset(
    "SELECT WITH INSERT UPDATE DELETE MERGE VALUES COPY TRUNCATE CREATE ALTER DROP CALL EXECUTE BEGIN DECLARE".split()
)
"""Words that begin a statement that may name tables."""
_QUERIES = frozenset({"SELECT", "WITH"})
_COMMANDS = frozenset(
    """
    ABORT ALTER CALL CHECKPOINT CLOSE CLUSTER COMMENT CREATE DEALLOCATE DESC DESCRIBE DISCARD DROP EXECUTE FETCH GET
    GRANT IMPORT LIST LISTEN LOAD LOCK LS MOVE NOTIFY PUT REASSIGN REFRESH REINDEX RELEASE REMOVE RESET REVOKE RM
    SECURITY SET SHOW START UNDROP UNLISTEN UNSET USE VACUUM
    """.split()
)
_HOLDING_STATEMENTS = frozenset(
    {"ALERT", "FUNCTION", "PROCEDURE", "RULE", "SCHEMA", "SEMANTIC", "SEMANTIC VIEW", "TABLE", "VIEW"}
)
"""Kinds of objects whose definitions are statements or have columns: when those cannot be parsed, names are missed."""
_MODIFIERS = frozenset(
    """
    ALTER CREATE OR REPLACE IF NOT EXISTS TEMP TEMPORARY GLOBAL LOCAL TRANSIENT UNLOGGED SECURE VOLATILE RECURSIVE
    MATERIALIZED EXTERNAL FOREIGN DYNAMIC HYBRID ICEBERG
    """.split()
)
_NAMED_DIRECTLY = frozenset({"CLUSTER", "LOCK", "VACUUM"})
_BEFORE_A_TABLE = frozenset({"TABLE", "VIEW", "INHERIT", "CLONE", "REFERENCES", "ON"})
_ON_OTHERS = frozenset({"EVENT", "RULE", "STATISTICS"})
"""Kinds of objects that are on events or columns."""
_BETWEEN = frozenset(
    """
    ANALYZE COLUMN CONCURRENTLY EXISTS EXTERNAL FOREIGN FREEZE FULL IF MATERIALIZED NOT ONLY TABLE VERBOSE VIEW
    """.split()
)
"""Words between the one before a table and its name."""
_OTHER_KINDS = frozenset(
    """
    ACCESS ACCOUNT AGGREGATE ALL CAST COLLATION CONSTRAINT CONVERSION DATABASE DOMAIN EVENT EXTENSION FILE FUNCTION
    FUTURE INDEX INTEGRATION LANGUAGE LARGE OPERATOR PARAMETER POLICY PROCEDURE PUBLICATION ROLE ROUTINE RULE SCHEMA
    SEQUENCE SERVER STAGE STATISTICS STREAM SUBSCRIPTION TABLES TABLESPACE TASK TEXT TRANSFORM TRIGGER TYPE USER
    WAREHOUSE
    """.split()
)
"""Words that say that what follows is not a table."""
_BEFORE_A_CONDITION = frozenset({"USING", "CHECK", "WHEN"})
_FOREIGN_CLAUSES = frozenset({"SERVER", "WITH", "LOCATION", "INTEGRATION", "PARTITION BY"})
"""Words after the columns of a table that is stored elsewhere."""
_SUFFIXES = (
    ("WITH", "NO", "DATA"),
    ("WITH", "DATA"),
    ("WITH", "CHECK", "OPTION"),
    ("WITH", "LOCAL", "CHECK", "OPTION"),
    ("WITH", "CASCADED", "CHECK", "OPTION"),
)


@dataclass(slots=True)
class Command:
    """What a command names.

    Attributes:
        tables: the tokens of each name.
        queries: the statements in parentheses.
    """

    tables: list[Sequence[Token]] = field(default_factory=list)
    queries: list[Sequence[Token]] = field(default_factory=list)


def word(token: Token) -> str:
    """An unquoted word in upper case; empty for anything else."""
    return "" if token.token_type in LITERALS or token.token_type is TokenType.IDENTIFIER else token.text.upper()


def select(tokens: Sequence[Token]) -> list[Token]:
    """A query of an expression."""
    at = tokens[0]
    return [Token(TokenType.SELECT, "SELECT", at.line, at.col, at.start, at.start), *tokens]


def simpler_statement(tokens: Sequence[Token]) -> Sequence[Token] | None:
    """The statement that another one only wraps, or the same one without a clause that the parser does not know."""
    head, kind = word(tokens[0]), kind_of(tokens)
    if head == "EXPLAIN":
        return _from_first(tokens, STATEMENTS)
    if head == "PREPARE" or (head in ("CREATE", "ALTER") and kind not in _HOLDING_STATEMENTS):
        # The latter are tasks, pipes and the like.
        inner = _after(tokens, "AS")
        if inner is not None:
            return inner
    if head == "DECLARE":
        return _after(tokens, "FOR")
    if head != "CREATE":
        return None
    for suffix in _SUFFIXES:
        if tuple(map(word, tokens[-len(suffix) :])) == suffix:
            return tokens[: -len(suffix)]
    words = [word(token) for token in tokens]
    if kind == "TABLE" and not {"FOREIGN", "EXTERNAL"}.isdisjoint(words[:4]):
        end = next((place for place in _places(tokens) if words[place] in _FOREIGN_CLAUSES), len(tokens))
        return [token for token in tokens[:end] if word(token) not in ("FOREIGN", "EXTERNAL")]
    if kind in ("INDEX", "UNIQUE") and (place := _pair(words, "ON", "ONLY")) is not None:
        return [*tokens[: place + 1], *tokens[place + 2 :]]
    return None


def command_of(tokens: Sequence[Token]) -> Command | None:
    """What a command names; `None` for a statement that is not known to be one."""
    head, kind = word(tokens[0]), kind_of(tokens)
    is_inert_rule = kind == "RULE" and word(tokens[-1]) == "NOTHING"
    if head not in _COMMANDS or (head == "CREATE" and kind in _HOLDING_STATEMENTS and not is_inert_rule):
        return None
    found = Command()
    depth = place = 0
    while place < len(tokens):
        token, before = tokens[place], word(tokens[place - 1]) if place else ""
        if token.token_type is TokenType.L_PAREN:
            end = _closing(tokens, place)
            inside = tokens[place + 1 : end]
            if inside and (word(inside[0]) in _QUERIES or before in _BEFORE_A_CONDITION):
                found.queries.append(inside if word(inside[0]) in _QUERIES else select(inside))
                place = end
            else:
                depth += 1
        elif token.token_type is TokenType.R_PAREN:
            depth -= 1
        elif depth == 0 and _is_before_a_table(tokens, place, kind):
            found.tables += _names(tokens, place + 1)
        place += 1
    return found


def _is_before_a_table(tokens: Sequence[Token], place: int, kind: str) -> bool:
    this, before = word(tokens[place]), word(tokens[place - 1]) if place else ""
    if place == 0:
        return this in _NAMED_DIRECTLY
    return (
        (this in _BEFORE_A_TABLE and not (this == "ON" and kind in _ON_OTHERS))
        or (this, before) in (("PARTITION", "ATTACH"), ("PARTITION", "DETACH"), ("WITH", "SWAP"))
        or (this, kind) in (("FROM", "STATISTICS"), ("TO", "RULE"))
    )


def _names(tokens: Sequence[Token], place: int) -> Iterator[Sequence[Token]]:
    """The names in a list that begins at a place."""
    while place < len(tokens):
        if tokens[place].token_type is TokenType.L_PAREN:
            place = _closing(tokens, place) + 1
            continue
        if word(tokens[place]) in _BETWEEN:
            place += 1
            continue
        end = name_end(tokens, place)
        if end == place or (end == place + 1 and word(tokens[place]) in _OTHER_KINDS):
            return
        yield tokens[place:end]
        if end < len(tokens) and tokens[end].token_type is TokenType.L_PAREN:
            end = _closing(tokens, end) + 1
        if end >= len(tokens) or tokens[end].token_type is not TokenType.COMMA:
            return
        place = end + 1


def name_end(tokens: Sequence[Token], place: int) -> int:
    """The end of a dotted name that begins at a place."""
    end = place
    while end < len(tokens) and (tokens[end].token_type is TokenType.IDENTIFIER or _is_word(tokens[end])):
        end += 1
        if end >= len(tokens) or tokens[end].token_type is not TokenType.DOT:
            return end
        end += 1
    return end


def name_parts(tokens: Sequence[Token], dialect: str) -> tuple[str, ...]:
    """The parts of a dotted name, folded as the dialect folds them."""
    fold = str.upper if dialect == "snowflake" else str.lower
    return tuple(
        token.text if token.token_type is TokenType.IDENTIFIER else fold(token.text)
        for token in tokens
        if token.token_type is not TokenType.DOT
    )


def _is_word(token: Token) -> bool:
    return token.token_type not in LITERALS and (token.text[:1].isalpha() or token.text[:1] == "_")


def kind_of(tokens: Sequence[Token]) -> str:
    """The kind of object that a `CREATE`, `ALTER` or `DROP` is about."""
    return next((found for token in tokens[1:12] if (found := word(token)) not in _MODIFIERS), "")


def _from_first(tokens: Sequence[Token], words: frozenset[str]) -> Sequence[Token] | None:
    return next((tokens[place:] for place in _places(tokens) if word(tokens[place]) in words), None)


def _after(tokens: Sequence[Token], last: str) -> Sequence[Token] | None:
    """The statement after a word."""
    for place in _places(tokens):
        if word(tokens[place]) == last and place + 1 < len(tokens) and word(tokens[place + 1]) in STATEMENTS:
            return tokens[place + 1 :]
    return None


def _places(tokens: Sequence[Token]) -> Iterator[int]:
    """Places after the first one that are not in parentheses."""
    depth = 0
    for place, token in enumerate(tokens):
        if token.token_type is TokenType.L_PAREN:
            depth += 1
        elif token.token_type is TokenType.R_PAREN:
            depth -= 1
        elif depth == 0 and place:
            yield place


def _closing(tokens: Sequence[Token], place: int) -> int:
    """The place of the parenthesis that closes the one at a place; the end if it is missing."""
    depth = 0
    for end in range(place, len(tokens)):
        if tokens[end].token_type is TokenType.L_PAREN:
            depth += 1
        elif tokens[end].token_type is TokenType.R_PAREN:
            depth -= 1
            if depth == 0:
                return end
    return len(tokens)


def _pair(words: Sequence[str], first: str, second: str) -> int | None:
    """The place of a word that another one follows."""
    return next((place for place, pair in enumerate(pairwise(words)) if pair == (first, second)), None)
