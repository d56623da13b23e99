"""What stands before a dot, in SQL and in sentences."""

from __future__ import annotations

from tests.cases import each_case
from tribal.sql.qualifiers import literals, qualifiers, sql_qualifiers


@each_case(
    ("sql", "schemas"),
    [
        ("nextval('vault.seq'::regclass)", {"vault"}),
        ('nextval(\'"Va""ult".seq\'::pg_catalog.regclass)', {'Va"ult', "pg_catalog"} - {"pg_catalog"}),
        ("vault.f(id, pub.g(1.5))", {"vault", "pub"}),
        ("'www.example.com'::text", set()),
        ('"It\'s"."x"[]', {"It's"}),
        ("'a'::vault.mood", {"vault"}),
        ('SELECT id AS "Name.Prefix" FROM vault.t', {"vault"}),
        ("numeric(10,2)", set()),
        ("lower(name)", set()),
        ("(address).city", set()),
    ],
)
def test_sql_names_the_schemas_before_its_dots(sql: str, schemas: set[str]) -> None:
    assert sql_qualifiers(sql, "postgres") == schemas


@each_case(
    ("sql", "schemas", "texts"),
    [
        ("iff(a = 'it\\'s', vault.f(1), 'x.y')", {"vault"}, ["it's", "x.y"]),
        ("a = 'x\\\\' and vault.f(1) = 'y'", {"vault"}, ["x\\", "y"]),
        ("$$it's x.y$$ || vault.f(1)", {"vault"}, ["it's x.y"]),
        ("vault.f(1) // it's old.f(1)\n + b.g(2)", {"vault", "old", "b"}, ["// it's old.f(1)"]),
    ],
)
def test_snowflake_ends_literals_by_its_own_rules_and_comments_count_as_both(
    sql: str, schemas: set[str], texts: list[str]
) -> None:
    assert sql_qualifiers(sql, "snowflake") == schemas
    assert literals(sql, "snowflake") == texts


def test_a_sentence_names_the_first_part_of_every_dotted_name() -> None:
    text = 'It\'s the row (vault."a b".id) and pub.x.'
    assert qualifiers(text) == {"vault", "pub"}
    assert qualifiers("From 1.5 to 2.5. Next.") == frozenset()


def test_literals_are_what_is_quoted() -> None:
    assert literals("f('it''s', 'b'::text)", "postgres") == ["it's", "b"]
