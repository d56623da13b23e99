"""How well everything is documented, and what the problems are."""

from __future__ import annotations

import pytest

from tests.cases import each_case
from tests.fakes import MemoryStore
from tests.fakes.catalogs import column, table
from tests.fakes.interrogation import open_gap
from tests.sample_shop.documented import Shop
from tribal.documenting import lint
from tribal.documenting.lint import Coverage, is_documented
from tribal.errors import ManifestError
from tribal.identity import locations
from tribal.ports.remembering.guidance import Guidance
from tribal.rendering.gaps import restates
from tribal_contracts import CatalogTable, Description, LintRules, LocatedTerm, TableDocument

ALL = LintRules(orphaned=True)
NOTHING_BUT = {"undocumented": False, "unclear": False, "unmasked": False, "orphaned": False, "without_key": False}


def shop_of(*tables: CatalogTable) -> Shop:
    shop = Shop(tables)
    shop.run()
    return shop


def found(shop: Shop, rules: LintRules = ALL) -> set[tuple[str, str | None, str | None]]:
    return {(finding.rule, finding.table, finding.column) for finding in lint(shop.memory, rules).findings}


def described(text: str, source: str = "derived", confidence: float = 0.9) -> Description:
    return Description.model_validate({"text": text, "source": source, "confidence": confidence})


@each_case(
    ("description", "documented"),
    [
        (described("Refers to crm.customer.id."), True),
        (described("", confidence=0), False),
        (described("Who buys.", "comment"), True),
        (described("x", "human"), True),
        (described("It holds what is sold.", "model", 0.1), True),
        (described("  ", "comment"), False),
    ],
)
def test_documented_is_what_says_more_than_the_name(description: Description, documented: bool) -> None:
    assert is_documented(description) == documented


def test_keys_do_not_tell_what_a_table_is_about() -> None:
    assert not is_documented(described("Refers to crm.customer."), table=True)
    assert is_documented(described("Who buys.", "comment"), table=True)


@each_case(
    ("text", "names", "again"),
    [
        ("Customer number", ("cust_no", "orders"), True),
        ("The order's customer numbers.", ("customer_number", "orders"), True),
        ("Customers.", ("customer", "sales"), True),
        ("The number printed on the customer's card", ("cust_no", "orders"), False),
    ],
)
def test_a_text_of_nothing_but_the_words_of_the_name_restates_it(
    text: str, names: tuple[str, ...], again: bool
) -> None:
    assert restates(text, *names) == again


def test_tables_and_columns_of_which_nothing_is_known_are_undocumented() -> None:
    shop = shop_of(table("sales.thing", column("xyz", "text"), column("name", "text", comment="What it is called.")))
    findings = found(shop)
    assert ("undocumented", "shop.sales.thing", None) in findings
    assert ("undocumented", "shop.sales.thing", "xyz") in findings
    assert not any(where == "name" for _, _, where in findings)


def test_comments_that_say_nothing_are_unclear() -> None:
    shop = shop_of(
        table(
            "sales.customer",
            column("cust_no", "text", comment="Customer number"),
            column("segment", "text", comment="See wiki"),
            column("state", "text", comment="How far the order has come."),
            comment="Customers of sales",
        )
    )
    unclear = {where for rule, _, where in found(shop) if rule == "unclear"}
    assert unclear == {None, "cust_no", "segment"}


def test_a_persons_words_count_and_can_be_unclear_too() -> None:
    shop = Shop([table("sales.customer", column("xyz", "text"))])
    shop.memory.put(
        "annotations/shop.yaml",
        b"tables: {sales.customer: {description: Who has bought from us at least once., columns: {xyz: XYZ}}}",
    )
    shop.run()
    assert found(shop) == {("unclear", "shop.sales.customer", "xyz"), ("orphaned", "shop.sales.customer", None)}


def test_tables_without_a_primary_key_or_any_key_to_others_are_found_and_views_are_not() -> None:
    keyless = table("sales.log", comment="What happened and when.").model_copy(update={"primary_key": None})
    view = keyless.model_copy(update={"table_name": "v_log", "kind": "view"})
    shop = shop_of(
        keyless,
        view,
        table("sales.parent", comment="What others refer to."),
        table("sales.child", references=[("parent_id", "sales.parent")], comment="What refers to it."),
    )
    keys = {(rule, name) for rule, name, _ in found(shop) if rule in ("without_key", "orphaned")}
    assert keys == {("without_key", "shop.sales.log"), ("orphaned", "shop.sales.log")}


