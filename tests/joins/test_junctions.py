"""Which tables only relate rows of others."""

from __future__ import annotations

from tests.cases import each_case
from tests.sample_shop.indexed import Key, table_document
from tribal.joins.graph import is_junction

BOOK, AUTHOR = Key(("book_id",), "s.book", ("id",)), Key(("author_id",), "s.author", ("id",))
EDITION = Key(("book_id", "edition"), "s.edition", ("book_id", "number"))


@each_case(
    ("columns", "keys", "expected"),
    [
        ("book_id author_id", [BOOK, AUTHOR], True),
        ("id book_id author_id", [BOOK, AUTHOR], True),
        ("book_id edition author_id", [EDITION, AUTHOR], True),
        ("id book_id author_id share", [BOOK, AUTHOR], False),
        ("share book_id author_id remark", [BOOK, AUTHOR], False),
        ("book_id author_id share", [BOOK, AUTHOR], False),
        ("book_id edition", [EDITION], False),
        ("id book_id", [BOOK], False),
        ("id", [], False),
    ],
)
def test_a_junction_table_has_two_keys_and_no_column_of_its_own_but_an_id(
    columns: str, keys: list[Key], expected: bool
) -> None:
    assert is_junction(table_document("db.s.written", columns, domain="d", keys=keys)) is expected


def test_without_a_primary_key_every_column_is_of_a_foreign_key() -> None:
    table = table_document("db.s.written", "book_id author_id", domain="d", keys=[BOOK, AUTHOR])
    assert is_junction(table.model_copy(update={"primary_key": None}))
    more = table_document("db.s.written", "line book_id author_id", domain="d", keys=[BOOK, AUTHOR])
    assert not is_junction(more.model_copy(update={"primary_key": None}))
