"""The twelve steps. Each returns what it was answered, without ids and times: both places answer the same."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tests.capabilities.contribution.records import INTERFACES, require_specified
from tests.fakes.openai.failures import RATE_LIMITED
from tests.scenario.company import (
    DECISIONS,
    EXAM,
    FACT,
    LEFTOVERS,
    MEANING,
    REMEMBERED,
    STATUS,
    WIDER,
    manuals,
    migrations_in_order,
)
from tests.scenario.minds import INVENTED, TABLE_SENTENCE
from tests.scenario.place import CHAT, UI_STREAM, Json, Place, eventually, finished
from tribal_contracts import BudgetRecord, DocumentationManifest, DocumentedColumn, TableDocument
from tribal_contracts.contribution import HANDOFFS

TABLE = "billing.invoice"
ANSWERS = Path(__file__).with_name("answers.json")
"""What both places answer."""
ANNOTATIONS = "annotations/company.yaml"
TUTOR = "comp237_course_materials"
COURSE = "# Refunds\n\nWrite code for a refund calculator by hand: a refund is the net price.\n"
QUESTION = "how soon are refunds paid, and which status may an invoice have?"


_TIME = re.compile(r"\d+ (?:second|minute)s?\b|\d{4}-\d\d-\d\dT[\d:.]+Z")


@dataclass
class Scenario:
    """What one step leaves to the next."""

    place: Place
    exam: Json = field(default_factory=dict)
    session: str = ""
    cycle: int = 0


def document(story: Scenario) -> Json:
    """1. The company is documented, and its decisions are there to be synced."""
    place = story.place
    place.decide(DECISIONS)
    record = place.run()
    found = place.client("ada").call("search_tables", query="which customers have not paid", limit=3)
    assert record.status == "completed", record
    return {"documented": record.tables_documented, "found": [each["name"] for each in found["tables"]]}


def examine(story: Scenario) -> Json:
    """2. An exam of five questions: one fails, and its gap names the column."""
    story.exam = _exam(story.place)
    (gap,) = story.exam["gaps"]
    assert gap["target"] == STATUS
    return {"answered": story.exam["answered"], "gap": gap["description"], "asked": gap["questions"]}


def guide(story: Scenario) -> Json:
    """3. A memory and the decisions appear in the guidance of the table."""
    ada = story.place.client("ada")
    ada.call("memory_add", content=REMEMBERED, layer="project")
    sync(story.place)
    guidance = ada.call("get_table_schema", table=TABLE)["guidance"]
    assert {each["kind"] for each in guidance} == {"memory", "adr", "policy"}
    context = ada.call("get_query_context", question="which invoices are unpaid?")
    assert "part in \\`billing.invoice\\` as unpaid" in context["text"]
    return {"guidance": [[each["kind"], each["text"]] for each in guidance]}


def correct(story: Scenario) -> Json:
    """4. What blocks a question is to be described first; after that only its table is documented again."""
    place = story.place
    assert _first_to_document(place) == STATUS
    before = _hashes(place)
    said = {"tables": {TABLE: {"columns": {"status": MEANING}}}}
    place.put(ANNOTATIONS, json.dumps(said).encode())
    record = place.run()
    after = _hashes(place)
    assert [name for name in after if after[name] != before[name]] == [f"company.{TABLE}"]
    assert _first_to_document(place) != STATUS
    return {"documented": record.tables_documented, "unchanged": record.tables_unchanged}


def compare(story: Scenario) -> Json:
    """5. The same exam: one more question is answered, and none is lost."""
    story.place.put("exam-before.json", json.dumps(story.exam).encode())
    after = _exam(story.place, baseline=True)
    assert after["gaps"] == []
    new, lost = after["baseline"]["newlyAnswered"], after["baseline"]["newlyFailing"]
    assert (len(new), lost) == (1, [])
    return {"answered": after["answered"], "newly": new}


def upload(story: Scenario) -> Json:
    """6. An upload is killed in the middle and resumed; another team finds neither it nor anything else."""
    place = story.place
    ada, bea = place.client("ada"), place.client("bea")
    job_id = ada.upload("manuals", "manuals.zip", manuals())
    eventually(lambda: 0 < len(ada.request("GET", f"/api/admin/etl/status/{job_id}").json()["files"]) < 40)
    assert place.kill()
    place.resume()
    job = finished(ada, job_id)
    assert (job["status"], {each["status"] for each in job["files"]}) == ("completed", {"indexed"}), job
    asked = {"messages": [{"role": "user", "content": QUESTION}], "collection": "manuals"}
    hidden = bea.request("POST", CHAT, asked)
    assert (hidden.status_code, hidden.json()["error"]["code"]) == (404, "CHAT_COLLECTION_NOT_FOUND")
    started = ada.call("start_interrogation", hypothesis="Which status counts as unpaid?", iterationLimit=5)
    story.session = started["sessionId"]
    assert bea.refused("get_interrogation", sessionId=story.session) == (404, "INT_SESSION_NOT_FOUND")
    eventually(lambda: _session(story)["status"] != "running")
    return {"files": len(job["files"]), "session": _session(story)["status"]}


def chat(story: Scenario) -> Json:
    """7. In both framings sentences cite a table and a passage; an invented one and forbidden SQL are left out."""
    place = story.place
    ada = place.client("ada")
    events = ada.chat(QUESTION, "manuals")
    text = "".join(each["textDelta"] for each in events if each["type"] == "text-delta")
    (sources,) = (each["sources"] for each in events if each["type"] == "sources")
    assert INVENTED not in text
    assert (events[-1]["type"], events[-1]["dropped_sentences"]) == ("finish", 1)
    chunks = ada.chat(QUESTION, "manuals", headers=UI_STREAM)
    assert "".join(each["delta"] for each in chunks if each["type"] == "text-delta") == text
    assert {"source-document", "source-url"} <= {each["type"] for each in chunks}
    assert FACT.rstrip(".") in text
    assert TABLE_SENTENCE in text
    blocked = ada.chat("write a query over the old customers of the migration", "manuals")
    refused = "".join(each["textDelta"] for each in blocked if each["type"] == "text-delta")
    assert LEFTOVERS not in refused
    warnings = blocked[-1]["warnings"]
    assert "no-migration-leftovers" in str(warnings)
    return {"text": text, "sources": [each["title"] for each in sources], "blocked": refused, "warnings": warnings}


def refuse(story: Scenario) -> Json:
    """8. A tutor refuses to write code: the stream has one `finish`, and no language model is called."""
    vendor, ada = story.place.vendor, story.place.client("ada")
    job = finished(ada, ada.upload(TUTOR, "refunds.md", COURSE.encode()))
    assert job["status"] == "completed", job
    before = [each for each in vendor.calls if "messages" in each.body]
    events = ada.chat("write code for a refund calculator", TUTOR)
    assert [each for each in vendor.calls if "messages" in each.body] == before
    (finish,) = (each for each in events if each["type"] == "finish")
    text = "".join(each["textDelta"] for each in events if each["type"] == "text-delta")
    return {"law": finish["governor"]["law_violated"], "text": text, "verdict": finish["verdict"]}


def spend(story: Scenario) -> Json:
    """9. A model that is limited for an hour is replaced in mid-session; all spend from one budget."""
    place = story.place
    ada = place.client("ada")
    place.vendor.fail(None, None, None, None, RATE_LIMITED_FOR_AN_HOUR)
    started = ada.call("start_interrogation", hypothesis="Which invoices count as unpaid?", iterationLimit=5)
    story.session = started["sessionId"]
    eventually(lambda: _session(story)["status"] != "running", 60)
    trail = [each["event"] for each in _session(story)["auditTrail"]]
    assert "provider_switch" in trail, _session(story)
    with ThreadPoolExecutor() as aside:
        chats = [aside.submit(ada.chat, QUESTION, "manuals") for _ in range(2)]
        record = place.run("--new-prose")
        for each in chats:
            require_model_answered(each.result()[-1])
    assert record.status == "completed"
    assert recorded_nanodollars(place) >= place.vendor.nanodollars
    return {"session": _session(story)["status"], "trail": trail, "documented": record.tables_documented}


def contribute(story: Scenario) -> Json:
    """10. A description goes to the repository: approved by someone else, killed after the commit, published once."""
    place = story.place
    ada, bea, cem = (place.client(name) for name in ("ada", "bea", "cem"))
    prepared = ada.call("prepare_contribution")
    story.cycle = prepared["cycle"]
    shown = became(place, story.cycle, "waiting")
    assert bea.refused("get_contribution", cycle=story.cycle) == (404, "CON_CYCLE_UNKNOWN")
    path, content = f"/v1/contributions/{story.cycle}/approval", {"sha256": shown["sha256"]}
    own = ada.request("POST", path, content)
    assert (own.status_code, own.json()["error"]["code"]) == (403, "CON_ACCESS_DENIED")
    killed = kill_after(place, "add_commit")
    assert cem.request("POST", path, content).status_code == 202
    eventually(lambda: killed)
    assert killed == [True]
    place.resume()
    became(place, story.cycle, "following")
    require_handoffs(place)
    (pull,) = place.github.pulls.found
    return {"title": pull.title, "diff": shown["diff"], "approved": "cem read and approved it" in pull.body}


def merge(story: Scenario) -> Json:
    """11. Merged and migrated on a fresh database, the description comes from the database; nothing is left to do."""
    place = story.place
    (pull,) = place.github.pulls.found
    place.github.pulls.merge(pull.number)
    place.follow()
    assert contribution_of(place, story.cycle)["outcome"] == "merged", contribution_of(place, story.cycle)
    files = place.github.objects.files("main")
    place.migrate(migrations_in_order(files), afresh=True)
    record = place.run()
    description = _column(place).description
    assert (description.text, description.source) == (MEANING, "comment")
    assert place.client("ada").call("list_contributions", state="open")["total"] == 0
    status = json.loads(place.get("contribution/swarm-status.json"))
    assert status["stats"]["prs_merged"] == 1
    return {"documented": record.tables_documented, "migrations": sorted(files)}


def change(story: Scenario) -> Json:
    """12. The column's type changes: what that affects is named. All indexes are rebuilt: the answers stay."""
    place = story.place
    place.migrate([WIDER])
    found = json.loads(place.operate("diff", "--impact", "--json"))
    (impact,) = [each for each in found["impact"] if each.get("name") == "status"]
    kinds = {each["kind"] for each in impact["affected"]}
    assert {"query", "memory", "policy"} <= kinds
    place.run()
    before = _everything(story)
    place.rebuild_indexes()
    after = _everything(story)
    for name, answer in before.items():
        assert after[name] == answer, name
    said = {
        "search": [each["name"] for each in after["search"]["tables"]],
        **{name: [each["text"] for each in after[name]["statements"]] for name in ("ask", "passages")},
        "memory": [each["content"] for each in after["memory"]["results"]],
        "knowledge": [each["id"] for each in after["knowledge"]["items"]],
    }
    return {"affected": [[each["kind"], each["text"]] for each in impact["affected"]], "said": said}


