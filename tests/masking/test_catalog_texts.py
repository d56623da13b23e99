"""A table of the catalog: which of its texts are whose, and what is left of them."""

from __future__ import annotations

from tests.fakes.catalogs import column, table
from tribal.masking import redact_labels, redact_table
from tribal_contracts import CatalogCheck, CatalogIndex, CatalogTable

SECRET = "Zr7 quelk"


LITERAL = f"'{SECRET}'::text"


def secretive_table() -> CatalogTable:
    made = table(
        "shop.account",
        column("password", "text").model_copy(update={"default_value": LITERAL}),
        column("security_answer", "public.answer").model_copy(update={"enum_values": [SECRET, "other"]}),
        column("api_key", "text").model_copy(update={"generated": f"CASE WHEN (kind = {LITERAL}) THEN {LITERAL} END"}),
        column("kind", "text").model_copy(update={"default_value": "'plain one'::text", "enum_values": ["a b", "c d"]}),
    )
    index = CatalogIndex(
        name="i",
        columns=["kind", f"replace(password, {LITERAL}, ''::text)"],
        unique=False,
        predicate=f"(password = {LITERAL})",
    )
    check = CatalogCheck(name="c", expression=f"((password <> {LITERAL}) AND (kind <> 'plain one'::text))")
    # The name of the column says what the view selects under another one.
    view = f" SELECT {LITERAL}, a.kind FROM a WHERE a.kind = 'plain one'::text"
    columns = [made.columns[1], made.columns[4], made.columns[2], made.columns[3]]
    return made.model_copy(update={"indexes": [index], "checks": [check], "view_definition": view, "columns": columns})


def test_every_text_of_a_table_loses_what_belongs_to_a_secret_and_nothing_else() -> None:
    before = secretive_table()
    after = redact_table(before, "postgres")
    assert SECRET not in after.to_json().decode()
    assert after.to_json().count(b"plain one") == before.to_json().count(b"plain one") == 3
    by_name = {each.name: each for each in after.columns}
    assert by_name["password"].default_value == "'[password]'::text"
    assert by_name["security_answer"].enum_values is None
    assert by_name["api_key"].generated == "CASE WHEN (kind = '[api_key]'::text) THEN '[api_key]'::text END"
    assert by_name["kind"].enum_values == ["a b", "c d"]
    assert after.indexes[0].columns == ["kind", "replace(password, '[password]'::text, ''::text)"]
    assert redact_table(after, "postgres") == after


def test_the_expressions_that_snowflake_clusters_by_lose_secrets_too() -> None:
    made = table("SHOP.ACCOUNT", column("KIND", "VARCHAR"))
    before = made.model_copy(update={"clustering_key": "LINEAR(KIND, IFF(PASSWORD = 'it\\'s quelk', 1, 0))"})
    assert redact_table(before, "snowflake").clustering_key == "LINEAR(KIND, IFF(PASSWORD = '[password]', 1, 0))"


def test_labels_stay_if_none_of_them_can_be_a_value() -> None:
    assert redact_labels(["Y", "N"], table="t", column="password") == ["Y", "N"]
    assert redact_labels(["Y", SECRET], table="t", column="password") is None
    assert redact_labels(["open", "a@example.com"], table="t", column="kind") == ["open", "[email]"]
