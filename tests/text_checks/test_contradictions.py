"""Descriptions that contradict the catalog are found; those that only seem to are not."""

from __future__ import annotations

from tests.cases import each_case
from tests.text_checks.described_tables import NEAR_MISSES, PLANTED, Column, Kind, Planted, table
from tribal.text_checks.contradictions import catalog_contradictions
from tribal_contracts import DocumentedCheck, DocumentedIndex, TableDocument


@each_case("planted", PLANTED)
def test_a_planted_contradiction_is_found_with_its_target_and_nothing_else(planted: Planted) -> None:
    (found,) = catalog_contradictions(planted.table)
    target = ".".join(part for part in (planted.table.name, planted.column) if part)
    assert (found.kind, found.target) == (planted.kind, target)
    assert found.description.startswith(f'the description of {target} says "')


@each_case("document", NEAR_MISSES)
def test_a_text_that_only_seems_to_contradict_is_left_alone(document: TableDocument) -> None:
    assert catalog_contradictions(document) == []


def kinds(column: Column) -> list[Kind]:
    """The kinds of contradictions of a table of parcels with this column."""
    return [found.kind for found in catalog_contradictions(table("logistics.parcel", column))]


LEVEL = ("low", "high")
OTHER_WORDS: list[tuple[Kind, Column]] = [
    ("unique", Column("code", "text", "Code, must be unique across all parcels.")),
    ("unique", Column("code", "text", "Every parcel has its own unique code.")),
    ("unique", Column("label", "text", "Unique name of the parcel")),
    ("nullable", Column("returned_on", "date", "Day of the return, may be null")),
    ("nullable", Column("returned_on", "date", "Day of the return, empty while it is under way")),
    ("nullable", Column("grade", "integer", "Not required")),
    ("nullable", Column("depot_id", "bigint", "Optional depot")),
    ("nullable", Column("weight", "integer", "Weight at the counter (required)", null=True)),
    ("nullable", Column("weight", "integer", "Weight, must not be NULL", null=True)),
    ("values", Column("level", "text", "Allowed values are low, high and critical.", values=LEVEL)),
    ("values", Column("level", "text", "One of 'low', 'high', 'critical'", values=LEVEL)),
    ("values", Column("level", "text", "low -> later, high -> today, critical -> now", values=LEVEL, enum=True)),
    ("values", Column("level", "text", "low: can wait. high: today. critical: at once.", values=LEVEL)),
    ("values", Column("level", "text", "L can wait, H today, C at once", values=("L", "H"))),
    ("reference", Column("depot_id", "bigint", "Reference to sales.customer", references="site.site.id")),
    ("reference", Column("depot_id", "bigint", "Link to the customer table", references="site.site.id")),
    ("reference", Column("depot_id", "bigint", "Foreign key into crm.contact (id)", references="site.site.id")),
    ("type", Column("tags", "boolean", "JSON array of tags")),
    ("type", Column("retries", "timestamp without time zone", "Number of retries")),
    ("type", Column("sender", "integer", "E-mail address of the sender")),
    ("type", Column("lost", "date", "Whether the parcel is lost")),
]


@each_case("kind, column", OTHER_WORDS)
def test_a_contradiction_is_found_in_other_words(kind: Kind, column: Column) -> None:
    assert kinds(column) == [kind]