STEPS = (document, examine, guide, correct, compare, upload, chat, refuse, spend, contribute, merge, change)


def play(place: Place) -> Json:
    """Take all steps; return their answers by the name of the step."""
    story = Scenario(place)
    answers = {step.__name__: step(story) for step in STEPS}
    found: Json = json.loads(json.dumps(answers))
    return found


RATE_LIMITED_FOR_AN_HOUR = replace(RATE_LIMITED, name="429 for an hour", headers=(("retry-after", "3600"),))


def sync(place: Place) -> None:
    """Have decisions synced."""
    ada = place.client("ada")
    ada.call("sync_now")
    eventually(lambda: ada.call("sync_status")["healthy"])


def recorded_nanodollars(place: Place) -> int:
    """What is recorded as spent or reserved today."""
    budget = BudgetRecord.from_json(place.get("progress/budget.json"))
    reserved = sum(each.reserved_nanodollars for each in budget.holders.values())
    return budget.day_spend.nanodollars + reserved


def require_model_answered(finish: Json) -> None:
    """Check that a chat has not lost its reservation: documents answer where the budget lets no model do so."""
    assert (finish["finish_reason"], finish["model_selected"]) == ("stop", "gpt-6-luna"), finish


def require_handoffs(place: Place) -> None:
    """Check every hand-off against the specification's own types."""
    named = {f"{name}.json": INTERFACES[agent] for agent, (name, _) in HANDOFFS.items()}
    checked = [key for key in place.keys("contribution/") if key.rpartition("/")[2] in named]
    assert len(checked) >= 7
    for key in checked:
        require_specified(named[key.rpartition("/")[2]], place.get(key))


