"""A literal ends where the server says it ends, in PostgreSQL and in Snowflake.

The reference is sqlglot's tokenizer.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import pytest
import sqlglot
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from tests.sql.test_redaction import KEPT, SECRET, filled, redacted
from tribal.masking import redact_expression, redact_view
from tribal.sql.dialect import string_literal, unescaped
from tribal.sql.scanner import TokenType, tokens_of
from tribal_contracts import DatabaseType

TEXTS = st.text(st.sampled_from("ab'\\$/-*\"\n x7é"), max_size=12)
STRINGS = frozenset("STRING RAW_STRING HEREDOC_STRING BYTE_STRING".split())
"""What the reference calls literals."""


class SqlPiece(NamedTuple):
    """A piece of SQL, and whether it is a literal."""

    sql: str
    is_literal: bool


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def slashed(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def dollars(text: str) -> str:
    return f"$${text.replace('$', '')}$$"


def line(mark: str, text: str) -> str:
    return mark + text.replace("\n", "") + "\n"


def block(text: str) -> str:
    return f"/*{text.replace('*', '').replace('/', '')}*/"


def pieces(*literals: st.SearchStrategy[str], comments: tuple[str, ...]) -> st.SearchStrategy[SqlPiece]:
    others = [TEXTS.map(block), *(TEXTS.map(partial(line, mark)) for mark in comments)]
    others.append(TEXTS.map(lambda text: '"n' + text.replace('"', '""') + '"'))
    others.append(st.sampled_from(["password", "=", "AND", "(", ")", "a.b", "42"]))
    return st.one_of(
        st.one_of(*literals).map(lambda sql: SqlPiece(sql, is_literal=True)),
        st.one_of(*others).map(lambda sql: SqlPiece(sql, is_literal=False)),
    )


PIECES: dict[DatabaseType, st.SearchStrategy[SqlPiece]] = {
    "postgres": pieces(
        TEXTS.map(quoted),
        TEXTS.map(lambda text: f"E{slashed(text)}"),
        TEXTS.map(dollars),
        TEXTS.map(lambda text: dollars(text).replace("$$", "$q$")),
        comments=("--",),
    ),
    "snowflake": pieces(
        TEXTS.map(string_literal),
        TEXTS.map(slashed),
        TEXTS.map(dollars),
        comments=("--", "//"),
    ),
}


@pytest.mark.parametrize("dialect", ["postgres", "snowflake"])
@given(data=st.data())
def test_literals_are_found_where_the_reference_finds_them(dialect: DatabaseType, data: st.DataObject) -> None:
    written = data.draw(st.lists(PIECES[dialect], max_size=8))
    sql = " ".join(piece.sql for piece in written)

    ours = [sql[token.start : token.end] for token in tokens_of(sql, dialect) if token.type is TokenType.STRING]

    assert ours == [piece.sql for piece in written if piece.is_literal]
    reference = [token for token in sqlglot.tokenize(sql, dialect=dialect) if token.token_type.name in STRINGS]
    assert len(ours) == len(reference)


@given(TEXTS)
def test_a_snowflake_literal_says_what_the_reference_reads(text: str) -> None:
    for sql in (string_literal(text), slashed(text)):
        (reference,) = sqlglot.tokenize(sql, dialect="snowflake")
        (token,) = tokens_of(sql, "snowflake")
        assert token.text == text == reference.text


@pytest.mark.parametrize("dialect", ["postgres", "snowflake"])
@pytest.mark.parametrize("form", ["default", "condition", "call", "view", "selected"])
@given(data=st.data())
def test_no_secret_stays_visible_whatever_stands_around_it_in_its_literal(
    dialect: DatabaseType, form: str, data: st.DataObject
) -> None:
    before, after = data.draw(TEXTS), data.draw(TEXTS)
    escapes = [quoted, dollars] if dialect == "postgres" else [string_literal, slashed, dollars]
    escape = data.draw(st.sampled_from(escapes))
    secret = escape(f"{before}{SECRET}{after}")
    other = escape(data.draw(TEXTS))
    if form == "default":
        shown = redact_expression(secret, table="t", column="password", dialect=dialect)
    elif form == "condition":
        shown = redact_expression(f"kind = {other} AND password <> {secret}", table="t", dialect=dialect)
    elif form == "call":
        shown = redact_expression(f"coalesce({other}, password, {secret})", table="t", dialect=dialect)
    elif form == "view":
        sql = f"SELECT id FROM t WHERE kind = {other} AND password = {secret}"
        shown = redact_view(sql, view="v", columns=["id"], dialect=dialect)
    else:
        shown = redact_view(
            f"SELECT {other} AS kind, {secret} AS password", view="v", columns=["a", "b"], dialect=dialect
        )

    assert SECRET not in shown


@each_case(
    ("sql", "shown"),
    [
        ("password = 'it\\'s <x>' AND kind = '<y>'", "password = '[password]' AND kind = '<y>'"),
        ("password = '\\\\' AND kind = '<y>'", "password = '\\\\' AND kind = '<y>'"),
        ("kind = 'it\\'s' AND password = '<x>'", "kind = 'it\\'s' AND password = '[password]'"),
        ("password = $$it's <x>\\$$ AND kind = '<y>'", "password = '[password]' AND kind = '<y>'"),
        ("kind = '<y>' // it's\n AND password = '<x>'", "kind = '<y>' // it's\n AND password = '[password]'"),
        ("/* /* ' */ password = '<x>' /* ' */", "/* /* ' */ password = '[password]' /* ' */"),
        ("doc:login.password::string = 'a\\'<x>'", "doc:login.password::string = '[password]'"),
        (
            "object_construct('password', 'a\\'<x>', 'kind', '<y>')",
            "object_construct('password', '[password]', 'kind', '<y>')",
        ),
    ],
)
def test_snowflake_literals_are_hidden_whole_and_no_others(sql: str, shown: str) -> None:
    assert redacted(filled(sql), dialect="snowflake") == filled(shown)


@each_case(
    "literal",
    ["'\\x62ob@example.com'", "'bob\\u0040example.com'", "'bob\\100example.com'", "'bo\\b@ex' || 'bob\\@example.com'"],
)
def test_what_escapes_spell_is_found_by_patterns(literal: str) -> None:
    shown = redacted(f"kind <> {literal}", dialect="snowflake")
    assert "example.com" not in shown
    assert "[email]" in shown


@each_case("dialect", ["postgres", "snowflake"])
@each_case(
    "comment",
    [
        "-- AND t.password = '<x>'\n",
        "-- the email of somebody: bob@example.com\n",
        "/* AND t.security_answer = '<x>' -- old\n AND pin = 48213 */",
        "/* don't -- t.password = '<x>' */",
    ],
)
def test_comments_lose_what_they_tell_too(dialect: DatabaseType, comment: str) -> None:
    shown = redacted(filled(f"SELECT id FROM t {comment} WHERE kind = '<y>'"), ("id",), dialect)
    assert shown.endswith(f" WHERE kind = '{KEPT}'")
    for secret in (SECRET, "bob@", "48213"):
        assert secret not in shown


def test_a_comment_that_tells_nothing_stays() -> None:
    sql = "SELECT id /* the customer's key -- see http://wiki */ FROM t // it's all\n"
    assert redacted(sql, ("id",), "snowflake") == sql


@given(st.text(st.sampled_from("'\\xu0147bntd83ec")))
def test_unescaping_takes_any_text(content: str) -> None:
    unescaped(content).encode()


PARTS = (
    "SELECT FROM WHERE AS ( ) = , password kind 'abc' 'a\\'b' '\\ ' $$ $$x$$ // -- /* */ \"  '[password]' 4711"
).split(" ")


@given(st.lists(st.sampled_from([*PARTS, "\n"]), max_size=30), st.booleans())
def test_any_snowflake_text_is_taken_and_redacting_again_changes_nothing(parts: list[str], is_view: bool) -> None:
    redacted(" ".join(parts), ("a", "password") if is_view else (), "snowflake")
