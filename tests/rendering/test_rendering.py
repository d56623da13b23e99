"""Rendering: hostile text stays text in Markdown and Mermaid, and pages say what the document says."""

from __future__ import annotations

import posixpath
import re

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from tests.cases import each_case
from tests.sample_shop.indexed import table_document
from tribal.identity.table_names import format_name
from tribal.joins.statements import Join, SqlTable, join_sql
from tribal.rendering.likely_keys import likely_key_list, why_likely
from tribal.rendering.markdown import (
    cell_code,
    code_span,
    escape_text,
    fence,
    link,
    one_line,
    relative_link,
    show_invisible,
    table,
)
from tribal.rendering.mermaid import ErColumn, ErTable, drawn_tables, er_diagram
from tribal.rendering.table_page import table_page
from tribal.rendering.words import listing, relation_sentence, rows_phrase, shorten
from tribal_contracts import DocumentedIndex, DocumentedInferredKey, DocumentedKey, KeyEvidence, Relationship

MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"])
SPECIAL = "|`*_[](){}<>#+-.!~$&\\\n\r\t '\"=:/@%;^ ‮⁦​\x00\x07ab1é表"
hostile_text = st.text(st.sampled_from(SPECIAL), max_size=30) | st.text(max_size=30)
ATTACKS = [
    "<script>alert(1)</script>",
    "[click](javascript:alert(1))",
    "![x](http://evil/x.png)",
    "a | b || c",
    "`code` ``two``",
    "# heading",
    "- item",
    "1. item",
    "> quote",
    "--- ",
    "***bold*** __under__ ~~gone~~",
    "line\n\n# next\r\n```\nfence",
    "back\\|slash",
    "&lt;b&gt; &#60;",
    "$x$ $$y$$",
    "http://evil.example www.evil.example",
    "trailing \\",
    "\u202edcba\u2066",
    "<!-- comment -->",
    "a\u0000b",
    "[x]: http://evil",
    "| --- |",
    "",
]


def inline_of(markdown: str) -> Token:
    """The one line of prose that a text must be."""
    tokens = MARKDOWN.parse(markdown)
    assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"]
    return tokens[1]


def said(token: Token) -> str:
    children = token.children or []
    assert {child.type for child in children} <= {"text", "text_special"}, markdown_of(token)
    return "".join(child.content for child in children)


def markdown_of(token: Token) -> str:
    return token.content


@each_case("text", ATTACKS)
def test_an_attack_in_prose_comes_out_as_the_characters_it_consists_of(text: str) -> None:
    escaped = escape_text(text)
    if one_line(text):
        assert said(inline_of(escaped)) == one_line(text)
    assert "<" not in escaped
    assert "\n" not in escaped


@given(hostile_text)
def test_any_text_in_prose_comes_out_as_the_characters_it_consists_of(text: str) -> None:
    if one_line(text):
        assert said(inline_of(escape_text(text))) == one_line(text)


@given(st.lists(hostile_text, min_size=3, max_size=3))
def test_a_cell_never_ends_early_and_never_holds_structure(texts: list[str]) -> None:
    rendered = table(("A", "B", "C"), [[escape_text(text) for text in texts]])
    assert len(rendered.splitlines()) == 3
    cells = cells_of(rendered)
    assert [said(cell) for cell in cells] == [one_line(text) for text in texts]


@given(st.lists(hostile_text, min_size=3, max_size=3))
def test_code_in_a_cell_keeps_the_cells_apart(texts: list[str]) -> None:
    rendered = table(("A", "B", "C"), [[cell_code(text) for text in texts]])
    assert len(rendered.splitlines()) == 3
    cells = cells_of(rendered)
    assert len(cells) == 3
    for cell in cells:
        assert {child.type for child in cell.children or []} <= {"text", "text_special", "code_inline"}


@each_case("text", ["a|b", "a``b", "`", "price_cents", "x' OR 1=1 --", "<b>", "a\\b", "[x](y)"])
def test_code_shows_a_name_exactly(text: str) -> None:
    (cell,) = cells_of(table(("A",), [[cell_code(text)]]))
    (code,) = cell.children or []
    assert code.type == "code_inline"
    assert code.content == text