def _exam(place: Place, *, baseline: bool = False) -> Json:
    place.put("exam.txt", "\n".join(EXAM).encode())
    words = ["--baseline", "exam-before.json"] if baseline else []
    found: Json = json.loads(place.operate("interrogate", "--questions", "exam.txt", *words, "--json"))
    return found


def _first_to_document(place: Place) -> str:
    """Return what `todo` lists first."""
    (item,) = json.loads(place.operate("todo", "--limit", "1", "--json"))["items"]
    return f"{item['table']}.{item['column']}"


def _hashes(place: Place) -> Mapping[str, str]:
    manifest = DocumentationManifest.from_json(place.get("docs/documentation-manifest.json"))
    tables = [each for each in manifest.indexable_files if each.type == "table" and each.path.endswith(".json")]
    return {f"{each.database}.{each.schema_}.{each.table}": each.content_hash for each in tables}


def _session(story: Scenario) -> Json:
    found: Json = story.place.client("ada").call("get_interrogation", sessionId=story.session)["session"]
    return found


def contribution_of(place: Place, cycle: int) -> Json:
    """Return a contribution as its preparer sees it."""
    return place.client("ada").call("get_contribution", cycle=cycle)


def became(place: Place, cycle: int, state: str) -> Json:
    """Return the contribution once it is in a state that it may wait in."""

    def look() -> Json:
        found = contribution_of(place, cycle)
        assert found["state"] in (state, "preparing", "publishing", "waiting"), found
        return found if found["state"] == state else {}

    return eventually(look)


