"""What stands before a dot, in SQL and in sentences."""

from __future__ import annotations

import pytest

from tribal.catalog.qualifiers import literals, qualifiers, sql_qualifiers


@pytest.mark.parametrize(
    ("sql", "schemas"),
    [
        ("nextval('vault.seq'::regclass)", {"vault"}),
        ('nextval(\'"Va""ult".seq\'::pg_catalog.regclass)', {'Va"ult', "pg_catalog"} - {"pg_catalog"}),
        ("vault.f(id, pub.g(1.5))", {"vault", "pub"}),
        ("'www.example.com'::text", set()),
        ('"It\'s"."x"[]', {"It's"}),
        ("'a'::vault.mood", {"vault"}),
        ("numeric(10,2)", set()),
        ("lower(name)", set()),
        ("(address).city", set()),
    ],
)
def test_sql_names_the_schemas_before_its_dots(sql: str, schemas: set[str]) -> None:
    assert sql_qualifiers(sql) == schemas


def test_a_sentence_names_the_first_part_of_every_dotted_name() -> None:
    text = 'It\'s the row (vault."a b".id) and pub.x.'
    assert qualifiers(text) == {"vault", "pub"}
    assert qualifiers("From 1.5 to 2.5. Next.") == frozenset()


def test_literals_are_what_is_quoted() -> None:
    assert literals("f('it''s', 'b'::text)") == ["it's", "b"]
