"""Grouping: pins, the last plan, schemas, words and keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.fakes.catalogs import column, table
from tribal.adapters.wordllama.embedder import WordLlamaEmbedder
from tribal.errors import EmbeddingFailed
from tribal.planning.domains.clustering import Cluster, minimum_domain_size
from tribal.planning.domains.domain_names import name_domains
from tribal.planning.domains.grouping import LARGEST_SCHEMA, Evidence, group_tables
from tribal.planning.domains.vocabulary import topics
from tribal.planning.domains.word_similarity import split_run_together, without_kind_words
from tribal_contracts import CatalogTable

WORDS = Evidence(WordLlamaEmbedder())
CLINIC_AND_STAFF = [
    table("public.patient", column("birth_date")),
    table("public.diagnosis", references=[("patient_id", "public.patient")]),
    table("public.prescription", references=[("patient_id", "public.patient")]),
    table("public.employee", column("salary")),
    table("public.payroll", references=[("employee_id", "public.employee")]),
    table("public.vacation", references=[("employee_id", "public.employee")]),
]


class BrokenEmbedder:
    model = "broken"
    dimensions = 2

    def embed(self, _texts: Sequence[str]) -> NDArray[np.float32]:
        raise EmbeddingFailed("the weights are not there")


def by_domain(
    tables: Sequence[CatalogTable], evidence: Evidence = WORDS, previous: Mapping[tuple[str, str], str] | None = None
) -> dict[str, set[str]]:
    grouped: dict[str, set[str]] = {}
    for (_, name), domain in group_tables(tables, pins={}, previous=previous or {}, evidence=evidence).domains.items():
        grouped.setdefault(domain, set()).add(name)
    return grouped


def test_tables_of_one_schema_are_recognised_by_words_and_keys() -> None:
    assert by_domain(CLINIC_AND_STAFF) == {
        "clinical-records": {"patient", "diagnosis", "prescription"},
        "human-resources": {"employee", "payroll", "vacation"},
    }


def test_the_order_of_tables_and_a_second_time_make_no_difference() -> None:
    assert by_domain(CLINIC_AND_STAFF[::-1]) == by_domain(CLINIC_AND_STAFF)


def test_a_users_vocabulary_is_recognised_and_keeps_its_title() -> None:
    tables = [table(f"public.{name}") for name in ("lighthouse", "lighthouse_keeper", "buoy")]
    own = Evidence(WordLlamaEmbedder(), {"Sea Marks": ["lighthouse", "buoy", "keeper"]})
    grouping = group_tables(tables, pins={}, previous={}, evidence=own)
    assert set(grouping.domains.values()) == {"sea-marks"}
    assert grouping.titles["sea-marks"] == "Sea Marks"


def test_words_for_a_known_domain_are_added_to_it() -> None:
    own = {topic.name: topic for topic in topics({"sales": ["zebra"]})}
    assert own["sales"].words[-1] == "zebra"
    assert len(own) == len(topics({}))


def test_a_schema_too_large_for_one_domain_is_grouped_inside() -> None:
    crowd = [
        table(f"erp.{name.table_name}_{n}", references=[("up", f"erp.{name.table_name}_0")] if n else [])
        for name in CLINIC_AND_STAFF
        for n in range(LARGEST_SCHEMA // 6 + 1)
    ]
    domains = by_domain([*crowd, table("shop.till")])
    assert domains["shop"] == {"till"}
    assert "erp" not in domains
    assert len(domains) > 2


def test_a_new_table_joins_what_the_last_plan_calls_its_group() -> None:
    previous = {
        ("public", name): domain
        for domain, names in by_domain(CLINIC_AND_STAFF).items()
        for name in names
        if name != "vacation"
    }
    previous |= {("public", "employee"): "crew", ("public", "payroll"): "crew"}
    assert by_domain(CLINIC_AND_STAFF, previous=previous)["crew"] == {"employee", "payroll", "vacation"}


@pytest.mark.parametrize("evidence", [Evidence(), Evidence(BrokenEmbedder())])
def test_without_words_keys_decide_and_the_reason_is_told(evidence: Evidence) -> None:
    grouping = group_tables(CLINIC_AND_STAFF, pins={}, previous={}, evidence=evidence)
    assert set(grouping.domains.values()) == {"patient", "employee"}
    assert grouping.without_words
    settled = group_tables(CLINIC_AND_STAFF, pins={}, previous=grouping.domains, evidence=evidence)
    assert settled.domains == grouping.domains
    assert settled.without_words is None


def test_unknown_words_without_keys_are_left_over() -> None:
    assert by_domain([table("public.zz"), table("public.qq")]) == {"general": {"zz", "qq"}}


def test_a_lone_table_makes_no_domain_of_its_own() -> None:
    assert by_domain([table("public.tmp_migration_settings"), table("shop.till"), table("shop.basket")]) == {
        "general": {"tmp_migration_settings"},
        "shop": {"till", "basket"},
    }


def test_names_that_run_together_are_cut_at_known_words() -> None:
    known = {"sales", "order", "header", "orde"}
    assert split_run_together("salesorderheader", known) == ["sales", "order", "header"]
    assert split_run_together("orders", known) == ["orders"]


def test_one_schema_is_grouped_by_its_keys_and_named_after_the_table_at_the_centre() -> None:
    film = [table("public.film"), *(table(f"public.film_{n}", references=[("film_id", "public.film")]) for n in "abc")]
    staff = [table("public.staff"), *(table(f"public.shift_{n}", references=[("s", "public.staff")]) for n in "abc")]
    lonely = [table("public.zz_tmp")]
    grouping = group_tables([*film, *staff, *lonely], pins={}, previous={})
    by_domain: dict[str, set[str]] = {}
    for (_, name), domain in grouping.domains.items():
        by_domain.setdefault(domain, set()).add(name)
    assert by_domain["film"] == {"film", "film_a", "film_b", "film_c"}
    assert by_domain["staff"] == {"staff", "shift_a", "shift_b", "shift_c"}
    assert by_domain["general"] == {"zz_tmp"}


def test_a_cluster_that_keys_set_apart_holds_together_whatever_its_words() -> None:
    odd = [
        table("public.zoo"),
        table("public.invoice", references=[("zoo", "public.zoo")]),
        table("public.airport", references=[("zoo", "public.zoo"), ("invoice", "public.invoice")]),
        table("public.vaccine", references=[("zoo", "public.zoo"), ("airport", "public.airport")]),
    ]
    assert {"zoo", "invoice", "airport", "vaccine"} in by_domain([*CLINIC_AND_STAFF, *odd]).values()


def test_where_keys_make_one_blob_words_decide() -> None:
    hub = table("public.zz_row")
    spread = [
        table(f"public.{name}", references=[("row", "public.zz_row")])
        for name in (
            "employee_salary",
            "employee_shift",
            "employee_vacation",
            "shipment_parcel",
            "shipment_carrier",
            "shipment_route",
        )
    ]
    domains = by_domain([hub, *spread])
    assert domains["human-resources"] >= {"employee_salary", "employee_shift", "employee_vacation"}
    assert domains["shipping"] >= {"shipment_parcel", "shipment_carrier", "shipment_route"}


def test_tables_without_keys_go_with_those_that_share_a_prefix_and_bear_its_name() -> None:
    modules = [table(f"public.{prefix}_{name}") for prefix in ("xq", "vz") for name in ("salary", "recipe", "airport")]
    assert by_domain(modules) == {
        "xq": {"xq_salary", "xq_recipe", "xq_airport"},
        "vz": {"vz_salary", "vz_recipe", "vz_airport"},
    }


def test_of_two_domains_of_one_kind_the_larger_bears_its_name_and_the_other_that_of_its_centre() -> None:
    groups = [Cluster([4, 5, 6], 0, 0.9), Cluster([0, 1, 2, 3], 0, 0.3)]
    names = [["owner"], ["owner", "note"], ["cat"], ["dog"], ["pupil"], ["mark", "2"], ["lesson"]]
    links = [(1, 0), (2, 0), (5, 4), (6, 4), (5, 6)]
    sales = topics({})[0]
    assert name_domains(groups, links, names, [sales], taken=set()) == ["pupil", "sales"]
    assert name_domains(groups, links, names, [sales], taken={"pupil"}) == ["lesson", "sales"]


def test_a_group_that_words_hardly_tell_is_named_after_its_centre() -> None:
    assert name_domains([Cluster([0, 1], 0, 0.1)], [(1, 0)], [["owner"], ["pet"]], topics({}), taken=set()) == ["owner"]


def test_a_prefix_names_a_module_unless_it_is_everywhere_or_a_table() -> None:
    module = [["acme", "crm", "note"], ["acme", "crm", "lead"], ["acme", "crm", "call"]]
    others = [["stock"], ["bin"], ["pallet"]]

    def name(names: list[list[str]]) -> str:
        return name_domains([Cluster([0, 1, 2])], [(1, 0)], names, topics({}), taken=set())[0]

    assert name([*module, *others]) == "acme_crm"
    assert name([*module, *others[:2]]) == "acme_crm_note"
    assert name([*module, *others, ["acme"]]) == "acme_crm_note"
    assert name([["acme", "crm"]] * 3 + others) == "acme_crm"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["dim", "customer"], ["customer"]),
        (["v", "stg", "order", "line"], ["order", "line"]),
        (["reference"], ["reference"]),
        ([], []),
    ],
)
def test_a_word_for_the_kind_of_table_at_the_front_of_a_name_tells_no_domain(words: list[str], told: list[str]) -> None:
    assert without_kind_words(words) == told


def test_tables_that_share_a_word_for_their_kind_alone_are_not_drawn_together() -> None:
    kinds = [
        table(f"public.dim_{name}") for name in ("patient", "diagnosis", "procedure", "salary", "employee", "vacation")
    ]
    assert len(by_domain(kinds)) == 2


def test_a_domain_has_more_tables_at_least_where_there_are_more() -> None:
    assert [minimum_domain_size(count) for count in (10, 300, 900, 5_000)] == [3, 3, 5, 12]


@given(st.lists(st.tuples(st.integers(0, 25), st.integers(0, 25)), max_size=60), st.sampled_from([Evidence(), WORDS]))
def test_grouping_gives_every_table_one_domain_and_is_repeatable(
    keys: list[tuple[int, int]], evidence: Evidence
) -> None:
    tables = [
        table(f"public.t{n}", references=[(f"r{i}", f"public.t{to}") for i, (of, to) in enumerate(keys) if of == n])
        for n in range(26)
    ]
    one = group_tables(tables, pins={}, previous={}, evidence=evidence)
    assert set(one.domains) == {("public", f"t{n}") for n in range(26)}
    assert one == group_tables(tables, pins={}, previous={}, evidence=evidence)


def test_a_view_goes_with_the_tables_that_it_reads() -> None:
    view = table("public.zz_recent").model_copy(
        update={"kind": "view", "view_definition": "SELECT * FROM public.payroll p JOIN employee e ON e.id = p.id"}
    )
    assert "zz_recent" in by_domain([*CLINIC_AND_STAFF, view])["human-resources"]