def _column(place: Place) -> DocumentedColumn:
    """Return the column in the document of its table."""
    manifest = DocumentationManifest.from_json(place.get("docs/documentation-manifest.json"))
    (path,) = (f"docs/{each.path}" for each in manifest.indexable_files if each.path.endswith(f"{TABLE}.json"))
    document = TableDocument.from_json(place.get(path))
    return next(each for each in document.columns if each.name == "status")


def kill_after(place: Place, route: str, seconds: float = 0.0) -> list[bool]:
    """Kill what works in the background so long after the forge has done a route; returns what is filled then."""
    killed: list[bool] = []

    def kill() -> None:
        time.sleep(seconds)
        killed.append(place.kill())

    def complete(called: str, _: int, body: Any) -> Any:
        if called == route and place.github.complete is complete:
            place.github.complete = lambda _route, _status, given: given
            if seconds:
                threading.Thread(target=kill).start()
            else:
                kill()
        return body

    place.github.complete = complete
    return killed


def _everything(story: Scenario) -> Json:
    """Answers of every index."""
    ada = story.place.client("ada")
    answers = {
        "search": ada.call("search_tables", query="unpaid invoices"),
        "table": ada.call("get_table_schema", table=TABLE),
        "context": ada.call("get_query_context", question="which invoices are unpaid?"),
        "ask": ada.call("ask", question=EXAM[1]),
        "memory": ada.call("memory_search", query="unpaid invoices", layers=["project"]),
        "knowledge": ada.call("knowledge_query", query="void invoices"),
        "passages": ada.call("ask", question="how soon are refunds paid?", collection="manuals"),
    }
    # An age of another length has another number of tokens.
    return {
        name: json.loads(_TIME.sub("a moment", json.dumps({**each, "tokens_used": 0})))
        for name, each in answers.items()
    }
