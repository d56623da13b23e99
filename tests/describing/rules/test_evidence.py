"""Each sentence rests on something: without that, nothing is said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.cases import each_case
from tests.conformance.describer import column
from tests.describing.rules.made import make, say, say_of
from tribal.masking import MaskedSamples
from tribal_contracts import CatalogColumn, CatalogTable


def with_default(name: str, kind: str, default: str) -> CatalogColumn:
    return column(name, kind).model_copy(update={"default_value": default})


@dataclass(frozen=True)
class Case:
    """What is said of the column `x` (or another), what that rests on, and the table without it."""

    text: str
    evidence: list[tuple[str, str]]
    table: CatalogTable
    without: CatalogTable
    column: str = "x"
    samples: Mapping[str, MaskedSamples] = field(default_factory=dict)
    samples_without: Mapping[str, MaskedSamples] = field(default_factory=dict)


X = column("x", "integer")
TO_A = {"s.a": (["x"], ["id"])}
CASES = {
    "a foreign key": Case(
        "Refers to s.a.id.",
        [("declared", "foreign key")],
        make("s.t", X, references=TO_A),
        make("s.t", X),
    ),
    "a foreign key of two columns": Case(
        "Together with y, refers to s.a (p, q).",
        [("declared", "foreign key")],
        make("s.t", X, column("y"), references={"s.a": (["x", "y"], ["p", "q"])}),
        make("s.t", X, column("y")),
    ),
    "the primary key": Case(
        "The primary key.", [("declared", "primary key")], make("s.t", X, key=["x"]), make("s.t", X)
    ),
    "a part of it": Case(
        "Part of the primary key, with y and z.",
        [("declared", "primary key")],
        make("s.t", X, key=["x", "y", "z"]),
        make("s.t", X, key=["y", "z"]),
    ),
    "a unique key": Case("Unique.", [("declared", "unique key")], make("s.t", X, unique=[["x"]]), make("s.t", X)),
    "a formula": Case(
        "Calculated by the database: (a + b).",
        [("declared", "generated")],
        make("s.t", X.model_copy(update={"generated": "(a + b)"})),
        make("s.t", X),
    ),
    "an identity": Case(
        "Numbered by the database.",
        [("declared", "identity")],
        make("s.t", X.model_copy(update={"identity": "always"})),
        make("s.t", X),
    ),
    "a sequence": Case(
        "Numbered by the database.",
        [("declared", "default")],
        make("s.t", with_default("x", "integer", "nextval('s.t_x_seq'::regclass)")),
        make("s.t", with_default("x", "integer", "7")),
    ),
    "a sequence of Snowflake": Case(
        "Numbered by the database.",
        [("declared", "default")],
        make("s.t", with_default("x", "NUMBER(38,0)", "SHOP.SALES.NUMBERS.NEXTVAL")),
        make("s.t", with_default("x", "NUMBER(38,0)", "7")),
    ),
    "labels": Case(
        "One of new, done.",
        [("declared", "type")],
        make("s.t", column("x", "s.state").model_copy(update={"enum_values": ["new", "done"]})),
        make("s.t", column("x", "s.state")),
    ),
    "a list in a check": Case(
        "One of a, b.",
        [("declared", "check")],
        make("s.t", column("x"), checks=["x IN ('a', 'b')"]),
        make("s.t", column("x"), checks=["lower(x) IN ('a', 'b')"]),
    ),
    "a range in a check": Case(
        "From 1 to 5.",
        [("declared", "check")],
        make("s.t", X, checks=["((x >= 1) AND (x <= 5))"]),
        make("s.t", X, checks=["(x >= 1)"]),
    ),
    "values in samples": Case(
        "Values seen: EUR, CHF; there may be others.",
        [("seen", "samples")],
        make("s.t", column("x")),
        make("s.t", column("x")),
        samples={"x": MaskedSamples(values=("EUR", "CHF"))},
        samples_without={"x": MaskedSamples(patterns=("AAA",), masked=True)},
    ),
    "an event": Case(
        "When it was shipped.",
        [("read", "name")],
        make("s.t", column("shipped_at", "timestamp with time zone")),
        make("s.t", column("shipped_at", "text")),
        column="shipped_at",
    ),
    "the time of the insert": Case(
        "The time of the insert unless set otherwise.",
        [("declared", "default")],
        make("s.t", with_default("x", "timestamp with time zone", "now()")),
        make("s.t", with_default("x", "timestamp with time zone", "'infinity'::timestamp with time zone")),
    ),
    "the time of the insert in Snowflake": Case(
        "The time of the insert unless set otherwise.",
        [("declared", "default")],
        make("s.t", with_default("x", "TIMESTAMP_LTZ(9)", "CURRENT_TIMESTAMP()")),
        make("s.t", with_default("x", "TIMESTAMP_LTZ(9)", "'2026-01-01'::TIMESTAMP_LTZ")),
    ),
    "a state": Case(
        "Whether it is active.",
        [("read", "name")],
        make("s.t", column("is_active", "boolean")),
        make("s.t", column("is_active", "smallint")),
        column="is_active",
    ),
    "what a flag is by default": Case(
        "False unless set otherwise.",
        [("declared", "default")],
        make("s.t", with_default("x", "boolean", "false")),
        make("s.t", column("x", "boolean")),
    ),
    "the type of money": Case(
        "An amount of money.",
        [("declared", "type")],
        make("s.t", column("x", "money")),
        make("s.t", column("x", "numeric")),
    ),
    "a currency beside it": Case(
        "An amount of money; x_currency names its currency.",
        [("read", "names of both columns")],
        make("s.t", column("x", "numeric"), column("x_currency")),
        make("s.t", column("x", "numeric"), column("currency")),
    ),
    "a unit beside it": Case(
        "In the unit that weight_unit names.",
        [("read", "names of both columns")],
        make("s.t", column("weight", "numeric"), column("weight_unit")),
        make("s.t", column("weight", "numeric"), column("unit")),
        column="weight",
    ),
    "a unit at its end": Case(
        "In days.",
        [("read", "name")],
        make("s.t", column("trial_days", "integer")),
        make("s.t", column("trial_days", "text")),
        column="trial_days",
    ),
    "both coordinates": Case(
        "Degrees north of the equator; negative to the south.",
        [("read", "names of both columns")],
        make("s.t", column("latitude", "numeric"), column("longitude", "numeric")),
        make("s.t", column("latitude", "numeric")),
        column="latitude",
    ),
    "a date of birth": Case(
        "Date of birth.",
        [("read", "name")],
        make("s.t", column("dob", "date")),
        make("s.t", column("dob", "text")),
        column="dob",
    ),
}


@each_case("case", CASES.values(), ids=CASES)
def test_a_sentence_about_a_column_stands_and_falls_with_its_evidence(case: Case) -> None:
    said = say(case.table, case.column, case.samples)
    assert said.text == case.text
    assert [(each.kind, each.of) for each in said.evidence or ()] == case.evidence
    assert said.confidence > 0
    blank = say(case.without, case.column, case.samples_without)
    assert (blank.text, blank.evidence, blank.confidence) == ("", None, 0)


A = {"s.a": (["a_id"], ["id"])}
B = {"s.b": (["b_id"], ["id"])}
AB = (column("a_id"), column("b_id"))
TABLES = {
    "at most one row": (
        "At most one row for each row of s.a.",
        make("s.t", *AB, key=["a_id"], references=A),
        make("s.t", *AB, key=["b_id"], references=A),
    ),
    "pairs": (
        "At most one row for each combination of rows of s.a and s.b.",
        make("s.t", *AB, key=["a_id", "b_id"], references=A | B),
        make("s.t", *AB, references=A | B),
    ),
    "rows of a row": (
        "For each row of s.a, its rows are told apart by b_id.",
        make("s.t", *AB, key=["a_id", "b_id"], references=A),
        make("s.t", *AB, key=["b_id"], references=A),
    ),
    "references": ("Refers to s.a and s.b.", make("s.t", *AB, references=A | B), make("s.t", *AB)),
    "a view": (
        "Reads s.a.",
        make("s.t", column("x"), kind="view", view_definition="SELECT a.x FROM s.a"),
        make("s.t", column("x"), kind="view", view_definition="SELECT q.x FROM (SELECT a.x FROM s.a) q"),
    ),
}


@each_case(("text", "table", "without"), TABLES.values(), ids=TABLES)
def test_a_sentence_about_a_table_stands_and_falls_with_its_evidence(
    text: str, table: CatalogTable, without: CatalogTable
) -> None:
    said = say_of(table)
    assert text in said.text
    assert said.evidence
    assert {each.kind for each in said.evidence} == {"declared"}
    assert text not in say_of(without).text


def test_what_a_view_hands_on_is_said_once() -> None:
    view = make("s.t", column("created_at", "date"), kind="view", view_definition="SELECT a.created_at FROM s.a")
    said = say(view, "created_at")
    assert said.text == "Taken unchanged from s.a.created_at."
    assert [each.of for each in said.evidence or ()] == ["view definition"]


def test_a_view_and_its_columns_are_described_by_what_they_show() -> None:
    view = make("s.t", column("id"), kind="view", view_definition="SELECT emp.id FROM staff.emp")
    assert say_of(view).text == "Reads staff.emp."
    assert say(view, "id").text == "Taken unchanged from staff.emp.id."


def test_every_sentence_has_its_evidence_in_order_and_the_weakest_counts() -> None:
    table = make("s.t", with_default("created_at", "timestamp", "now()"))
    said = say(table, "created_at")
    assert said.text == "When it was created. The time of the insert unless set otherwise."
    assert [(each.kind, each.of) for each in said.evidence or ()] == [("read", "name"), ("declared", "default")]
    assert said.confidence == say(make("s.t", column("created_at", "timestamp")), "created_at").confidence


def test_a_table_of_which_nothing_is_known_is_blank() -> None:
    said = say_of(make("s.t", column("x")))
    assert (said.text, said.source, said.confidence, said.evidence) == ("", "derived", 0, None)