@each_case("text", ["a\\|b", "ends with \\", "", "  "])
def test_what_cannot_be_code_in_a_cell_is_still_told(text: str) -> None:
    (cell,) = cells_of(table(("A",), [[cell_code(text)]]))
    assert text.strip() in said(cell)


def cells_of(rendered: str) -> list[Token]:
    tokens = MARKDOWN.parse(rendered)
    inside = [tokens[i + 1] for i, token in enumerate(tokens) if token.type == "td_open"]
    assert [token.type for token in tokens].count("tr_open") == 2, rendered
    return inside


@given(hostile_text)
def test_inline_code_is_one_piece_of_code(text: str) -> None:
    (first, *rest) = inline_of("x " + code_span(text)).children or []
    assert first.type == "text"
    assert [token.type for token in rest if token.type == "code_inline"] == ["code_inline"] or not text.strip()


@given(hostile_text)
def test_a_fence_cannot_be_closed_from_within(text: str) -> None:
    (token,) = MARKDOWN.parse(fence(text, "sql"))
    assert token.type == "fence"
    assert token.info == "sql"


def test_invisible_characters_are_shown() -> None:
    assert show_invisible("a\u202eb\x00") == "a\\u202Eb\\u0000"
    assert show_invisible("plain") == "plain"
    assert "\\u2066" in code_span("x\u2066y")


def test_names_with_underscores_stay_readable_in_the_source() -> None:
    assert escape_text("Use cust_id for joins, not cust_no.") == "Use cust_id for joins, not cust_no."


def test_a_link_leads_from_page_to_page() -> None:
    assert relative_link("shop/sales/sales.orders.md", "shop/crm/crm.customer.md") == "../crm/crm.customer.md"
    assert relative_link("README.md", "shop/README.md") == "shop/README.md"
    assert link("a", "x/a.md", "x/b c(d).md") == "[a](b%20c%28d%29.md)"


_PATHS = st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map(lambda parts: "/".join(parts) + ".md")


@given(_PATHS, _PATHS)
def test_a_link_leads_where_the_file_system_would(page: str, target: str) -> None:
    assert relative_link(page, target) == posixpath.relpath(target, posixpath.dirname(page) or ".")


# --- Mermaid --------------------------------------------------------------------------------------------------------

ENTITY = re.compile(r'    "[^"%\\\n\r]+"( \{)?')
ATTRIBUTE = re.compile(r"        [A-Za-z][A-Za-z0-9_]* [A-Za-z][A-Za-z0-9_]*( PK| FK| PK, FK)?")
EDGE = re.compile(r'    "[^"%\\\n\r]+" \}o(?:--|\.\.)(\|\||o\|) "[^"%\\\n\r]+" : "[^"%\\\n\r]+"')


def key(child: str, parent: str, column: str = "parent_id", *, nullable: bool = False) -> Relationship:
    return Relationship(
        name="fk",
        from_table=child,
        from_columns=[column],
        from_domain="d",
        to_table=parent,
        to_columns=["id"],
        to_domain="d",
        nullable=nullable,
        source="declared",
        description="",
    )


@given(st.lists(hostile_text.filter(bool), min_size=2, max_size=4, unique=True))
def test_a_diagram_of_hostile_names_keeps_to_the_grammar(names: list[str]) -> None:
    tables = [ErTable(name, name, (ErColumn(name, name, True, True), ErColumn(name, "int"))) for name in names]
    diagram = er_diagram(tables, [key(name, names[0], names[-1]) for name in names])
    first, *rest = diagram.splitlines()
    assert first == "erDiagram"
    for line in rest:
        assert ENTITY.fullmatch(line) or ATTRIBUTE.fullmatch(line) or EDGE.fullmatch(line) or line == "    }", line
    labels = [line.strip().split('"')[1] for line in rest if ENTITY.fullmatch(line)]
    assert len(labels) == len(set(labels)) == len(names)


def test_names_that_mermaid_takes_for_statements_are_written_otherwise() -> None:
    diagram = er_diagram([ErTable("a", "direction TB", (ErColumn("PK", "FK", True),))], [key("a", "a", "up")])
    assert diagram.splitlines()[:-1] == ["erDiagram", '    "direction_TB" {', "        c_FK c_PK PK", "    }"]


