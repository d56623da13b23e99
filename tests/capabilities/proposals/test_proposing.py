"""Proposing a description: what is kept, what is refused, and that nothing shows it as documentation."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.capabilities.memory.hostile import ORDERS
from tests.capabilities.proposals.shop import (
    AGENT,
    CRM,
    CUSTOMER,
    EDITOR,
    READER,
    SALES,
    TEXT,
    asked,
    caller,
    code_of,
    listed,
    opened,
    project,
    proposed,
)
from tests.cases import each_case
from tribal.capabilities.proposals.proposing import MOST_OPEN
from tribal.ports import Application, Caller
from tribal.store.sealing import is_sealed, require_seal
from tribal.tools.call import call_tool
from tribal_contracts.proposals import DescriptionProposal


@pytest.fixture(name="app")
def app_fixture(tmp_path: Path) -> Iterator[Application]:
    with closing(project(tmp_path)) as app:
        yield app


def test_a_proposal_is_kept_with_its_caller_and_the_text_before_and_after(app: Application) -> None:
    answer = proposed(app)
    assert answer["success"]
    key = f"proposals/{answer['id']}.json"
    data = app.store().get(key).data
    assert is_sealed(data)
    require_seal(key, data)
    kept = DescriptionProposal.from_json(data)
    assert (kept.table, kept.column, kept.by) == (CUSTOMER, None, "agent")
    assert (kept.before, kept.description) == ("People and companies who buy from us.", TEXT)
    assert listed(app) == [kept.model_dump(mode="json", exclude={"schema_version", "column"})]


def test_git_ignores_the_proposals_of_a_folder(app: Application, tmp_path: Path) -> None:
    proposed(app)
    assert (tmp_path / "proposals/.gitignore").read_text() == "*\n"


def test_a_name_is_understood_as_get_table_schema_understands_it(app: Application) -> None:
    answer = proposed(app, table="CRM.Customer", column="NAME", description="As on the contract.")
    assert (answer["table"], answer["column"]) == (CUSTOMER, "name")


def test_the_same_proposal_again_is_the_same_one(app: Application) -> None:
    first = proposed(app)
    assert proposed(app, description=f"  {TEXT}\n") == first
    assert proposed(app, table="crm.customer")["id"] == first["id"]
    others = [proposed(app, column="name"), proposed(app, description="Others."), proposed(app, EDITOR_WHO_PROPOSES)]
    assert len({first["id"], *(each["id"] for each in others)}) == 4
    assert len(listed(app)) == 4


EDITOR_WHO_PROPOSES = caller("editor", "annotations:propose")


def test_an_unknown_table_is_refused_as_by_get_table_schema(app: Application) -> None:
    answer, shown = proposed(app, table="shop.crm.custmer"), table_schema(app, AGENT, "shop.crm.custmer")
    assert without_time(answer) == without_time(shown)
    assert code_of(answer) == "RET_TABLE_NOT_FOUND"
    assert answer["error"]["context"]["suggestions"][0] == CUSTOMER


def test_a_hidden_table_is_as_unknown_as_one_that_does_not_exist(app: Application) -> None:
    scoped = caller("agent", "annotations:propose", scope=SALES)
    hidden, missing = proposed(app, scoped), proposed(app, scoped, table="shop.crm.nothing")
    assert code_of(hidden) == code_of(missing) == "RET_TABLE_NOT_FOUND"
    assert CUSTOMER not in json.dumps(missing)
    assert without_time(hidden) == without_time(table_schema(app, scoped, CUSTOMER))


def without_time(answer: Any) -> dict[str, Any]:
    return {name: value for name, value in answer["error"].items() if name != "timestamp"}


def table_schema(app: Application, by: Caller, table: str) -> dict[str, Any]:
    return call_tool("get_table_schema", {"table": table}, by, app).model_dump(mode="json", exclude_none=True)


def test_an_unknown_column_is_refused_with_near_misses(app: Application) -> None:
    answer = proposed(app, column="emial")
    assert code_of(answer) == "RET_COLUMN_NOT_FOUND"
    assert answer["error"]["context"]["suggestions"] == ["email"]


@each_case(
    ("description", "code"),
    [
        ("", "PRO_INPUT_INVALID"),
        (" \n", "PRO_INPUT_INVALID"),
        ("word " * 800 + "x", "PRO_INPUT_INVALID"),
        ("a\x00b", "PRO_INPUT_INVALID"),
        ("a\x1b[2Jb", "PRO_INPUT_INVALID"),
        ("People and companies who buy from us.", "PRO_INPUT_INVALID"),
        ("The password is hunter2hunter2.", "PRO_CONTENT_REFUSED"),
        ("Use AKIAIOSFODNN7EXAMPLE to read it.", "PRO_CONTENT_REFUSED"),
        ("Paid with 4111 1111 1111 1111.", "PRO_CONTENT_REFUSED"),
        ("Ask ada.lovelace@acme-corp.io about it.", "PRO_CONTENT_REFUSED"),
    ],
)
def test_what_may_not_be_written_down_is_refused(app: Application, description: str, code: str) -> None:
    answer = proposed(app, description=description)
    assert code_of(answer) == code
    assert listed(app) == []
    assert not [*app.store().keys("proposals/")]


def test_the_longest_text_is_accepted(app: Application) -> None:
    assert proposed(app, description="word " * 799 + "words")["success"]


def test_a_caller_has_at_most_twenty_open_proposals_and_the_error_says_what_to_do(app: Application) -> None:
    made = [proposed(app, description=f"Text {number}.") for number in range(MOST_OPEN)]
    assert all(each["success"] for each in made)
    refused = proposed(app, description="One more.")
    assert code_of(refused) == "PRO_LIMIT_EXCEEDED"
    assert "`tribal proposals reject ID`" in refused["error"]["message"]
    assert proposed(app, description="Text 3.")["id"] == made[3]["id"]
    assert proposed(app, EDITOR_WHO_PROPOSES)["success"]
    assert asked(app, AGENT, "DELETE", f"/v1/proposals/{made[0]['id']}")[0] == 200
    assert proposed(app, description="One more.")["success"]


def test_proposing_needs_its_own_right(app: Application) -> None:
    for other in (READER, EDITOR, caller("x", "memory:write")):
        assert code_of(proposed(app, other)) == "PRO_ACCESS_DENIED"


def test_without_an_index_nothing_can_be_proposed(tmp_path: Path) -> None:
    with closing(opened(tmp_path)) as app:
        assert code_of(proposed(app)) == "RET_INDEX_NOT_READY"
        assert not [*app.store().keys("proposals/")]


def test_no_other_tool_and_no_part_of_the_page_shows_a_proposal(app: Application) -> None:
    assert proposed(app, description="Zanzibar quokka.")["success"]
    assert proposed(app, description="Zanzibar quokka.", column="name")["success"]
    everyone = Caller("everyone")
    questions: list[tuple[str, dict[str, Any]]] = [
        ("search_tables", {"query": "zanzibar quokka"}),
        ("get_table_schema", {"table": CUSTOMER}),
        ("get_query_context", {"tables": [CUSTOMER]}),
        ("get_domain_overview", {"domain": "customers"}),
        ("list_domains", {}),
    ]
    for tool, arguments in questions:
        answer = call_tool(tool, arguments, everyone, app)
        left = answer.model_dump(mode="json", exclude={"query", "query_interpretation", "search_terms_used"})
        assert "quokka" not in json.dumps(left.get("tables", left)).lower(), tool
    parts = ("catalog", "columns", "todo", "state", "definitions", "caller")
    texts = [json.dumps(asked(app, everyone, "GET", f"/v1/page/{part}")[1]) for part in parts]
    texts.append(json.dumps(asked(app, everyone, "GET", "/v1/page/table", name=CUSTOMER)[1]))
    assert not [text for text in texts if "quokka" in text.lower()]


@each_case("text", ORDERS)
def test_hostile_texts_are_refused_or_kept_as_they_are(app: Application, text: str) -> None:
    answer = proposed(app, description=text)
    if answer["success"]:
        (found,) = [each for each in listed(app) if each["id"] == answer["id"]]
        assert found["description"] == text.strip()
        assert asked(app, EDITOR, "DELETE", f"/v1/proposals/{answer['id']}")[0] == 200
    else:
        assert code_of(answer) in ("PRO_INPUT_INVALID", "PRO_CONTENT_REFUSED")


def test_a_scoped_caller_proposes_within_its_scope(app: Application) -> None:
    scoped = caller("scoped", "annotations:propose", scope=CRM)
    assert proposed(app, scoped)["success"]
    assert [each["before"] for each in listed(app, scoped)] == ["People and companies who buy from us."]
