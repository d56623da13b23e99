"""Grouping: pins, the last plan, schemas, first words and keys."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from tests.fakes.catalogs import table
from tribal.planning.domains.clustering import minimum_domain_size
from tribal.planning.domains.domain_names import OtherDomains
from tribal.planning.domains.grouping import DEFAULT_EVIDENCE, LARGEST_SCHEMA, Evidence, group_tables
from tribal_contracts import CatalogTable

Domains = dict[str, set[str]]

CLINIC_AND_STAFF = [
    table("public.patient"),
    table("public.diagnosis", references=[("patient_id", "public.patient")]),
    table("public.prescription", references=[("patient_id", "public.patient")]),
    table("public.employee"),
    table("public.payroll", references=[("employee_id", "public.employee")]),
    table("public.vacation", references=[("employee_id", "public.employee")]),
]


def by_domain(
    tables: Sequence[CatalogTable],
    evidence: Evidence = DEFAULT_EVIDENCE,
    previous: Mapping[tuple[str, str], str] | None = None,
    database: str = "shop",
) -> Domains:
    grouped: Domains = {}
    found = group_tables(tables, database=database, pins={}, previous=previous or {}, evidence=evidence)
    for (_, name), domain in found.domains.items():
        grouped.setdefault(domain, set()).add(name)
    return grouped


def named(*names: str) -> list[CatalogTable]:
    return [table(f"public.{name}") for name in names]


def modules(prefixes: Sequence[str], size: int) -> list[CatalogTable]:
    """Modules of tables, each table with a key to the first of its module, and one in three to another module's."""
    found = []
    for number, prefix in enumerate(prefixes):
        for n in range(size):
            references = [("up", f"public.{prefix}_t0")] if n else []
            if n % 3 == 1:
                references.append(("other", f"public.{prefixes[number - 1]}_t0"))
            found.append(table(f"public.{prefix}_t{n}", references=references))
    return found


def test_tables_that_keys_connect_are_a_domain_named_after_the_table_at_its_centre() -> None:
    assert by_domain(CLINIC_AND_STAFF) == {
        "patient": {"patient", "diagnosis", "prescription"},
        "employee": {"employee", "payroll", "vacation"},
    }


def test_a_hub_that_most_tables_reference_names_no_domain_and_leftovers_are_not_named_after_the_database() -> None:
    def owned(name: str, *others: str) -> CatalogTable:
        return table(
            f"public.{name}", references=[(f"{other}_ref", f"public.{other}") for other in ("tenant", *others)]
        )

    heads = {"order": "parcel refund basket", "ticket": "reply agent escalation", "crate": "shelf pallet forklift"}
    tables = [owned(head) for head in heads]
    tables += [owned(name, head) for head, names in heads.items() for name in names.split()]
    domains = by_domain([table("public.tenant"), *tables, owned("hook"), owned("memo"), owned("badge"), *named("zz")])
    assert domains.keys() == {*heads, "other", "other-2"}
    assert domains["other"] == {"tenant", "hook", "memo", "badge"}


def test_the_order_of_tables_and_a_second_time_make_no_difference() -> None:
    assert by_domain(CLINIC_AND_STAFF[::-1]) == by_domain(CLINIC_AND_STAFF)


def test_first_words_divide_a_schema_where_most_tables_are_in_large_families_whatever_the_keys() -> None:
    across = [
        table(f"public.{prefix}_t{n}", references=[("to", f"public.crm_t{n}")] if prefix != "crm" else [])
        for prefix in ("crm", "hr", "dcim")
        for n in range(8)
    ]
    assert {domain: len(names) for domain, names in by_domain(across).items()} == {"crm": 8, "hr": 8, "dcim": 8}


def test_a_table_outside_the_families_goes_to_the_one_that_it_refers_to() -> None:
    lone = [
        table("public.lead", references=[("t", "public.crm_t3")]),
        table("public.wage", references=[("t", "public.hr_t3")]),
    ]
    domains = by_domain([*modules(["crm", "hr", "dcim"], 8), *lone])
    assert "lead" in domains["crm"]
    assert "wage" in domains["hr"]