def test_only_tables_that_keys_join_are_drawn() -> None:
    tables = [ErTable("a", "a"), ErTable("b", "b"), ErTable("alone", "alone"), ErTable("self", "self")]
    diagram = er_diagram(tables, [key("a", "b", "b_id"), key("self", "self", "up_id"), key("alone", "elsewhere", "x")])
    assert '"alone"' not in diagram
    assert drawn_tables(diagram) == 3
    assert er_diagram(tables, []) == ""


def likely(child: str, parent: str, *columns: str) -> DocumentedInferredKey:
    return DocumentedInferredKey(
        from_table=child,
        from_columns=list(columns),
        to_table=parent,
        to_columns=["id"] * len(columns),
        confidence=0.88,
        evidence=[
            KeyEvidence(kind="name", of=parent),
            KeyEvidence(kind="sister", of="d.s.sis|ter.c_id"),
            KeyEvidence(kind="view", of="d.s.v"),
            KeyEvidence(kind="shared_name", of=parent),
            KeyEvidence(kind="values", of=f"{parent}.id", compared=1812, found=1811),
        ],
        path="d/other.md",
    )


def test_a_likely_key_is_dotted_says_so_and_comes_after_declared_ones() -> None:
    tables = [ErTable(name, name) for name in "abcd"]
    guesses = [likely("c", "d", "d_id"), likely("c", "gone", "x"), likely("b", "a", "a_id")]
    diagram = er_diagram(tables, [key("a", "b")], likely=guesses)
    edges = [line for line in diagram.splitlines() if " : " in line]
    assert edges == [
        '    "a" }o--|| "b" : "parent_id"',
        '    "b" }o..o| "a" : "likely a_id"',
        '    "c" }o..o| "d" : "likely d_id"',
    ]
    assert all(map(EDGE.fullmatch, edges))
    few = er_diagram(tables, [key("a", "b")], limit=2, likely=[likely("c", "d", "d_id"), likely("d", "c", "c_id")])
    assert ('"a"' in few, '"c"' in few) == (True, False)
    assert "%% 2 more tables are left out" in few
    assert "%% 1 more table is left out" in er_diagram(tables[:3], [key("a", "b")])


def test_the_reasons_for_a_likely_key_are_reported_in_words() -> None:
    assert why_likely(likely("d.s.c", "d.s.p", "p_id")) == (
        "named after it; d.s.sis|ter.c_id, of the same name and type, declares it; d.s.v joins them; both have this "
        "name; 1,811 of 1,812 sampled values are found there (88 % likely)"
    )


@given(hostile_text.filter(bool))
def test_a_likely_key_between_hostile_names_stays_one_item_of_a_list(name: str) -> None:
    child, parent = (format_name(("d", "s", each)) for each in (name, f"{name} "))
    document = table_document("d.s.t", "id", domain="d").model_copy(
        update={"name": child, "inferred_keys": [likely(child, parent, name), likely(parent, child, name)]}
    )
    tokens = MARKDOWN.parse(likely_key_list(document, "d/own.md"))
    kinds = [token.type for token in tokens if token.nesting >= 0]
    assert kinds == ["bullet_list_open", *["list_item_open", "paragraph_open", "inline"] * 2]
    inside = {child.type for token in tokens for child in token.children or []}
    assert inside <= {"text", "text_special", "code_inline", "link_open", "link_close"}


def test_underscores_that_markdown_would_take_for_emphasis_stay_in_a_diagram() -> None:
    diagram = er_diagram([ErTable("a", "s._a_"), ErTable("b", 's."two words"')], [key("a", "b", "_up_id")])
    assert '    "s.#95;a#95;" }o--|| "s.two words" : "#95;up_id"' in diagram.splitlines()


def test_a_large_diagram_keeps_the_most_connected_tables_and_says_how_many_it_lacks() -> None:
    tables = [ErTable(f"t{n:02}", f"t{n:02}") for n in range(30)]
    keys = [key(f"t{n:02}", "t29") for n in range(20, 29)]
    assert drawn_tables(er_diagram(tables, keys, limit=10)) == 10
    assert "%% 20 more tables are left out" in er_diagram(tables, keys, limit=10)
    assert "left out" not in er_diagram(tables[20:], keys, limit=10)
    more = [key("t00", "t01"), key("t02", "t03"), key("t04", "t04")]
    diagram = er_diagram(tables, [*keys, *keys, *more], limit=10)
    assert "%% 20 more tables are left out" in diagram
    assert [f'"t{n}"' in diagram for n in range(20, 30)] == [True] * 10
    assert '"t00"' not in diagram


