"""Tables in DBML: what a table holds is in its block, and no name or text can end its quotes."""

from __future__ import annotations

import json
import re

from hypothesis import given
from hypothesis import strategies as st

from tests.sample_shop.indexed import Key, table_document
from tribal.identity.table_names import format_name
from tribal.rendering.dbml import dbml_refs, dbml_table
from tribal_contracts import (
    DocumentedForeignKey,
    DocumentedIndex,
    DocumentedInferredKey,
    DocumentedKey,
    DocumentedRelation,
    TableDocument,
)

LINE = table_document(
    "shop.sales.line",
    "order_id line_no item_id note",
    domain="sales",
    keys=[Key(("item_id",), "stock.item", ("item_id",), nullable=True)],
    comment="Lines of orders.",
)
HOSTILE = '"; Table "x" { "y" int }\n// \\" \u202eevil\x00 \'quoted\' `run`'
QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')


def changed(**fields: object) -> TableDocument:
    return LINE.model_copy(update=fields)


def read(quoted: str) -> str:
    """Undo the escapes of DBML, which are those of JSON, and of the single quote."""
    return str(json.loads('"' + quoted.replace("\\'", "'") + '"'))


def test_a_block_has_columns_with_types_keys_and_descriptions() -> None:
    assert dbml_table(LINE).splitlines() == [
        'Table "sales"."line" {',
        '  "order_id" "integer" [pk, not null, note: \'The order_id.\']',
        '  "line_no" "integer" [not null, note: \'The line_no.\']',
        '  "item_id" "integer" [note: \'The item_id.\']',
        '  "note" "text" [not null, note: \'The note.\']',
        "",
        "  Note: 'Lines of orders.'",
        "}",
    ]


def test_keys_of_several_columns_and_indexes_are_listed_once() -> None:
    block = dbml_table(
        changed(
            primary_key=DocumentedKey(name="line_pkey", columns=["order_id", "line_no"]),
            unique_keys=[
                DocumentedKey(name="line_item", columns=["order_id", "item_id"]),
                DocumentedKey(name="line_note", columns=["note"]),
            ],
            indexes=[
                DocumentedIndex(name="line_pkey", columns=["order_id", "line_no"], unique=True),
                DocumentedIndex(name="line_item", columns=["order_id", "item_id"], unique=True),
                DocumentedIndex(name="lower_note", columns=["lower(note)", "item_id"], unique=True),
                DocumentedIndex(name="open", columns=["item_id"], unique=True, predicate="(note = 'open')"),
            ],
        )
    )
    assert '"note" "text" [unique, not null' in block
    start = block.index("  indexes {")
    assert block[start : block.index("  }", start)].splitlines()[1:] == [
        '    ("order_id", "line_no") [pk]',
        '    ("order_id", "item_id") [unique, name: \'line_item\']',
        "    (`lower(note)`, \"item_id\") [unique, name: 'lower_note']",
        "    (\"item_id\") [name: 'open', note: 'unique where (note = \\'open\\')']",
    ]


def test_a_default_is_an_expression_unless_it_cannot_be_written_as_one() -> None:
    for default, written in (("now()", "`now()`"), ("a`b", "'a`b'"), ("a\nb", "'a\\nb'")):
        column = LINE.columns[0].model_copy(update={"default_value": default})
        assert f"default: {written}" in dbml_table(changed(columns=[column]))


def test_a_table_without_columns_is_a_comment_and_a_view_says_what_it_is() -> None:
    assert dbml_table(changed(columns=[])).startswith("// ")
    assert "Note: 'A materialized view. Lines of orders.'" in dbml_table(changed(kind="materialized_view"))


def test_keys_name_both_ends_and_say_whether_there_is_one_row() -> None:
    (ref,) = dbml_refs(LINE)
    assert (ref.other, ref.line) == ("shop.stock.item", 'Ref: "sales"."line"."item_id" > "stock"."item"."item_id"')
    key = DocumentedForeignKey(
        name="both",
        columns=["order_id", "line_no"],
        references_table="shop.sales.plan",
        references_columns=["a", "b"],
        nullable=False,
        on_delete="SET NULL",
    )
    # Two keys over the same columns would make the file invalid.
    (ref,) = dbml_refs(changed(foreign_keys=[key, key.model_copy(update={"name": "again"})]))
    assert ref.line == 'Ref: "sales"."line".("order_id", "line_no") - "sales"."plan".("a", "b") [delete: set null]'


def test_a_key_to_the_same_columns_is_left_out_and_two_that_mirror_each_other_are_one() -> None:
    (key,) = LINE.foreign_keys
    own = key.model_copy(update={"references_table": LINE.name})
    assert dbml_refs(changed(foreign_keys=[own])) == []
    mirrored = DocumentedRelation(
        name="shop.stock.item",
        relationship="referenced_by",
        via_columns=["item_id"],
        other_columns=["item_id"],
        path="",
        description="",
    )
    assert len(dbml_refs(changed(relations=[mirrored]))) == 1
    assert dbml_refs(changed(name="shop.zoo.line", relations=[mirrored])) == []


def test_a_likely_key_is_a_comment_of_the_table_that_holds_it() -> None:
    likely = DocumentedInferredKey(
        from_table=LINE.name,
        from_columns=["note"],
        to_table="shop.stock.note",
        to_columns=["id"],
        confidence=0.9,
        evidence=[],
        path="",
    )
    other = likely.model_copy(update={"from_table": "shop.stock.note", "to_table": LINE.name})
    (ref,) = dbml_refs(changed(foreign_keys=[], inferred_keys=[likely, other]))
    assert ref.line == '// likely: Ref: "sales"."line"."note" > "stock"."note"."id"'


@given(st.text(min_size=1) | st.just(HOSTILE), st.text(min_size=1) | st.just(HOSTILE))
def test_any_name_and_text_is_read_back_and_stays_in_its_quotes(name: str, text: str) -> None:
    column = LINE.columns[0].model_copy(
        update={
            "name": name,
            "type": text,
            "default_value": text,
            "description": LINE.description.model_copy(update={"text": text}),
        }
    )
    key = LINE.foreign_keys[0].model_copy(
        update={"columns": [name], "references_table": format_name(("shop", text, name)), "references_columns": [text]}
    )
    table = changed(
        table=name,
        columns=[column],
        foreign_keys=[key],
        primary_key=None,
        description=column.description,
        indexes=[DocumentedIndex(name=text, columns=[text + "()", name], unique=False)],
    )
    lines = dbml_table(table).split("\n")
    assert len(lines) == 9
    assert [read(each) for each in QUOTED.findall(lines[0])] == ["sales", name]
    assert [read(each) for each in QUOTED.findall(lines[1])[:2]] == [name, text]
    (ref,) = dbml_refs(table)
    assert [read(each) for each in QUOTED.findall(ref.line)] == ["sales", name, name, text, name, text]
    assert not re.search(r"[\x00-\x1f\u202a-\u202e]", "".join(lines) + ref.line)
