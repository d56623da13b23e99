"""SQL is code: its literals are shown, unless one is a personal value or belongs to a column for secrets."""

from __future__ import annotations

from tests.cases import each_case
from tests.fakes.catalogs import column, table
from tribal.masking import redact_expression, redact_labels, redact_table, redact_view
from tribal_contracts import CatalogCheck, CatalogExclusion, CatalogIndex


@each_case(
    ("column_name", "sql"),
    [
        ("message", "'Success'::text"),
        ("note", "'Not assigned yet'::text"),
        ("comment", "'none, see the wiki'::text"),
        ("last_name", "'Unknown'::character varying"),
        ("owner", "'Data Platform Team'::text"),
        ("created_by", "CURRENT_USER || ' (import)'::text"),
        ("user_name", "'system'::text"),
        ("email", "'unknown'::text"),
        ("phone", "'n/a, ext. 100'::text"),
        ("account_number", "'0000000000'::text"),
        ("account_number", "nextval('shop.account_number_2024_1_seq'::regclass)"),
        ("card_number", "1000000000000000"),
        ("address", "'same as billing address'::text"),
        ("city", "'Springfield'::text"),
        ("ip_address_family", "'ipv4 address'::text"),
        ("birth_date", "'1900-01-01'::date"),
        ("salary", "30000"),
        ("diagnosis", "'to be confirmed'::text"),
        ("password_state", "'must be changed'::text"),
    ],
)
def test_a_literal_that_is_code_stays_whatever_its_column_is_called(column_name: str, sql: str) -> None:
    assert redact_expression(sql, table="thing", column=column_name, dialect="postgres") == sql
    condition = f"((kind = 'x'::text) OR ({column_name} <> {sql}))"
    assert redact_expression(condition, table="thing", dialect="postgres") == condition
    view = f" SELECT t.id,\n    {sql} AS {column_name}\n   FROM t\n  WHERE t.{column_name} <> {sql};"
    assert redact_view(view, view="v", columns=("id", column_name), dialect="postgres") == view


@each_case(
    ("column_name", "sql", "redacted"),
    [
        ("setting", "'ann.miller@example.com'::text", "'[email]'::text"),
        ("setting", "'call +49 170 1234567'::text", "'call [phone]'::text"),
        ("setting", "'postgresql://etl:Xk9mm2pL@db1/dwh'::text", "'postgresql://[credentials]@db1/dwh'::text"),
        ("setting", "'the password is Xk9mm2'::text", "'the password is [secret]'::text"),
        ("setting", "'AKIAIOSFODNN7EXAMPLE'::text", "'[api_key]'::text"),
        ("setting", "'10.20.30.40'::inet", "'[ip_address]'::inet"),
        ("setting", "'DE89370400440532013000'::text", "'[iban]'::text"),
        ("setting", "'4111 1111 1111 1111'::text", "'[card]'::text"),
        ("setting", "'Maria Silva'::text", "'[person_name]'::text"),
        ("note", "'Maria Silva'::text", "'[person_name]'::text"),
        ("last_name", "'Schneider'::text", "'[person_name]'::text"),
        ("assigned_to", "'Anna'::text", "'[person_name]'::text"),
        ("bank_account", "'1234 5678'::text", "'[bank_account]'::text"),
        ("bank_account", "12345678", "[bank_account]"),
        ("passport_no", "'C01X00T47 12345'::text", "'[identity_document]'::text"),
        ("password", "'changeme'::text", "'[password]'::text"),
        ("api_token", "'none yet'::text", "'[secret]'::text"),
        ("login_pin", "4711", "[password]"),
    ],
)
def test_a_personal_value_is_hidden_and_so_is_every_value_of_a_column_for_secrets(
    column_name: str, sql: str, redacted: str
) -> None:
    assert redact_expression(sql, table="thing", column=column_name, dialect="postgres") == redacted
    view = f" SELECT t.id,\n    {{}} AS {column_name}\n   FROM t\n  WHERE t.{column_name} <> {{}};"
    shown = redact_view(view.format(sql, sql), view="v", columns=("id", column_name), dialect="postgres")
    assert shown == view.format(redacted, redacted)


def test_a_word_for_a_secret_elsewhere_in_the_sql_hides_no_literal() -> None:
    view = " SELECT u.pin_mode AS mode, 1234 AS code, 'must be changed'::text AS password_state FROM users u"
    assert redact_view(view, view="v", columns=("mode", "code", "password_state"), dialect="postgres") == view


def test_whether_a_plain_name_is_that_of_a_person_depends_on_its_table() -> None:
    view = " SELECT p.id FROM person p JOIN country c ON c.id = p.c WHERE p.name = 'Jordan' AND c.name = 'Jordan'"
    shown = redact_view(view, view="v", columns=("id",), dialect="postgres")
    assert shown == view.replace("p.name = 'Jordan'", "p.name = '[person_name]'")


def test_code_stays_in_every_part_of_a_table() -> None:
    literal = "'Not assigned yet'::text"
    made = table("shop.ticket", column("note", "text").model_copy(update={"default_value": literal}))
    generated = column("owner", "text").model_copy(update={"generated": f"COALESCE(note, {literal})"})
    index = CatalogIndex(name="i", columns=[f"NULLIF(note, {literal})"], unique=False, predicate=f"(owner = {literal})")
    before = made.model_copy(
        update={
            "columns": [*made.columns, generated],
            "indexes": [index],
            "checks": [CatalogCheck(name="c", expression=f"(note <> {literal})")],
            "exclusions": [
                CatalogExclusion(name="e", definition=f"EXCLUDE USING btree (id WITH =) WHERE (note <> {literal})")
            ],
            "partition_key": f"LIST (COALESCE(owner, {literal}))",
            "view_definition": f" SELECT {literal} AS comment, t.id FROM t WHERE t.owner = {literal}",
        }
    )
    assert redact_table(before, "postgres") == before


@each_case(
    ("column_name", "labels", "shown"),
    [
        ("contact", ["by mail", "by phone"], ["by mail", "by phone"]),
        ("nationality", ["domestic", "foreign"], ["domestic", "foreign"]),
        ("owner", ["team", "Schneider"], ["team", "[person_name]"]),
        ("password", ["weak one", "strong one"], None),
    ],
)
def test_labels_are_code_too(column_name: str, labels: list[str], shown: list[str] | None) -> None:
    assert redact_labels(labels, table="thing", column=column_name) == shown
