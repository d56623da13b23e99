"""Titles and texts of domains: the model's where no one gave one, and each title but once in a database."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from tests.fakes.claude import FakeClaude
from tests.runs.model.made import ModelRuns, contents, data_of, says
from tribal.identity import locations
from tribal.naming import domain_title
from tribal_contracts import DatabaseEntry, DocumentationPlan, DomainDocument


@pytest.fixture
def runs(claude: FakeClaude) -> ModelRuns:
    claude.mind = says("Holds what was ordered.", "Tells how good it is.")
    return ModelRuns(claude)


def titles(runs: ModelRuns) -> dict[str, str]:
    keys = [key for key in runs.store.keys("docs/") if key.endswith("/domain.json")]
    return {
        found.domain: found.title
        for key in keys
        if key.startswith("docs/shop/") and (found := DomainDocument.from_json(runs.store.get(key).data))
    }


def titled_by_tables(body: Mapping[str, Any]) -> Any:
    """A mind that gives each domain of `shop` a title of its own, with the words of its schema's name."""
    shown = data_of(str(body["messages"][-1]["content"]))
    domain = shown.get("domain", {}).get("t1", ["none.none"])[0].partition(".")[0]
    return says("Holds what was ordered.", "Tells how good it is.", f"Goods of {domain}")(body)


def test_title_and_text_of_a_domain_are_asked_in_finish_and_its_name_stays(runs: ModelRuns) -> None:
    runs.claude.mind = titled_by_tables
    runs.run()
    keys = [key for key in runs.store.keys("docs/") if key.endswith("/domain.json")]
    domains = [DomainDocument.from_json(runs.store.get(key).data) for key in keys]
    assert {domain.title for domain in domains} == {f"Goods of {domain.domain}" for domain in domains}
    assert {domain.description_source for domain in domains} == {"model"}
    assert {domain.description_confidence for domain in domains} == {0.6}
    page = runs.store.get(keys[0].replace("/domain.json", "/README.md")).data.decode()
    assert "_Written by a model (60 %) from names; no one has confirmed it._" in page
    assert all(f"/{domain.domain}/" in key for key, domain in zip(keys, domains, strict=True))


def test_a_title_that_a_person_chose_stands_over_the_models_even_while_the_database_is_down(runs: ModelRuns) -> None:
    runs.others = (DatabaseEntry(name="store"),)
    runs.claude.mind = titled_by_tables
    runs.run()
    place = f"{runs.tables[0].schema_name}.{runs.tables[0].table_name}"
    inferred = runs.document(f"shop.{place}").domain
    runs.entry = DatabaseEntry(name="shop", domains={domain_title(inferred): [place]})
    assert runs.document(f"shop.{place}").domain == inferred
    assert titles(runs)[inferred] == f"Goods of {inferred}"
    runs.run()
    assert titles(runs)[inferred] == domain_title(inferred)
    runs.down = frozenset(("shop",))
    runs.run()
    assert titles(runs)[inferred] == domain_title(inferred)


def test_domains_to_which_the_model_gives_one_title_are_told_apart(runs: ModelRuns) -> None:
    runs.run()
    found = titles(runs)
    first, *others = sorted(found)
    assert found == {first: "Goods on their way"} | {domain: domain_title(domain) for domain in others}
    overview = runs.store.get("docs/shop/README.md").data.decode()
    assert overview.count("Goods on their way") == 1
    assert all(f"[{domain_title(domain)}]" in overview for domain in others)
    runs.run()
    before = contents(runs)
    runs.run()
    assert contents(runs) == before
    assert titles(runs) == found


def test_a_title_of_the_model_is_not_that_of_another_domain(runs: ModelRuns) -> None:
    runs.run()
    second = sorted(titles(runs))[1]
    runs.claude.mind = says("Holds what was ordered.", "Tells how good it is.", domain_title(second).upper())
    runs.run(new_prose=True)
    others = {domain: domain_title(domain) for domain in titles(runs)}
    assert titles(runs) == others | {second: domain_title(second).upper()}


def test_the_name_that_a_person_gave_a_domain_in_the_plan_is_its_title_in_every_run(runs: ModelRuns) -> None:
    runs.run()
    plan = DocumentationPlan.from_json(runs.store.get(locations.PLAN_FILE).data).model_dump(mode="json")
    domains = plan["databases"][0]["domains"]
    renamed = min(domains)
    assert titles(runs)[renamed] == "Goods on their way"
    domains["goods_of_ann"] = domains.pop(renamed)
    runs.store.put(locations.PLAN_FILE, json.dumps(plan).encode())
    runs.only_document()
    assert titles(runs)["goods_of_ann"] == "Goods of ann"
    for _ in range(2):
        runs.run(new_prose=True)
        assert titles(runs)["goods_of_ann"] == "Goods of ann"
    assert "Goods on their way" in titles(runs).values()
