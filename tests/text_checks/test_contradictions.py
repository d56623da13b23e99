"""Descriptions that contradict the catalog are found; those that only seem to are not."""

from __future__ import annotations

from tests.cases import each_case
from tests.text_checks.described_tables import NEAR_MISSES, PLANTED, Column, Kind, Planted, table
from tribal.text_checks.contradictions import (
    catalog_contradictions,
    decision_contradictions,
    table_words,
    term_contradictions,
)
from tribal_contracts import DefinedTerm, DocumentedCheck, DocumentedIndex, TableDocument


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
    return [
        found.kind for found in catalog_contradictions(table("logistics.parcel", column), table_words(["customer"]))
    ]


LEVEL = ("low", "high")
OTHER_WORDS: list[tuple[Kind, Column]] = [
    ("unique", Column("code", "text", "Code, must be unique across all parcels.")),
    ("unique", Column("code", "text", "Every parcel has its own unique code.")),
    ("unique", Column("label", "text", "Unique name of the parcel")),
    ("unique", Column("code", "text", "Printed on the label; no two share one.")),
    ("unique", Column("code", "text", "Each parcel has its own.")),
    ("unique", Column("code", "text", "A code is never used twice and must be scanned.")),
    ("unique", Column("code", "text", "There cannot be two parcels with the same code.")),
    ("unique", Column("code", "text", "The code identifies exactly one parcel")),
    ("nullable", Column("returned_on", "date", "Day of the return, may be null")),
    ("nullable", Column("returned_on", "date", "Day of the return, empty while it is under way")),
    ("nullable", Column("grade", "integer", "Not required")),
    ("nullable", Column("depot_id", "bigint", "Optional depot")),
    ("nullable", Column("weight", "integer", "Weight at the counter (required)", null=True)),
    ("nullable", Column("weight", "integer", "Weight, must not be NULL", null=True)),
    ("nullable", Column("returned_on", "date", "Day on which it was returned, never empty", null=True)),
    ("nullable", Column("weight", "integer", "This is filled in for every row.", null=True)),
    ("nullable", Column("weight", "integer", "Every parcel has one.", null=True)),
    ("nullable", Column("depot_id", "bigint", "Depot; not every parcel has one")),
    ("nullable", Column("weight", "integer", "Only known after the parcel was weighed")),
    ("values", Column("level", "text", "Allowed values are low, high and critical.", values=LEVEL)),
    ("values", Column("level", "text", "One of 'low', 'high', 'critical'", values=LEVEL)),
    ("values", Column("level", "text", "low -> later, high -> today, critical -> now", values=LEVEL, enum=True)),
    ("values", Column("level", "text", "low: can wait. high: today. critical: at once.", values=LEVEL)),
    ("values", Column("level", "text", "L can wait, H today, C at once", values=("L", "H"))),
    ("values", Column("level", "text", "Its level is either low, high or urgent.", values=LEVEL)),
    ("values", Column("level", "text", "Only low and critical are allowed.", values=LEVEL)),
    ("values", Column("grade", "smallint", "Ranges from 1 to 7", values=("1", "2", "3"))),
    ("count", Column("level", "text", "There are three levels.", values=LEVEL)),
    ("count", Column("level", "text", "Has four possible values", values=LEVEL)),
    ("count", Column("price", "numeric(12,4)", "Price of the parcel, always two decimals")),
    ("count", Column("price", "integer", "Rounded to two decimal places")),
    ("count", Column("iso", "character(3)", "Two-letter code of the country")),
    ("reference", Column("depot_id", "bigint", "Points to the customer who sent it", references="site.site.id")),
    ("reference", Column("depot_id", "bigint", "Id of a row in crm.contact", references="site.site.id")),
    ("reference", Column("depot_id", "bigint", "Reference to sales.customer", references="site.site.id")),
    ("reference", Column("depot_id", "bigint", "Link to the customer table", references="site.site.id")),
    ("reference", Column("depot_id", "bigint", "Foreign key into crm.contact (id)", references="site.site.id")),
    ("type", Column("tags", "boolean", "JSON array of tags")),
    ("type", Column("retries", "timestamp without time zone", "Number of retries")),
    ("type", Column("sender", "integer", "E-mail address of the sender")),
    ("type", Column("lost", "date", "Whether the parcel is lost")),
    ("type", Column("lost", "boolean", "Holds a date.")),
    ("type", Column("weight", "numeric(8,2)", "Weight in grams, a whole number")),
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
    Column("code", "text", "Two parcels of one order can have the same code."),
    Column("code", "text", "Each customer has its own."),
    Column("code", "text", "May not be unique"),
    Column("weight", "integer", "Never empty since 2015", null=True),
    Column("weight", "integer", "Every depot has one.", null=True),
    Column("weight", "integer", "The label of the depot is never empty.", null=True),
    Column("level", "text", "Two of the three levels in the shop are used.", values=LEVEL),
    Column("level", "text", "Formerly one of low, high and critical", values=LEVEL),
    Column("level", "text", "At most three levels", values=LEVEL),
    Column("price", "numeric(12,4)", "Shown with two decimals in the shop"),
    Column("iso", "character varying(3)", "Two-letter code of the country"),
    Column("iso", "character(6)", "Two letters, four digits"),
    Column("code", "text", "No two parcels share a code at the same depot."),
    Column("weight", "integer", "Every parcel has one, if it was weighed", null=True),
    Column("weight", "integer", "Consecutive, without gaps", null=True),
    Column("lost", "boolean", "A number of carriers use this"),
    Column("weight", "integer", "One of our drivers measures it, at most three times"),
    Column("payer", "bigint", "Points to the customer of the account", references="crm.customer.id"),
    Column("customer_ref", "bigint", "Points to the customer", references=ACCOUNT),
    Column("payer", "bigint", "Points to the customer's account", references=ACCOUNT),
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


EMPLOYEE = (
    Column("email", "text"),
    Column("phone", "text", null=True),
    Column("state", "text", values=("active", "left")),
    Column("boss_id", "bigint", null=True, references="hr.employee.id"),
)
OF_A_TABLE = [
    ("email", "unique", "No two employees have the same email."),
    ("email", "unique", "The email is unique and never shown."),
    ("email", "unique", "The email of an employee is unique."),
    ("phone", "nullable", "hr.employee.phone is never empty."),
    ("phone", "nullable", "phone is filled in for all employees."),
    ("state", "values", "state is one of active, left, retired."),
    ("state", "values", "The state can be active, left or away."),
    ("boss_id", "reference", "boss_id references hr.department."),
    ("", "count", "People on the payroll. The table has four columns."),
    ("", "count", "It has two foreign keys."),
    ("", "count", "A table without its own name, with no primary key"),
    ("", "unique", "One employee per email."),
]


@each_case("column, kind, text", OF_A_TABLE)
def test_a_text_about_a_table_is_compared_with_the_columns_that_it_names(column: str, kind: Kind, text: str) -> None:
    target = f"works.hr.employee.{column}".rstrip(".")
    described = table("hr.employee", *EMPLOYEE, text=text)
    noted = table("hr.employee", *EMPLOYEE).model_copy(update={"notes": [text]})
    for document in (described, noted):
        assert [(each.target, each.kind) for each in catalog_contradictions(document)] == [(target, kind)]


@each_case(
    "text",
    [
        "The state of a department is one of open, closed, planned.",
        "The department table has two columns.",
        "Two columns come from the payroll system.",
        "Emails of managers are unique.",
        "Every employee has a manager, except the board.",
        "It has five columns.",
    ],
)
def test_a_text_about_other_things_than_its_table_is_left_alone(text: str) -> None:
    assert catalog_contradictions(table("hr.employee", *EMPLOYEE, text=text)) == []


def test_terms_and_decisions_are_read_too() -> None:
    employee = table("hr.employee", *EMPLOYEE)
    name = employee.name
    term = DefinedTerm(
        file="a",
        line=1,
        tables=[name],
        name="state of a person",
        definition="Three states.",
        columns=[],
        status="current",
    )
    assert list(term_contradictions(term, employee)) == []
    (found,) = term_contradictions(term.model_copy(update={"columns": [f"{name}.state"]}), employee)
    assert (found.kind, found.target) == ("count", f"{name}.state")
    text = "Mail addresses: The email of hr.employee is unique. Phone is never empty."
    decided = list(decision_contradictions(text, "the adr 'adr-1'", employee))
    assert [each.target for each in decided] == [f"{name}.email", f"{name}.phone"]
    assert decided[0].description.startswith("the adr 'adr-1' says")
    (found,) = decision_contradictions(f"{text} See customer.", "the adr", employee, table_words(["customer"]))
    assert found.target == f"{name}.email"


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
