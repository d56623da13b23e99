"""Literals next to names that say what a column holds are hidden; the rest of the SQL stays as it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from tribal.masking import redact_expression, redact_view
from tribal.sql import structure
from tribal.sql.scanner import TokenType, tokens_of
from tribal_contracts import DatabaseType

pytestmark = pytest.mark.slow

SECRET = "Zr7 quelk"
"""What must go, in the texts below as `<x>`."""
KEPT = "mulvo"
"""What must stay, in the texts below as `<y>`."""


def filled(text: str) -> str:
    return text.replace("<x>", SECRET).replace("<y>", KEPT)


def redacted(sql: str, columns: tuple[str, ...] = (), dialect: DatabaseType = "postgres") -> str:
    def redact(text: str) -> str:
        if columns:
            return redact_view(text, view="v", columns=columns, dialect=dialect)
        return redact_expression(text, table="account", dialect=dialect)

    once = redact(sql)
    assert redact(once) == once
    return once


@each_case(
    "text",
    [
        "((password)::text = '<x>'::text)",
        "('<x>'::text <> account.\"PassWord\")",
        "((security_answer)::text = ANY ((ARRAY['<x>'::character varying, 'b <x>'::character varying])::text[]))",
        "(password = ANY ('{\"<x>\",none}'::text[]))",
        "(password ~~ '<x>%'::text)",
        "(password !~* '^(<x>)'::text)",
        "((password >= 'a<x>'::text) AND (password <= 'b<x>'::text))",
        "(password BETWEEN 'a<x>' AND 'b<x>')",
        "(password = E'it\\'s <x>')",
        "(password = $tag$<x>$tag$)",
        "(password = U&'<x>')",
        "((kind = '<y>'::text) AND (password <> '<x>'::text))",
        "((kind = '<y>'::text) OR ((password <> '<x>'::text) AND (kind <> '<y>'::text)))",
        "((kind, password) = ('a'::text, '<x>'::text))",
        "(COALESCE(password, '<x>'::text) <> ''::text)",
        "((kind || password) <> ('<x>'::text || kind))",
        "(CASE WHEN (kind = '<y>'::text) THEN '<x>'::text ELSE password END IS NOT NULL)",
        "(CASE password WHEN '<x>'::text THEN '<y>'::text ELSE NULL::text END = kind)",
        "(md5((password || '<x>'::text)) = kind)",
        "encode(hmac(kind, '<x>'::text, 'sha256'::text), 'hex'::text)",
        "((doc ->> 'password'::text) = '<x>'::text)",
        "((doc #>> '{login,password}'::text[]) = '<x>'::text)",
        "(doc['password'::text] = '<x>'::jsonb)",
        "(doc @? '$.password ? (@ == \"<x>\")'::jsonpath)",
        "jsonb_build_object('id', id, 'password', '<x>', 'kind', '<y>')",
        "JSON_OBJECT('password' : '<x>'::text, 'kind' : '<y>'::text RETURNING json)",
        "set_config('app.password', '<x>', false)",
        "make(password => '<x>')",
        "(concat(password, (kind = '<y>'::text), '<x>'::text) <> kind)",
        "(concat('<x>'::text, ((kind = '<y>'::text) AND (size > 1)), password) <> kind)",
        "((password)::text = ((starts_with(kind, '<y>'::text) AND is_good))::text)",
    ],
)
def test_a_literal_that_belongs_to_a_column_with_a_secret_is_hidden_and_no_other(text: str) -> None:
    shown = redacted(filled(text))
    assert SECRET not in shown
    assert shown.count(KEPT) == text.count("<y>")


@each_case("number", ["4711", "47.11", "1e9", "0x1F2E"])
def test_a_number_is_a_literal_too(number: str) -> None:
    assert redacted(f"((pin <> {number}) AND (size = {number}))") == f"((pin <> [password]) AND (size = {number}))"


@each_case(
    "sql",
    [
        "(password <> ''::text)",
        "((first_name || ' '::text) || last_name)",
        "(char_length((password)::text) >= 12)",
        "((length(password) > 8) AND (octet_length(password) <= 256))",
        "(POSITION(('@'::text) IN (email)) > 12)",
        "(email ~ '^[^@[:space:]]+@[^@[:space:]]+$'::text)",
        "(iban ~ '^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$'::text)",
        "(email ~~ '%@%'::text)",
        "regexp_replace(phone, '\\D+'::text, ''::text, 'g'::text)",
        "date_part('year'::text, birth_date)",
        "to_char(birth_date, 'YYYY-MM-DD'::text)",
        "split_part(email, '@'::text, 2)",
        '"left"(password, 3)',
        "((latitude >= ('-90'::integer)::numeric) AND (latitude <= (90)::numeric))",
        "(salary > 0)",
        "(is_password_set = 'maybe'::text)",
        "(password_status = ANY (ARRAY['stale'::text, 'fresh'::text]))",
        "((kind = 'stale'::text) AND (password IS NOT NULL))",
        "(nextval('password_seq'::regclass) > password)",
        "((password)::character varying(255) = kind)",
        "(birth_date < (CURRENT_DATE - '18 years'::interval))",
        "(now() - notify_password > '7 days'::interval)",
        "(CURRENT_USER = 'somebody'::name)",
        "CASE WHEN (password IS NULL) THEN 'unset'::text ELSE 'set'::text END",
        "json_build_object('id', id, 'password', password)",
        "JSON_VALUE(doc, '$.\"password\"' RETURNING text)",
    ],
)
def test_what_tells_nothing_of_a_value_stays(sql: str) -> None:
    assert redacted(sql) == sql


VIEWS = [
    (" SELECT id,\n    '<x>'::text AS password\n   FROM t\n  WHERE kind = '<y>'::text;", ("id", "password")),
    (
        " SELECT CASE WHEN t.kind = '<x>' THEN '<x>' ELSE upper('b<x>') END AS password, '<y>' AS kind FROM t",
        ("a", "b"),
    ),
    (" SELECT t.id FROM t JOIN u ON u.id = t.id AND u.password = '<x>' WHERE t.kind = '<y>' GROUP BY t.id", ("id",)),
    (
        " SELECT '<y>' AS a, '<x>' AS password\nUNION ALL\n SELECT '<y>', '<x>'\nUNION ( SELECT '<y>', '<x>')",
        ("a", "b"),
    ),
    (" SELECT '<y>'::text, '<x>'::text UNION SELECT '<y>', '<x>'", ("kind", "password")),
    (" WITH c(a, password) AS ( SELECT '<y>', '<x>') SELECT c.a, c.password AS b FROM c WHERE c.a = '<y>'", ("a", "b")),
    (" SELECT v.a FROM ( VALUES ('<y>','<x>'), ('<y>','<x>')) v(a, api_key) WHERE v.api_key = '<x>'", ("a",)),
    (" SELECT column1 AS a,\n column2 AS password FROM (VALUES ('<y>','<x>')) \"*VALUES*\"", ("a", "password")),
    (" VALUES ('<y>','<x>'), ('<y>','<x>')", ("a", "password")),
    (" SELECT s.p FROM ( SELECT t.password AS p, t.kind FROM t) s WHERE s.p = '<x>' AND s.kind = '<y>'", ("p",)),
    (" SELECT t.code AS password FROM t WHERE t.code <> '<x>' AND t.kind = '<y>'", ("password",)),
    (" SELECT id FROM t WHERE t.password IN ( SELECT '<x>' FROM u WHERE u.kind = '<y>')", ("id",)),
    (" SELECT (SELECT max(u.password) FROM u WHERE u.kind = '<y>') AS p, '<y>' AS k FROM t", ("p", "k")),
    (" SELECT count(*) FILTER (WHERE t.password = '<x>') AS n, t.kind = '<y>' AS k FROM t", ("n", "k")),
    (" SELECT q.password FROM dblink('<x>'::text) q(id integer, password text) WHERE q.id = 77", ("password",)),
    (" SELECT q.a FROM ROWS FROM(unnest(ARRAY['<x>'::text]), f(1)) q(password, n) WHERE q.n <> '<y>'", ("a",)),
    (" SELECT id FROM ((t JOIN u ON ((t.id = u.id))) LEFT JOIN w ON ((w.pin = '<x>'))) WHERE t.kind = '<y>'", ("id",)),
    (" SELECT max(t.kind) FROM t GROUP BY t.id HAVING max(t.password) = '<x>' ORDER BY (t.kind = '<y>')", ("m",)),
    (
        " SELECT t.email, row_number() OVER (PARTITION BY t.email ORDER BY t.id) AS n, '<y>' AS k FROM t",
        ("email", "n", "k"),
    ),
    (" SELECT lag(t.kind, 1, '<y>') OVER (PARTITION BY t.email) AS k FROM t", ("k",)),
    (" SELECT EXTRACT(year FROM t.birth_date) AS y, '<y>' AS k FROM t WHERE t.kind IS DISTINCT FROM '<y>'", ("y", "k")),
    (
        " SELECT j.id FROM JSON_TABLE(t.doc, '$' COLUMNS (id integer PATH '$.\"id\"', kind text DEFAULT '<y>' ON EMPTY,"
        " password text DEFAULT '<x>' ON EMPTY)) j",
        ("id",),
    ),
]


@each_case(("text", "columns"), VIEWS)
def test_in_a_view_literals_go_that_are_selected_as_a_secret_or_compared_with_one(
    text: str, columns: tuple[str, ...]
) -> None:
    shown = redacted(filled(text), columns)
    assert SECRET not in shown
    assert shown.count(KEPT) == text.count("<y>")


FEW_TOKENS = 10_000
BROKEN = {
    "bracket too many": "{} )",
    "bracket not closed": "( {}",
    "END too many": "{} END",
    "CASE not closed": "CASE {}",
    "nested too deeply": "(" * 2000 + "{}" + ")" * 2000,
    "too many tokens": "{}" + " AND b" * (FEW_TOKENS // 2),
}


@pytest.fixture
def few_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(structure, "MAX_TOKENS", FEW_TOKENS)


@each_case("broken", BROKEN.values(), ids=BROKEN)
@each_case("dialect", ["postgres", "snowflake"])
def test_a_text_that_cannot_be_parsed_or_is_over_a_limit_loses_every_literal_if_it_names_a_secret(
    few_tokens: None, broken: str, dialect: DatabaseType
) -> None:
    for name, hides in (("pin", True), ("size", False)):
        text = broken.format(f"kind = '{SECRET}' AND {name} = 4711")
        for shown in (redacted(text, dialect=dialect), redacted(f"SELECT 1 FROM t WHERE {text}", ("id",), dialect)):
            expected = f"kind = '[password]' AND {name} = [password]" if hides else text
            # Without `in`, since a failure would compare a megabyte by character.
            assert shown.find(expected) >= 0


def test_unmatched_brackets_in_a_comment_hide_nothing() -> None:
    sql = "SELECT id /* 1) as in kind = 'stale', size 4711 :) */ FROM t"
    assert redacted(sql, ("id",)) == sql


@given(st.text())
def test_a_literal_is_read_as_it_was_written(value: str) -> None:
    for written in ("'" + value.replace("'", "''") + "'", f"$q1${value}$q1$"):
        if "$q1$" not in value:
            *_, token, end = tokens_of(f"a = {written} b", "postgres")
            assert (token.type, token.text, end.text) == (TokenType.STRING, value, "b")
    *_, token = tokens_of("E'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'", "postgres")
    assert token.end - token.start >= len(value) + 3


PIECES = (
    "SELECT FROM WHERE CASE WHEN THEN ELSE END AND OR NOT IN AS UNION VALUES WITH JOIN ON BETWEEN ( ) [ ] , . :: -> = "
    "|| password email kind t name text 'abc' 'Zr7' 4711 ''' \" $$ $1 E' -- /* */ ~ [password] coalesce( hmac("
).split(" ")


@given(st.lists(st.sampled_from([piece for piece in PIECES if piece]), max_size=40), st.booleans())
def test_any_text_is_taken_and_redacting_again_changes_nothing(pieces: list[str], is_view: bool) -> None:
    redacted(" ".join(pieces), ("a", "password") if is_view else ())


@given(st.text(), st.booleans())
def test_any_other_text_is_taken_too(text: str, is_view: bool) -> None:
    redacted(text, ("a", "password") if is_view else ())