def test_the_order_of_tables_and_keys_does_not_change_a_diagram() -> None:
    tables = [ErTable(name, name) for name in "abc"]
    keys = [key("a", "b"), key("c", "b", nullable=True)]
    assert er_diagram(tables, keys) == er_diagram(tables[::-1], keys[::-1])
    assert '"c" }o--o| "b" : "parent_id"' in er_diagram(tables, keys)


# --- SQL and words --------------------------------------------------------------------------------------------------


def test_after_a_left_join_every_join_is_left() -> None:
    chain = [
        Join(SqlTable("s", "b"), (("b_id", "id"),), keeps_every_row=True),
        Join(SqlTable("s", "c"), (("c_id", "id"),), onto=1),
        Join(SqlTable("s", "d"), (("d_id", "id"),), keeps_every_row=True, onto=2),
    ]
    assert join_sql(SqlTable("s", "a"), chain, "postgres").splitlines() == [
        "SELECT *",
        "FROM s.a AS t0",
        "INNER JOIN s.b AS t1 ON t0.b_id = t1.id",
        "LEFT JOIN s.c AS t2 ON t1.c_id = t2.id",
        "LEFT JOIN s.d AS t3 ON t2.d_id = t3.id;",
    ]


def test_names_in_sql_are_quoted_by_the_dialect() -> None:
    join = Join(SqlTable("PUBLIC", "User Roles", "PROD"), (("order", 'ro"le'),))
    sql = join_sql(SqlTable("PUBLIC", "USERS", "PROD"), [join], "snowflake")
    assert 'FROM PROD.PUBLIC.USERS AS t0\nLEFT JOIN PROD.PUBLIC."User Roles" AS t1 ON t0."order" = t1."ro""le";' in sql


def test_words_fit_into_sentences() -> None:
    assert listing(["a", "b", "c"]) == "a, b and c"
    assert listing(["a", "b", "c"], limit=2) == "a, b and 1 more"
    assert rows_phrase(-1) == "number of rows unknown"
    assert rows_phrase(1234) == "about 1,234 rows"
    assert rows_phrase(1234, "2026-11-27T08:00:00Z") == "about 1,234 rows on 2026-11-27"


@given(st.text(max_size=60), st.integers(min_value=2, max_value=40))
def test_a_shortened_text_keeps_its_limit(text: str, limit: int) -> None:
    short = shorten(text, limit)
    assert len(short) <= limit
    assert short == text or short.endswith("…")


def test_a_relation_is_shown_from_the_side_of_the_child() -> None:
    assert relation_sentence("orders", "Customers", nullable=False) == (
        "Each row of orders refers to one row of Customers."
    )
    assert relation_sentence("emp", "emp", nullable=True, columns=("boss", "firm")) == (
        "Each row of emp may refer to one row of the same table by boss and firm."
    )


def test_a_column_that_is_unique_on_its_own_by_a_key_or_an_index_is_marked() -> None:
    indexes = [
        DocumentedIndex(name="label", columns=["label"], unique=True),
        DocumentedIndex(name="some", columns=["code"], unique=True, predicate="active"),
        DocumentedIndex(name="slow", columns=["code"], unique=False),
        DocumentedIndex(name="both", columns=["code", "part"], unique=True),
        DocumentedIndex(name="t_pkey", columns=["id"], unique=True),
    ]
    alone = table_document("d.s.t", "id label code part", domain="d").model_copy(update={"indexes": indexes})
    pair = alone.model_copy(
        update={
            "primary_key": DocumentedKey(name="pk", columns=["id", "part"]),
            "unique_keys": [DocumentedKey(name="uk", columns=["part"])],
        }
    )
    assert _key_marks(table_page(alone, "d/own.md")) == {"id": "PK", "label": "UK", "code": "", "part": ""}
    assert _key_marks(table_page(pair, "d/own.md")) == {"id": "PK, UK", "label": "UK", "code": "", "part": "UK"}


def _key_marks(page: str) -> dict[str, str]:
    rows = [line.split(" | ") for line in page.splitlines() if line.startswith("| `")]
    return {cells[0].strip("| `"): cells[2].strip() for cells in rows if len(cells) == 7}