def test_a_table_that_a_likely_key_leads_to_or_from_is_not_orphaned() -> None:
    shop = shop_of(
        table("sales.customer", column("email", "text")),
        table("sales.orders", column("customer_id")),
        table("sales.weather", column("degrees", "text")),
    )
    assert shop.document_of("sales.orders").inferred_keys
    assert {name for rule, name, _ in found(shop) if rule == "orphaned"} == {"shop.sales.weather"}


def test_a_value_that_should_have_been_masked_is_found_and_not_repeated() -> None:
    shop = shop_of(table("sales.customer", column("contact", "text"), comment="Who has bought from us."))
    key = f"{locations.DOCS}shop/sales/sales.customer.json"
    document = TableDocument.from_json(shop.memory.get(key).data)
    columns = [
        c.model_copy(update={"samples": ["ann.miller@example.com", "2026-01-01", "17"]}) if c.name == "contact" else c
        for c in document.columns
    ]
    shop.memory.put(key, document.model_copy(update={"columns": columns}).to_json())
    report = lint(shop.memory, LintRules(undocumented=False))
    (finding,) = report.findings
    assert (finding.rule, finding.column) == ("unmasked", "contact")
    assert "email" in finding.message
    assert "ann.miller" not in finding.message
    assert report.failed


def stored(shop: Shop, **changes: object) -> None:
    """Change the document of the customers, as an older version or a person may have written it."""
    key = f"{locations.DOCS}shop/sales/sales.customer.json"
    document = TableDocument.from_json(shop.memory.get(key).data)
    shop.memory.put(key, TableDocument.model_validate({**document.model_dump(by_alias=True), **changes}).to_json())


@each_case(
    ("place", "changes", "column_name", "says"),
    [
        (
            "default",
            {"default_value": "'Zr7quelk'::text"},
            "password",
            "its default shows text",
        ),
        ("generated", {"generated": "lower('Zr7quelk'::text)"}, "password", "its expression shows"),
        ("labels", {"allowed_values": ["Zr7quelk", "other"]}, "password", "its list of values shows"),
        (
            "meaning",
            {"allowed_values": ["1"], "value_meanings": {"1": {"text": "ann.quelk@example.com", "source": "lookup"}}},
            "password",
            "its list of values shows text that looks like email",
        ),
        ("check", {"checks": [{"name": "c", "expression": "(password <> 'Zr7quelk'::text)"}]}, None, "its check 'c'"),
        (
            "predicate",
            {"indexes": [{"name": "i", "columns": ["id"], "unique": False, "predicate": "(password = 'Zr7quelk')"}]},
            None,
            "its index 'i'",
        ),
        (
            "expression",
            {"indexes": [{"name": "i", "columns": ["replace(password, 'Zr7quelk', '')"], "unique": False}]},
            None,
            "its index 'i'",
        ),
        ("view", {"view_definition": "SELECT 'Zr7quelk'::text AS password FROM t"}, None, "its definition shows"),
        ("pattern", {"view_definition": "SELECT id FROM t WHERE a = 'ann@example.com'"}, None, "looks like email"),
    ],
)
def test_a_literal_that_should_have_been_hidden_is_found_and_not_repeated(
    place: str, changes: dict[str, object], column_name: str | None, says: str
) -> None:
    shop = shop_of(table("sales.customer", column("password", "text"), comment="Who has bought from us."))
    if column_name:
        columns = [
            {**c.model_dump(), **(changes if c.name == column_name else {})}
            for c in shop.document_of("sales.customer").columns
        ]
        changes = {"columns": columns}
    assert not lint(shop.memory, ALL).failed
    stored(shop, **changes)
    (finding,) = [each for each in lint(shop.memory, ALL).findings if each.rule == "unmasked"]
    assert (finding.table, finding.column) == ("shop.sales.customer", column_name)
    assert says in finding.message
    assert "quelk" not in finding.message


def test_what_is_hidden_already_is_not_found() -> None:
    shop = shop_of(table("sales.customer", column("password", "text"), comment="Who has bought from us."))
    stored(shop, view_definition="SELECT '[password]'::text AS password, [password] AS pin FROM t WHERE kind = 'open'")
    assert not lint(shop.memory, ALL).failed


