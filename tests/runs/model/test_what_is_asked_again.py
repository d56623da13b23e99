"""After a change, exactly those tables are asked about of which it is a part, not their neighbours."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from tests.fakes.catalogs import HandMadeReader, column, table
from tests.fakes.claude import FakeClaude
from tests.runs.model.made import LaterClock, ModelRuns, asked_about, data_of, says
from tribal.describing import RulesDescriber
from tribal.describing.model.questions import Prompting, Question, table_questions
from tribal.documenting.units.contexts import unsampled_contexts
from tribal.identity import locations
from tribal.prompt_templates import load_prompts
from tribal.rendering.prompt_data import data_json
from tribal.store import require_record
from tribal_contracts import CatalogForeignKey, CatalogTable, DatabaseEntry, DocumentationPlan

CUSTOMER = table("crm.customer", column("grade", "text"), comment="Who buys.")
PARCEL = table("sales.parcel", column("weight", "numeric"), references=[("customer_id", "crm.customer")])
LINE = table(
    "sales.line", column("remark", "text"), references=[("parcel_id", "sales.parcel"), ("voucher_id", "crm.voucher")]
)
RETURN = table("sales.returned", column("reason", "text"), column("parcel_id"))
VOUCHER = table("crm.voucher", column("worth", "numeric"), column("voucher_no", "text"), comment="Given away.")
VIEW = table("sales.heavy", column("weight", "numeric")).model_copy(
    update={"kind": "view", "primary_key": None, "view_definition": " SELECT v.worth AS weight FROM crm.voucher v"}
)
TABLES = (CUSTOMER, PARCEL, LINE, RETURN, VOUCHER, VIEW)


def changed(name: str, **update: object) -> Sequence[CatalogTable]:
    return [each.model_copy(update=update) if each.table_name == name else each for each in TABLES]


def renamed() -> Sequence[CatalogTable]:
    """The customer by another name, and the keys that lead to it."""
    keys = [key.model_copy(update={"references_table": "client"}) for key in PARCEL.foreign_keys]
    others = changed("parcel", foreign_keys=keys)
    return [each.model_copy(update={"table_name": "client"}) if each is CUSTOMER else each for each in others]


def key_to(name: str) -> CatalogForeignKey:
    return CatalogForeignKey(
        name="fk",
        columns=["parcel_id"],
        references_schema="sales",
        references_table=name,
        references_columns=["id"],
    )


def rewrite(runs: ModelRuns, tables: Sequence[CatalogTable]) -> None:
    runs.tables = tables


def annotate(runs: ModelRuns, text: str) -> None:
    runs.store.put(locations.annotations_file("shop"), text.encode())


def move(runs: ModelRuns, *names: str) -> None:
    runs.entry = DatabaseEntry(name="shop", domains={"Elsewhere": list(names)})


def age(runs: ModelRuns) -> None:
    """Other samples and counts, a month later."""
    runs.clock = LaterClock(days=30)
    runs.reader = lambda tables: HandMadeReader(tables, rows=98_765)
    runs.rows = 20


CHANGES: dict[str, tuple[Callable[[ModelRuns], None], set[str]]] = {
    "a neighbour is renamed": (lambda runs: rewrite(runs, renamed()), {"crm.client", "sales.parcel"}),
    "a comment is added to a neighbour": (
        lambda runs: rewrite(runs, changed("parcel", comment="What is sent.")),
        {"sales.parcel"},
    ),
    "a comment is added to a column of a neighbour": (
        lambda runs: rewrite(
            runs, changed("customer", columns=[*CUSTOMER.columns[:1], column("grade", "text", comment="How good.")])
        ),
        set(),
    ),
    "a comment is added to what a view reads": (
        lambda runs: rewrite(runs, changed("voucher", comment="Given to customers.")),
        {"crm.voucher"},
    ),
    "a key is added": (
        lambda runs: rewrite(runs, changed("returned", foreign_keys=[key_to("parcel")])),
        {"sales.returned", "sales.parcel"},
    ),
    "a column is added": (
        lambda runs: rewrite(runs, changed("line", columns=[*LINE.columns, column("colour", "text")])),
        {"sales.line"},
    ),
    "a view is gone": (lambda runs: rewrite(runs, [each for each in TABLES if each is not VIEW]), set()),
    "a table is described by a person": (
        lambda runs: annotate(runs, "tables:\n  sales.parcel:\n    description: What is sent.\n"),
        {"sales.parcel"},
    ),
    "a column is described by a person": (
        lambda runs: annotate(runs, "tables:\n  sales.line:\n    columns:\n      remark: Written by the packer.\n"),
        {"sales.line"},
    ),
    "a person writes all that was open": (
        lambda runs: annotate(runs, "tables:\n  crm.customer:\n    columns:\n      grade: How good.\n"),
        set(),
    ),
    "a table moves to another domain": (lambda runs: move(runs, "crm.voucher"), set()),
    "a view moves to another domain": (lambda runs: move(runs, "sales.heavy"), set()),
    "a neighbour moves to another domain": (lambda runs: move(runs, "sales.parcel", "crm.customer"), set()),
    "statistics age": (age, set()),
}


@pytest.fixture
def runs(claude: FakeClaude) -> ModelRuns:
    claude.mind = says("Holds what was ordered.", "Tells how good it is.")
    return ModelRuns(claude, TABLES)


def questions(runs: ModelRuns) -> dict[str, list[str]]:
    """What is shown in them, but for what is said of neighbours."""
    asked = asked_now(runs, with_comments=False)
    return {name: [each.request_part for each in questions] for name, questions in asked.items()}


def asked_now(runs: ModelRuns, *, with_comments: bool = True) -> dict[str, list[Question]]:
    """The questions about each table of the latest plan, without samples; as if nothing was published before."""
    plan = require_record(runs.store, locations.PLAN_FILE, DocumentationPlan)
    how = Prompting(load_prompts(), runs.model_settings(), "anthropic/claude-haiku-5-5")
    found = {}
    for unit in plan.work_units:
        for spec, found_context in unsampled_contexts(unit, runs.store):
            context = replace(found_context, published={})
            if not with_comments:
                neighbours = context.neighbours.items()
                bare = {name: each.model_copy(update={"comment": None}) for name, each in neighbours}
                context = replace(context, neighbours=bare)
            asked = table_questions(context, RulesDescriber().describe_table(context), how)
            found[f"{spec.schema_name}.{spec.table_name}"] = asked
    return found


def tables_asked(runs: ModelRuns, since: int) -> list[str]:
    shown = [data_of(part) for part in asked_about(runs.claude)[since:]]
    return sorted(each["t1"]["name"] for each in shown if "t1" in each)


@pytest.mark.parametrize("change", CHANGES)
def test_exactly_the_tables_that_changed_are_asked_about_again(runs: ModelRuns, change: str) -> None:
    runs.run()
    before, calls = questions(runs), len(runs.claude.calls)
    assert set(tables_asked(runs, 0)) == {name for name, asked in before.items() if asked}
    alter, expected = CHANGES[change]
    alter(runs)
    quoted = runs.quoted()
    asked = runs.calls_of(runs.run)
    after = questions(runs)
    shown = {name for name, asked in after.items() if asked and asked != before.get(name)}
    assert tables_asked(runs, calls) == sorted(shown) == sorted(expected & after.keys())
    assert asked <= quoted, "what will be asked is quoted first, domains too"
    assert quoted <= asked + 1, "of domains, only those whose tables may say something else"
    assert runs.calls_of(runs.run) == 0


def test_the_vendor_gets_byte_for_byte_what_a_question_shows(runs: ModelRuns) -> None:
    runs.rows = 0
    runs.run()
    sent = set()
    for call in runs.claude.calls:
        schema = json.dumps(call.body["output_config"]["format"]["schema"], separators=(",", ":"))
        [system] = call.body["system"]
        [message] = call.body["messages"]
        sent.add(system["text"] + schema + message["content"])
    shown = {
        each.request_prefix + data_json(each.schema) + each.request_part
        for asked in asked_now(runs).values()
        for each in asked
    }
    assert shown <= sent
    assert len(shown) == len(tables_asked(runs, 0))