ACCOUNT = "billing.account.id"
ALLOWED = [
    Column("user_id", "bigint", "Unique identifier of the user"),
    Column("customer_no", "text", "Unique customer number"),
    Column("code", "text", "Code; unique per customer"),
    Column("code", "text", "Unique, but only among open parcels"),
    Column("code", "text", "Code. Duplicates are possible, though it looks unique."),
    Column("returned_on", "date", "NULL is not allowed"),
    Column("returned_on", "date", "Day of the return. The parcel may be empty."),
    Column("quantity", "integer", "Required quantity at the warehouse", null=True),
    Column("amount", "integer", "For paid invoices, mandatory", null=True),
    Column("amount", "integer", "Mandatory, unless the parcel is a gift", null=True),
    Column("level", "text", "Low, high or both", values=LEVEL),
    Column("state", "text", "Canceled, open", values=("cancelled", "open", "paid")),
    Column("state", "smallint", "1 = open, 2 = paid, 9 = cancelled (no longer used)", values=("1", "2")),
    Column("gender", "text", "Male = m, Female = f", values=("m", "f")),
    Column("state", "text", "open: not paid yet. paid: settled. note: see the manual.", values=("open", "paid")),
    Column("payer", "bigint", "References the contract that the payer signed", references=ACCOUNT),
    Column("payer", "bigint", "FK to tbl_account(account_id)", references=ACCOUNT),
    Column("payer", "bigint", "References either crm.contact or billing.account", references=ACCOUNT),
    Column("payer", "bigint", "Payer. The invoice references order.number as text.", references=ACCOUNT),
    Column("payer", "bigint", "refers to section 4.2 of the law", references=ACCOUNT),
    Column("checked", "boolean", "Date of birth is known"),
    Column("checked", "boolean", "Email address confirmed"),
    Column("measured", "timestamp without time zone", "Time of the measurement, in milliseconds"),
    Column("deleted", "timestamp with time zone", "Whether it is deleted: set if so", null=True),
    Column("token", "numeric(39)", "UUID of the parcel"),
    Column("booked", "integer", "Date of the booking as yyyymmdd"),
]


@each_case("column", ALLOWED)
def test_a_column_that_its_text_describes_well_is_left_alone(column: Column) -> None:
    assert kinds(column) == []


CODE = Column("code", "text", "Code, unique", null=True)


@each_case(
    "index",
    [
        DocumentedIndex(name="i", columns=["code"], unique=True),
        DocumentedIndex(name="i", columns=["lower(code)"], unique=True),
        DocumentedIndex(name="i", columns=["code"], unique=True, predicate="(code IS NOT NULL)"),
    ],
)
def test_an_index_that_compares_every_value_makes_a_column_unique(index: DocumentedIndex) -> None:
    assert catalog_contradictions(table("logistics.parcel", CODE, index=index)) == []


@each_case("key", ["customer_id", "customer_code"])
def test_a_table_has_one_row_per_something_if_any_column_of_it_is_a_key(key: str) -> None:
    columns = Column("customer_id", "bigint"), Column("customer_code", "text")
    text = "Contact preferences. One row per customer."
    assert catalog_contradictions(table("crm.preference", *columns, text=text, unique=(key,))) == []
    (found,) = catalog_contradictions(table("crm.preference", *columns, text=text))
    assert (
        found.description
        == 'the description of works.crm.preference says "One row per customer", but no key makes it so'
    )


def test_a_check_may_forbid_null() -> None:
    document = table("crm.lead", Column("source", "text", "Where it came from; mandatory", null=True))
    check = DocumentedCheck(name="c", expression="(source IS NOT NULL)")
    assert catalog_contradictions(document.model_copy(update={"checks": [check]})) == []


def test_the_keys_and_nulls_of_a_view_contradict_nothing_but_its_types_do() -> None:
    columns = CODE, Column("day", "boolean", "Date of the last visit"), Column("name", "text", "Mandatory", null=True)
    found = catalog_contradictions(table("crm.recent_visit", *columns, primary="", kind="view"))
    assert [(each.kind, each.target) for each in found] == [("type", "works.crm.recent_visit.day")]


def test_a_text_that_rules_derived_is_not_read() -> None:
    (planted, *_) = PLANTED
    derived = [
        column.model_copy(update={"description": column.description.model_copy(update={"source": "derived"})})
        for column in planted.table.columns
    ]
    assert catalog_contradictions(planted.table.model_copy(update={"columns": derived})) == []


def test_a_long_text_is_cut_where_it_is_quoted() -> None:
    text = "Date when the parcel was " + "very " * 60 + "late"
    (found,) = catalog_contradictions(table("logistics.parcel", Column("late", "boolean", text)))
    assert len(found.description) < 250
    assert found.description.endswith('very very…", but its type is boolean')