@each_case("rule", sorted(NOTHING_BUT))
def test_each_rule_is_switched_on_alone(rule: str) -> None:
    shop = shop_of(
        table("sales.thing", column("xyz", "text"), column("note", "text", comment="Note")).model_copy(
            update={"primary_key": None}
        )
    )
    rules = {found_rule for found_rule, _, _ in found(shop, LintRules.model_validate({**NOTHING_BUT, rule: True}))}
    assert rules == ({rule} if rule != "unmasked" else set())


def test_what_people_wrote_against_the_catalog_is_found_in_descriptions_terms_and_decisions() -> None:
    shop = shop_of(table("sales.customer", column("mail", "text", comment="Mail address, no two customers share one.")))
    terms = [
        LocatedTerm(
            name="mail", definition="The mail is never empty.", columns=["sales.customer.mail"], file="t", line=1
        )
    ]
    decision = Guidance(
        "adr-7", "adr", "org", "Customers: sales.customer has nine columns.", "ada", "2026-01-01T00:00:00Z"
    )
    report = lint(shop.memory, LintRules.model_validate(NOTHING_BUT), terms=terms, decisions=lambda _: [decision])
    assert {each.rule for each in report.findings} == {"contradicted"}
    assert [(each.column, each.message.partition(" says ")[0]) for each in report.findings] == [
        ("mail", "the description of shop.sales.customer.mail"),
        ("mail", "the term 'mail'"),
        (None, "the adr 'adr-7'"),
    ]


def test_coverage_counts_whatever_the_rules_and_decides_against_the_minimum() -> None:
    shop = shop_of(
        table("sales.known", comment="What is known of it."), table("sales.other", column("xyz", "text"), column("b"))
    )
    report = lint(shop.memory, LintRules.model_validate({**NOTHING_BUT, "minimum_coverage": 50}))
    assert report.findings == ()
    assert (report.tables, report.columns) == (Coverage(1, 2), Coverage(2, 4))
    assert report.covered
    assert not lint(shop.memory, LintRules(minimum_coverage=50.1)).covered


def test_per_cent_are_rounded_down_so_that_a_hundred_means_all() -> None:
    assert Coverage(1999, 2000).percent == 99.9
    assert Coverage(0, 0).percent == 100.0


def test_findings_come_in_order_of_tables_whatever_their_domain() -> None:
    shop = shop_of(table("sales.b", column("xyz", "text")), table("billing.a", column("xyz", "text")))
    names = [str(finding.table) for finding in lint(shop.memory, ALL).findings]
    assert names == sorted(names)
    assert len(set(names)) == 2


def test_without_documents_it_says_what_to_do_first() -> None:
    with pytest.raises(ManifestError, match="tribal run"):
        lint(MemoryStore(), ALL)


def test_a_document_that_is_gone_is_an_error_and_not_a_better_coverage() -> None:
    shop = shop_of(table("sales.thing"))
    shop.memory.delete(f"{locations.DOCS}shop/sales/sales.thing.json")
    with pytest.raises(ManifestError, match=r"sales\.thing\.json"):
        lint(shop.memory, ALL)


def test_a_table_that_blocks_questions_is_one_finding_where_the_rule_is_enabled() -> None:
    shop = shop_of(table("sales.customer", column("xyz", "text"), comment="Who has bought something."))
    document = shop.document_of("sales.customer")
    gaps = [open_gap(document, None, "who?"), open_gap(document, "xyz", "who?", "how?")]
    rules = LintRules(**{**NOTHING_BUT, "open_gaps": True})
    (finding,) = lint(shop.memory, rules, gaps=gaps).findings
    assert (finding.rule, finding.table, finding.column) == ("open_gaps", "shop.sales.customer", None)
    assert finding.message.startswith('2 questions cannot be answered without what it lacks, such as "who?"')
    assert lint(shop.memory, LintRules(), gaps=gaps).count("open_gaps") == 0
    low = [open_gap(document, None, "who?", severity="low")]
    assert lint(shop.memory, rules, gaps=low).findings == ()
    shop.memory.put("annotations/shop.yaml", b"tables: {sales.customer: {columns: {xyz: What is known.}}}")
    shop.run()
    assert lint(shop.memory, rules, gaps=gaps).findings == ()
