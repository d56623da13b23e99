"""Grouping: pins, the last plan, schemas, words and keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.fakes.catalogs import column, table
from tribal.adapters.wordllama import WordLlamaEmbedder
from tribal.errors import EmbeddingFailed
from tribal.planning.grouping import LARGEST_SCHEMA, Evidence, group_tables
from tribal.planning.grouping_words import split_run_together
from tribal.planning.vocabulary import topics
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
