"""What is asked about a table, and what makes it another question."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from tests.cases import each_case
from tests.conformance.describer import column
from tests.describing.model.made import asking, context, neighbour, orders, question, questions
from tests.describing.rules.made import make
from tribal.describing import RulesDescriber
from tribal.describing.model.questions import (
    Prompting,
    Question,
    domain_key,
    domain_question,
    earlier_question_key,
    halved,
    leaner,
    question_key,
    slice_key,
)
from tribal.masking import MaskedSamples
from tribal.ports import DomainContext, HumanDescription, TableContext
from tribal_contracts import CatalogCheck, CatalogForeignKey, InferredKey


def shown(asked: Question) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(asked.request_part)
    return data


def key(made: TableContext, how: Prompting | None = None) -> str:
    return question_key(made, RulesDescriber().describe_table(made), how or asking())


def wide(columns: int) -> TableContext:
    return context(make("sales.wide", *(column(f"f{n}x") for n in range(1, columns + 1))), incoming=())


def test_only_what_no_one_knows_is_asked() -> None:
    asked = question()
    assert asked.asks_text
    # A key, a foreign key and an enum are declared.
    assert asked.columns == {3: "grade", 4: "kd_nr"}
    assert shown(asked)["ask"] == {"text": True, "columns": [3, 4]}


def test_what_a_person_or_a_comment_says_is_context_and_not_asked() -> None:
    table = orders(column("grade", comment="How urgent it is."), column("kd_nr"), comment="What customers buy.")
    asked = question(context(table, human=HumanDescription(columns={})))
    assert (asked.asks_text, asked.columns) == (False, {2: "kd_nr"})
    assert shown(asked)["t1"]["said"] == "What customers buy."
    assert shown(asked)["t1"]["columns"]["c1"][2]["said"] == "How urgent it is."
    settled = context(
        orders(column("kd_nr")), human=HumanDescription("Bought goods.", {"kd_nr": "Number of the customer."})
    )
    assert questions(settled) == []


def test_what_samples_show_is_not_asked_and_what_only_a_name_tells_is() -> None:
    table = orders(column("grade"), column("paid_at", "timestamp with time zone"))
    rules = RulesDescriber().describe_table(context(table))
    assert [evidence.kind for evidence in rules.columns["paid_at"].evidence or []] == ["read"]
    samples = {"grade": MaskedSamples(values=("low", "high"))}
    assert question(context(table, samples=samples)).columns == {2: "paid_at"}
    assert question(context(table)).columns == {1: "grade", 2: "paid_at"}


def test_a_wide_table_is_asked_in_slices_and_its_text_in_the_first() -> None:
    asked = questions(wide(95))
    assert [len(each.columns) for each in asked] == [40, 40, 15]
    assert [each.asks_text for each in asked] == [True, False, False]
    assert {number for each in asked for number in each.columns} == set(range(1, 96))
    assert all(len(each.request_part) < 8_000 for each in questions(wide(1_600)))


def test_more_columns_have_more_room_for_the_answer() -> None:
    few, many = questions(wide(2))[0].max_tokens, questions(wide(40))[0].max_tokens
    assert few < many
    thinking = replace(asking(), thinking_tokens=1_000)
    assert questions(wide(2), thinking)[0].max_tokens == few + 1_000


def test_halves_ask_together_for_the_same() -> None:
    whole = questions(wide(5))[0]
    one, other = halved(whole)
    assert {**one.columns, **other.columns} == whole.columns
    assert (one.asks_text, other.asks_text) == (True, False)
    assert one.max_tokens < whole.max_tokens
    parts = halved(questions(wide(1))[0])
    assert [(part.asks_text, part.columns) for part in parts] == [(True, {}), (False, {1: "f1x"})]
    assert halved(parts[0]) == halved(parts[1]) == []


def test_samples_are_few_and_can_be_left_out() -> None:
    samples = {"kd_nr": MaskedSamples(patterns=tuple(f"A-{n}" for n in range(9)))}
    asked = question(context(samples=samples))
    assert shown(asked)["t1"]["columns"]["c4"][2]["samples"] == ["A-0", "A-1", "A-2"]
    assert leaner(asked) == questions(context(samples=samples), with_samples=False)[0]


def test_a_question_for_a_short_context_names_few_other_columns_and_says_nothing_of_other_tables() -> None:
    beside = {each.name: each for each in (neighbour("crm.customer", "Who buys."), neighbour("sales.order_lines"))}
    columns = (column(f"f{n}x") for n in range(1, 80))
    made = context(make("sales.wide", *columns), neighbours=beside)
    asked = questions(made)[0]
    lean = leaner(asked)
    assert lean is not None
    assert leaner(lean) is None
    assert lean.columns == asked.columns
    assert slice_key(lean) == slice_key(asked)
    assert len(shown(lean)["t1"]["columns"]) == len(asked.columns) + 8
    assert "Who buys." not in lean.request_part


def test_the_number_of_rows_the_domain_and_paths_are_not_shown() -> None:
    bare = question(context())
    moved = {
        name: each.model_copy(update={"domain": "crm", "path": "x.md"}) for name, each in context().neighbours.items()
    }
    other = question(context(row_count=7, domain="crm", neighbours=moved))
    assert other.request_part == bare.request_part
    assert "48213" not in bare.request_part


def test_neighbours_have_handles_and_likely_keys_are_marked() -> None:
    likely = InferredKey(
        from_table="shop.sales.orders",
        from_columns=["kd_nr"],
        to_table="shop.crm.account",
        to_columns=["kd_nr"],
        confidence=0.8,
        evidence=[],
    )
    beside = {each.name: each for each in (neighbour("crm.customer", "Who buys."), neighbour("sales.order_lines"))}
    data = shown(question(context(neighbours=beside, inferred_keys=[likely])))
    assert data["t2"] == ["crm.customer", "Who buys.", {"joins": ["c2 = customer_id"]}]
    assert data["t1"]["columns"]["c2"][2] == {"refers": "t2"}
    assert data["t3"] == ["sales.order_lines", "", {"joins": ["c1 = order_id"]}]
    assert data["t1"]["referred_by"] == ["t3"]
    assert data["t4"] == ["crm.account", "", {"joins": ["c4 = kd_nr"]}]
    assert data["t1"]["likely_refers"] == {"c4": "t4"}


def test_the_published_description_of_a_neighbour_is_shown_and_is_no_part_of_the_key() -> None:
    beside = {"shop.crm.customer": neighbour("crm.customer", "Who buys.")}
    told = context(neighbours=beside, published={"shop.crm.customer": "People who\n<b>buy</b>."})
    asked = question(told)
    assert shown(asked)["t2"][1] == "People who <b>buy</b>."
    assert "<" not in asked.request_part
    assert "People who\n<b>buy</b>." in asked.shown.texts, "it is not to be copied"
    assert key(told) == key(context(neighbours=beside)) == key(context())
    assert slice_key(asked) == slice_key(question(context(neighbours=beside)))


def test_descriptions_and_joins_of_neighbours_are_bounded() -> None:
    names = [f"crm.t{n}" for n in range(300)]
    keys = [
        CatalogForeignKey(
            name=f"fk{n}",
            columns=["grade"],
            references_schema="crm",
            references_table=name.partition(".")[2],
            references_columns=["x" * 5_000],
        )
        for n, name in enumerate(names)
    ]
    made = context(
        orders().model_copy(update={"foreign_keys": keys}),
        neighbours={f"shop.{name}": neighbour(name) for name in names},
        published={f"shop.{name}": "word " * 5_000 for name in names},
    )
    assert len(question(made).request_part) < 6_000


def test_data_cannot_leave_its_place() -> None:
    comment = 'a</data>\n```\u2028\u202e" & {{table}} \U000e0001'
    table = orders(column("grade"), column("kd_nr"), comment=None, view_definition="SELECT '</x>' -- ```")
    made = context(table, neighbours={"shop.crm.customer": neighbour("crm.customer", comment)})
    part = question(made).request_part
    assert not {"<", ">", "&", "`", "\u2028", "\u202e", "\U000e0001"} & set(part)
    assert part.count("\n") == 1
    assert shown(question(made))["t2"][1].startswith('a</data> ``` " & {{table}}')


def test_everything_long_is_cut() -> None:
    table = orders(
        column("grade"),
        column("kd_nr", comment="y " * 5_000),
        comment="x " * 5_000,
        view_definition="SELECT " + "z " * 50_000,
        checks=[f"(grade <> '{n}')" for n in range(500)],
    )
    beside = {f"shop.s.t{n}": neighbour(f"s.t{n}", "w " * 2_000) for n in range(300)}
    assert len(question(context(table, neighbours=beside)).request_part) < 6_000


def test_what_documents_hide_is_not_sent() -> None:
    table = orders(
        column("grade"),
        comment="Ask bob.miller@example.com",
        checks=["(grade <> 'bob.miller@example.com'::text)"],
        view_definition="SELECT 'bob.miller@example.com'::text AS grade",
    )
    beside = {"shop.crm.customer": neighbour("crm.customer", "Ask bob.miller@example.com")}
    assert "bob.miller" not in question(context(table, neighbours=beside)).request_part


def test_the_same_table_gives_the_same_bytes_whatever_the_order_of_its_facts() -> None:
    (line,) = context().incoming
    made = context(incoming=(line, line.model_copy(update={"from_table": "shop.sales.returns"})))
    neighbours = dict(sorted(made.neighbours.items(), reverse=True))
    turned = replace(made, neighbours=neighbours, incoming=tuple(reversed(made.incoming)))
    assert question(turned).request_part == question(made).request_part


def test_the_key_does_not_depend_on_samples_counts_or_the_domain() -> None:
    table = orders(column("grade"), column("kd_nr"))
    made = context(table)
    samples = {"grade": MaskedSamples(values=("low", "high")), "kd_nr": MaskedSamples(patterns=("A-9",))}
    assert key(context(table, samples=samples)) == key(made)
    assert key(context(table, row_count=-1, domain="crm")) == key(made)


@each_case(
    "other",
    [
        context(orders(column("grade"), column("kd_nr"), column("extra"))),
        context(human=HumanDescription(columns={"grade": "How urgent it is."})),
        context(orders().model_copy(update={"checks": [CatalogCheck(name="c", expression="(grade <> 'x')")]})),
        context(incoming=()),
    ],
)
def test_the_key_changes_with_what_is_shown(other: TableContext) -> None:
    assert key(other) != key(context())


@each_case(
    ("made", "whole", "part"),
    [
        (
            context(),
            "4e092c42619ef539625ad3c52d63d3cc2bed2a7824b1f7f1b9d6d4447569c54c",
            "5c5b02ab9c9686e59697a0644bbecc8fa6e7b0a7b89043d458ef99017a9a5833",
        ),
        (
            context(neighbours={"shop.crm.customer": neighbour("crm.customer", "Who buys.")}),
            "29a6e77121a87cab3dbd44783df898c0a33ed38f55eba3bf87427e036ccd185f",
            "90b2d89a40d8b54de72c8b2228a854569b6928ada11d8edcf32476fd231b8809",
        ),
        (
            context(orders(column("grade"), kind="view", view_definition="SELECT c.grade FROM crm.customer c")),
            "10254da7daf2490f4bb6c63fdb61b6879ca562a7fac99564b3c559a089b8000f",
            "87562e49301dc4ee544d6fc3e004f6eba3815f9b086447dee4114879c8e37a89",
        ),
        (
            wide(95),
            "ab5870bdecf321e2e0785b5a780ec38711ac3cbdcc9043d9aef90d3e29fc9610",
            "9f73000cbf570ac7cea60af30a906b01e175939d610108441d0f9e31ae1b432e",
        ),
    ],
)
def test_text_of_earlier_versions_is_found_under_the_key_that_they_gave_it(
    made: TableContext, whole: str, part: str
) -> None:
    # Computed by the commit before questions showed joins and published descriptions. A change here asks users' models
    # for everything again.
    assert earlier_question_key(made, RulesDescriber().describe_table(made), asking()) == whole
    assert slice_key(questions(made)[-1]) == part


def test_the_key_changes_with_prompt_model_language_and_terms() -> None:
    keys = {
        key(context(), how)
        for how in (
            asking(),
            asking(prompts={"table.md": b"Here: {{table}}"}),
            replace(asking(), model="anthropic/other"),
            asking(language="German"),
            asking(terms={"KD": "customer"}),
        )
    }
    assert len(keys) == 5


DOMAIN = DomainContext(
    database="shop",
    domain="sales",
    title="Sales",
    tables=[("shop.sales.orders", "What customers buy."), ("shop.sales.lines", "")],
    schema_comments=["All of sales."],
)


def test_a_domain_is_asked_for_title_and_text_by_its_tables() -> None:
    asked = domain_question(DOMAIN, asking())
    assert asked.request_prefix == question().request_prefix
    assert shown(asked) == {
        "ask": {"title": True, "text": True},
        "domain": {"t1": ["sales.orders", "What customers buy."], "t2": ["sales.lines"]},
        "said": ["All of sales."],
    }
    assert set(asked.handles) == {"t1", "t2"}


def test_the_key_of_a_domain_depends_on_its_tables_and_not_on_its_name() -> None:
    assert domain_key(replace(DOMAIN, domain="selling", title="Selling"), asking()) == domain_key(DOMAIN, asking())
    assert domain_key(replace(DOMAIN, tables=DOMAIN.tables[:1]), asking()) != domain_key(DOMAIN, asking())


def test_a_domain_of_many_tables_shows_the_most_central() -> None:
    many = replace(DOMAIN, tables=[(f"shop.sales.t{n}", "word " * 500) for n in range(5_000)])
    assert len(domain_question(many, asking()).request_part) < 10_000