def test_of_two_families_that_a_table_is_tied_to_alike_it_goes_to_the_one_that_has_fewer_ties_anyway() -> None:
    lone = table("public.lead", references=[("one", "public.crm_t5"), ("other", "public.hr_t5")])
    assert "lead" in by_domain([*modules(["crm"], 20), *modules(["hr"], 8), lone])["hr"]


def test_where_no_first_word_is_shared_keys_divide_the_schema() -> None:
    words = random.Random(7)
    names = ["".join(words.choices("bdfgklmnprstvz", k=7)) for _ in range(40)]
    tables = [
        table(f"public.{name}", references=[("up", f"public.{names[n // 10 * 10]}")] if n % 10 else [])
        for n, name in enumerate(names)
    ]
    assert sorted(by_domain(tables).values(), key=min) == sorted(
        (set(names[start : start + 10]) for start in range(0, 40, 10)), key=min
    )


def test_some_modules_next_to_tables_that_keys_connect_are_both_domains() -> None:
    modules_without_keys = named(
        *(f"{prefix}_{name}" for prefix in ("xq", "vz") for name in ("salary", "food", "port"))
    )
    domains = by_domain([*modules_without_keys, *CLINIC_AND_STAFF, *named("zz")])
    assert domains.keys() == {"xq", "vz", "patient", "employee", "other"}
    assert domains["xq"] == {"xq_salary", "xq_food", "xq_port"}


def test_a_first_word_does_not_hold_together_what_keys_set_apart() -> None:
    apart = [
        table("public.gear_rental", references=[("a", "public.patient"), ("b", "public.diagnosis")]),
        table("public.gear_price", references=[("a", "public.employee"), ("b", "public.payroll")]),
    ]
    domains = by_domain([*CLINIC_AND_STAFF, *apart])
    assert "gear_rental" in domains["patient"]
    assert "gear_price" in domains["employee"]


def test_a_first_word_holds_together_what_keys_say_nothing_about() -> None:
    tables = [*CLINIC_AND_STAFF, *named("audit_log", "audit_trail", "audit_actor")]
    assert by_domain(tables)["audit"] == {"audit_log", "audit_trail", "audit_actor"}


def test_a_table_without_keys_goes_with_those_of_its_first_word() -> None:
    assert "employee_photo" in by_domain([*CLINIC_AND_STAFF, *named("employee_photo")])["employee"]


def test_a_users_word_that_few_tables_of_a_group_carry_does_not_name_it() -> None:
    own = Evidence({"Money": ["payroll"]})
    assert by_domain(CLINIC_AND_STAFF, own).keys() == {"patient", "employee"}


def test_a_users_words_name_a_group_that_mostly_carries_them_and_move_no_table() -> None:
    tables = [
        table("public.lighthouse"),
        table("public.lighthouse_keeper", references=[("at", "public.lighthouse")]),
        table("public.buoy", references=[("at", "public.lighthouse")]),
        *CLINIC_AND_STAFF,
    ]
    own = Evidence({"Sea Marks": ["lighthouse", "buoy", "patients"]})
    grouping = group_tables(tables, database="shop", pins={}, previous={}, evidence=own)
    assert grouping.titles["sea-marks"] == "Sea Marks"
    assert set(by_domain(tables, own)) == {"sea-marks", "patient", "employee"}


def test_a_schema_too_large_for_one_domain_is_grouped_inside() -> None:
    crowd = [
        table(f"erp.{name}_t{n}", references=[("up", f"erp.{name}_t0")] if n else [])
        for name in ("party", "stock")
        for n in range(LARGEST_SCHEMA // 2 + 1)
    ]
    assert by_domain([*crowd, table("shop.till")]).keys() == {"party", "stock", "shop"}


def test_several_schemas_of_moderate_size_are_the_domains() -> None:
    tables = [
        table(f"{schema}.{name}_t{n}") for schema in ("actor", "asset", "money") for name in "ab" for n in range(25)
    ]
    assert by_domain(tables).keys() == {"actor", "asset", "money"}


def test_a_schema_with_most_of_the_tables_is_grouped_inside() -> None:
    inside = [*modules(["party", "stock"], 30)]
    most = [each.model_copy(update={"schema_name": "erp"}) for each in inside]
    found = by_domain([*most, *(table(f"shop.t{n}") for n in range(9))])
    assert found.keys() == {"party", "stock", "shop"}


@each_case(
    ("names", "fragment"),
    [
        (("i18n_text", "i18n_locale", "i18n_plural"), "i18_n"),
        (("e2e_run", "e2e_step", "e2e_report"), "e2_e"),
        (("non_book_item", "non_book_loan", "non_paper_map"), "non"),
    ],
)
def test_no_domain_is_named_after_a_fragment_of_a_word(names: Sequence[str], fragment: str) -> None:
    assert fragment not in by_domain([*named(*names), *CLINIC_AND_STAFF])


def test_a_prefix_without_a_separator_is_in_no_name() -> None:
    modules = ("server", "action", "errata", "package", "channel", "kickstart")
    tables = [table(f"public.acq{module}") for module in modules]
    tables += [
        table(f"public.acq{module}{part}", references=[(f"{module}_id", f"public.acq{module}")])
        for module in modules
        for part in ("type", "note", "log")
    ]
    assert by_domain(tables).keys() == set(modules)


def test_a_domain_is_not_named_after_a_table_that_nothing_references() -> None:
    references = [("user_id", "public.users")]
    first = [table(f"public.{name}", references=references) for name in ("avatar", "badge", "session")]
    found = by_domain(
        [table("public.users"), *first],
        Evidence(other_domains=OtherDomains({"users": {"staff"}})),
    )
    assert found.keys() == {"shop-users"}


def test_a_schemas_name_is_taken_as_it_is_written_and_not_spelt_out() -> None:
    tables = [table("hr.employee"), table("hr.wage"), table("CRM.lead"), table("dhcp4.pool")]
    grouping = group_tables(tables, database="shop", pins={}, previous={})
    assert grouping.titles == {"hr": "HR", "crm": "CRM", "dhcp4": "DHCP4"}


def test_a_prefix_is_taken_as_it_is_written() -> None:
    tables = [table(f"public.{prefix}_t{n}") for prefix in ("usr", "amt", "sales") for n in range(4)]
    grouping = group_tables(tables, database="shop", pins={}, previous={})
    assert grouping.titles == {"usr": "Usr", "amt": "Amt", "sales": "Sales"}


def test_a_prefix_that_nearly_every_table_has_names_no_domain() -> None:
    tables = [
        table(f"public.icinga_{name.table_name}", references=[("up", f"public.icinga_{key.references_table}")])
        if (key := next(iter(name.foreign_keys), None))
        else table(f"public.icinga_{name.table_name}")
        for name in CLINIC_AND_STAFF
    ]
    assert set(by_domain(tables)) == {"patient", "employee"}


def test_a_family_gives_the_words_that_all_of_it_shares() -> None:
    tables = [*CLINIC_AND_STAFF, *named("sea_mark_buoy", "sea_mark_bell", "sea_mark_keeper")]
    assert "sea_mark" in by_domain(tables)


def test_a_new_table_joins_what_the_last_plan_calls_its_group() -> None:
    previous = {
        ("public", name): domain
        for domain, names in by_domain(CLINIC_AND_STAFF).items()
        for name in names
        if name != "vacation"
    }
    previous |= {("public", "employee"): "crew", ("public", "payroll"): "crew"}
    assert by_domain(CLINIC_AND_STAFF, previous=previous)["crew"] == {"employee", "payroll", "vacation"}


def test_a_table_that_a_person_moved_stays_there_and_takes_no_other_along() -> None:
    grouping = group_tables(
        CLINIC_AND_STAFF, database="shop", pins={}, previous={}, by_hand={("public", "payroll"): "money"}
    )
    assert [name for (_, name), domain in grouping.domains.items() if domain == "money"] == ["payroll"]


def test_tables_that_nothing_ties_bear_the_name_of_their_database() -> None:
    assert by_domain(named("zz", "qq"), database="Web Shop") == {"web-shop": {"zz", "qq"}}


def test_tables_that_nothing_ties_bear_the_prefix_that_all_of_them_share() -> None:
    assert by_domain(named("acme_dog", "acme_sky", "acme_oil", "acme_ice")).keys() == {"acme"}


def test_a_lone_table_makes_no_domain_of_its_own() -> None:
    assert by_domain([table("public.tmp_migration_settings"), table("till.drawer"), table("till.basket")]) == {
        "shop": {"tmp_migration_settings"},
        "till": {"drawer", "basket"},
    }


def test_the_rest_of_a_database_does_not_take_the_name_of_a_domain_next_to_it() -> None:
    assert by_domain([table("public.zz"), table("shop.till")]) == {"shop-other": {"zz"}, "shop": {"till"}}


def test_an_inferred_name_that_another_database_has_is_not_taken_for_other_tables() -> None:
    there = Evidence(
        other_domains=OtherDomains({"patient": {"dog", "cat"}, "diagnosis": {"engine"}, "other": {"bell"}})
    )
    domains = by_domain([*CLINIC_AND_STAFF, *named("zz")], there)
    assert domains.keys() == {"shop-patient", "employee", "shop-other"}
    assert domains["shop-patient"] == {"patient", "diagnosis", "prescription"}


def test_two_databases_with_one_table_in_common_do_not_share_a_domain() -> None:
    there = Evidence(other_domains=OtherDomains({"patient": {"patient", *"abcdefgh"}}))
    assert "shop-patient" in by_domain(CLINIC_AND_STAFF, there)


def test_a_copy_of_a_database_has_the_same_domains() -> None:
    there = Evidence(other_domains=OtherDomains(by_domain(CLINIC_AND_STAFF)))
    assert by_domain(CLINIC_AND_STAFF, there, database="shop_2") == by_domain(CLINIC_AND_STAFF)


def test_a_schema_that_says_what_it_holds_is_one_domain_in_every_database() -> None:
    there = Evidence(other_domains=OtherDomains({"billing": {"levy"}}))
    assert by_domain([table("billing.invoice"), table("crm.lead")], there).keys() == {"billing", "crm"}


def test_a_schema_that_says_little_gives_a_newcomer_no_name() -> None:
    tables = [table("config.flag"), table("config.flag_rule", references=[("flag", "config.flag")]), table("crm.lead")]
    assert by_domain(tables).keys() == {"config", "crm"}
    there = Evidence(other_domains=OtherDomains({"config": {"radio", "wave"}}))
    assert by_domain(tables, there).keys() == {"flag", "crm"}


@each_case(("count", "smallest", "fewest"), [(10, 3, 3), (10, 2, 2), (900, 3, 5), (5_000, 2, 12)])
def test_a_domain_has_more_tables_at_least_where_there_are_more(count: int, smallest: int, fewest: int) -> None:
    assert minimum_domain_size(count, smallest) == fewest


@given(
    st.lists(st.tuples(st.integers(0, 25), st.integers(0, 25)), max_size=60),
    st.lists(st.sampled_from(["", "crm_", "hr_", "sales"]), min_size=26, max_size=26),
)
def test_grouping_gives_every_table_one_domain_and_is_repeatable(
    keys: list[tuple[int, int]], prefixes: list[str]
) -> None:
    names = [f"{prefix}t{n}" for n, prefix in enumerate(prefixes)]
    tables = [
        table(
            f"public.{name}",
            references=[(f"r{i}", f"public.{names[to]}") for i, (of, to) in enumerate(keys) if of == n],
        )
        for n, name in enumerate(names)
    ]
    one = group_tables(tables, database="shop", pins={}, previous={})
    assert set(one.domains) == {("public", name) for name in names}
    assert set(one.titles) == set(one.domains.values())
    assert one == group_tables(tables[::-1], database="shop", pins={}, previous={})


def test_a_view_goes_with_the_tables_that_it_reads() -> None:
    view = table("public.zz_recent").model_copy(
        update={"kind": "view", "view_definition": "SELECT * FROM public.payroll p JOIN employee e ON e.id = p.id"}
    )
    assert "zz_recent" in by_domain([*CLINIC_AND_STAFF, view])["employee"]
