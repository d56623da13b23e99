"""What each command does with a profile, and how that is checked."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from typing import Any

from tests.remote.environments import BUCKET
from tests.remote.signed_api import OTHER_KEY
from tests.remote.whole_environment import QUERY, WholeEnvironment

QUESTION = "Which columns does invoice have?"
HYPOTHESIS = "How much did each customer pay?"
MANUAL = "# Refunds\n\nChargebacks are booked in the month in which the bank reports them.\n"

Check = Callable[[WholeEnvironment], object]


def succeed(there: WholeEnvironment, *arguments: object, code: int = 0) -> str:
    """What a command prints with the profile."""
    ran = there.ask(*arguments)
    assert ran.returncode == code, ran.stderr
    return str(ran.stdout)


def data_of(there: WholeEnvironment, *arguments: object, code: int = 0) -> Any:
    """What a command prints for machines."""
    return json.loads(succeed(there, *arguments, "--json", code=code))


def refused(there: WholeEnvironment, *arguments: object, says: str) -> None:
    """Make sure that something is refused with its own reason, for people and for machines."""
    ran = there.ask(*arguments)
    assert (ran.returncode, ran.stdout) == (2, ""), ran.stderr
    assert "does not work with --profile: " in ran.stderr
    assert says in ran.stderr
    error = json.loads(there.ask(*arguments, "--json").stdout)["error"]
    assert (error["code"], says in error["message"]) == ("PLAN_CONFIG_INVALID", True)


def same(*arguments: str, code: int = 0) -> Check:
    """A command that prints what it prints in a folder with the same store."""

    def check(there: WholeEnvironment) -> None:
        for how in ([], ["--json"]):
            ran, local = there.ask(*arguments, *how), there.here(*arguments, *how)
            assert (ran.returncode, ran.stdout) == (code, local.stdout), ran.stderr

    return check


def same_but_size(*arguments: str) -> Check:
    """A command whose JSON has the size of an answer only where a tool gives it."""

    def check(there: WholeEnvironment) -> None:
        local = json.loads(there.here(*arguments, "--json").stdout)
        assert data_of(there, *arguments) | {"tokens_used": 0} == local
        assert succeed(there, *arguments).replace(" --profile dev", "") == there.here(*arguments).stdout.replace(
            f" --project {there.folder}", ""
        )

    return check


def prints(*arguments: str, text: str) -> Check:
    """A command that prints a text."""

    def check(there: WholeEnvironment) -> None:
        assert text in succeed(there, *arguments)
        data_of(there, *arguments)

    return check


@cache
def uploaded(there: WholeEnvironment) -> str:
    """Upload a manual; returns what was printed."""
    (there.deployed.folder / "refunds.md").write_text(MANUAL)
    return succeed(there, "upload", "refunds.md", "--collection", "handbook")


@cache
def session(there: WholeEnvironment) -> str:
    """The id of an interrogation."""
    shown = succeed(there, "interrogate", HYPOTHESIS)
    assert shown.startswith("1. What is documented about")
    assert "Completed, consistency" in shown
    return shown.split()[-1]


@cache
def prepared(there: WholeEnvironment) -> str:
    """Prepare a contribution; returns its hash."""
    shown = succeed(there, "contribute", "prepare")
    assert "+COMMENT ON TABLE billing.invoice IS 'An invoice as it was sent.';" in shown
    assert "`tribal --profile dev contribute approve 1`" in shown
    found = re.search(r"^Hash: ([0-9a-f]{64})$", shown, re.MULTILINE)
    assert found is not None
    return found[1]


@cache
def approved(there: WholeEnvironment) -> None:
    """Have someone else approve it, and wait until it is published."""
    digest = prepared(there)
    not_typed = there.ask("contribute", "approve", 1)
    assert (not_typed.returncode, "at a terminal" in not_typed.stderr) == (2, True)
    for key, typed, said in (
        (OTHER_KEY, "y", "nothing was published"),
        ("testing", digest[:8], "someone else approves it"),
    ):
        with there.dialogue("contribute", "approve", 1, AWS_ACCESS_KEY_ID=key) as dialogue:
            assert digest in dialogue.until("characters of the hash:")
            dialogue.type(f"{typed}\n")
            code, shown = dialogue.end()
        assert (code, said in shown) == (2, True), shown
    with there.dialogue("contribute", "approve", 1, AWS_ACCESS_KEY_ID=OTHER_KEY) as dialogue:
        dialogue.until("characters of the hash:")
        dialogue.type(f"{digest[:8]}\n")
        code, shown = dialogue.end()
    assert (code, "Contribution 1 is following" in shown) == (0, True), shown


def run(there: WholeEnvironment) -> None:
    assert re.fullmatch(r"\S+", data_of(there, "run", "--follow")["run_id"])


def chat(there: WholeEnvironment) -> None:
    same("chat", QUESTION)(there)
    uploaded(there)
    in_handbook = succeed(there, "chat", "In which month are chargebacks booked?", "--collection", "handbook")
    assert "Chargebacks are booked in the month in which the bank reports them" in in_handbook
    assert "[1] refunds.md" in in_handbook.partition("Sources")[2]
    law = there.ask("chat", "Delete all invoices of customer 5")
    assert (law.returncode, law.stdout) == (9, there.here("chat", "Delete all invoices of customer 5").stdout)
    nowhere = there.ask("chat", QUESTION, "--collection", "nowhere")
    assert (nowhere.returncode, "there is no collection 'nowhere'" in nowhere.stderr) == (7, True)
    lines = there.ask("chat", piped=f"{QUESTION}\n{'x' * 5_000}\nAnd of customer?\n")
    assert (lines.returncode, lines.stdout.count("Sources")) == (2, 2)
    assert "error: the question has 5,000 characters; shorten it to at most 4,000" in lines.stderr
    refused(there, "chat", QUESTION, "--no-model", says="if the collection lists none")


def ask(there: WholeEnvironment) -> None:
    same("ask", QUESTION)(there)
    uploaded(there)
    for how in ([], ["--json"]):
        ran = there.ask("ask", "In which month are chargebacks booked?", "--collection", "handbook", *how)
        assert "in the month in which the bank reports them" in ran.stdout, ran.stderr
    assert "reading" in data_of(there, "ask", QUESTION, "--explain")
    refused(there, "ask", QUESTION, "--no-model", says="requests cannot carry it")
    assert there.ask("ask", "Delete all invoices of customer 5").returncode == 9


def upload(there: WholeEnvironment) -> None:
    assert uploaded(there).splitlines() == [
        "  refunds.md: indexed, 1 page, 1 passage",
        "refunds.md: 1 of 1 file indexed in collection handbook",
    ]
    (job,) = data_of(there, "upload", "refunds.md")["jobs"]
    assert (job["status"], job["files"][0]["status"]) == ("completed", "unchanged")
    (there.deployed.folder / "tool.exe").write_text("MZ")
    wrong = there.ask("upload", "tool.exe", "absent.md")
    assert (wrong.returncode, wrong.stderr.count("error: ")) == (2, 2)
    nowhere = there.ask("upload", "refunds.md", "--collection", "nowhere")
    assert "To create it, add it to the environment's file, and deploy it again" in nowhere.stderr


def jobs(there: WholeEnvironment) -> None:
    uploaded(there)
    same("jobs", "--watch")(there)
    refused(there, "jobs", "--resume", "x", says="the environment resumes its jobs by itself")


def show_collection(there: WholeEnvironment) -> None:
    uploaded(there)
    same("collections", "show", "handbook")(there)
    unknown = there.ask("collections", "show", "nowhere")
    assert (unknown.returncode, "there is no collection" in unknown.stderr) == (7, True)


def remove_file(there: WholeEnvironment) -> None:
    (there.deployed.folder / "old.md").write_text("# Old\n\nPaper is used.\n")
    succeed(there, "upload", "old.md")
    assert succeed(there, "collections", "remove", "handbook", "old.md").startswith("old.md is removed from collection")
    gone = there.ask("collections", "remove", "handbook", "old.md")
    assert (gone.returncode, "has no file 'old.md'; it has" in gone.stderr) == (7, True)


def interrogate(there: WholeEnvironment) -> None:
    session(there)
    found = data_of(there, "interrogate", HYPOTHESIS, "--iterations", 5, "--database", "shop")
    assert (found["status"], found["iterationLimit"]) == ("completed", 5)
    wrong = there.ask("interrogate", HYPOTHESIS, "--iterations", 50)
    assert (wrong.returncode, "iteration" in wrong.stderr) == (2, True)
    questions = there.deployed.folder / "questions.txt"
    questions.write_text(f"{HYPOTHESIS}\n")
    refused(there, "interrogate", "--questions", questions, says="`store: s3://BUCKET`")
    exam = there.here("interrogate", "--questions", questions, "--json")
    assert json.loads(exam.stdout)["total"] == 1, exam.stderr


def interrogations(there: WholeEnvironment) -> None:
    assert session(there) in succeed(there, "interrogations")
    same("interrogations", "--status", "completed", "--limit", "1")(there)
    refused(there, "interrogations", "--resume", session(there), says="the environment resumes its sessions by itself")


def stop_session(there: WholeEnvironment) -> None:
    assert succeed(there, "interrogations", "stop", session(there)) == "It is completed.\n"


def check_sql(there: WholeEnvironment) -> None:
    files = {"good.sql": "SELECT cents FROM billing.invoice", "bad.sql": "SELECT nope FROM billing.invoice"}
    for name, sql in files.items():
        (there.deployed.folder / name).write_text(sql)
        (there.folder / name).write_text(sql)
    paths = [str(there.deployed.folder / name) for name in files]
    same("check-sql", *paths, code=1)(there)
    assert json.loads(succeed(there, "check-sql", paths[1], "--sarif", code=1))["runs"]
    unknown = there.ask("check-sql", paths[0], "--database", "nowhere")
    assert (unknown.returncode, "nowhere" in unknown.stderr) == (7, True)


def diff(there: WholeEnvironment) -> None:
    first, second = there.runs
    same("diff", "--since", first)(there)
    same("diff", "--between", first, second, "--full")(there)
    assert there.ask("diff", "--since", first, "--exit-code").returncode == 1
    refused(there, "diff", says="compare recorded runs with --since or --between")
    refused(there, "diff", "--since", first, "--impact", says="`store: s3://BUCKET`")
    refused(there, "diff", "postgresql://u@h/d", "--since", first, says="connects to them from this machine")


def verify_query(there: WholeEnvironment) -> None:
    there.put("queries/again.sql", QUERY)
    assert "queries/again.sql: verified " in succeed(there, "queries", "verify", "queries/again.sql")
    assert b"verified: 2026-01-01" not in there.deployed.get("queries/again.sql")
    there.deployed.client("s3").delete_object(Bucket=BUCKET, Key="queries/again.sql")
    assert there.ask("queries", "verify", "queries/again.sql").returncode == 2


def prepare(there: WholeEnvironment) -> None:
    prepared(there)
    assert "There is nothing to contribute; `tribal --profile dev contribute list`" in succeed(
        there, "contribute", "prepare"
    )
    issue = "https://github.com/acme/shop/issues/1"
    asks = there.ask("contribute", "prepare", "--issue", issue)
    assert (asks.returncode, "confirm on a terminal, or with --yes" in asks.stderr) == (2, True)
    refused(there, "contribute", "prepare", "--issue", issue, "--model", "m", says="`contribution.model`")


def show_contribution(there: WholeEnvironment) -> None:
    prepared(there)
    same_but_size("contribute", "show", "1")(there)
    unknown = there.ask("contribute", "show", 7)
    assert (unknown.returncode, "7" in unknown.stderr) == (7, True)


def follow(there: WholeEnvironment) -> None:
    approved(there)
    assert "Contribution 1 is following" in succeed(there, "contribute", "follow")
    (followed,) = data_of(there, "contribute", "follow", 1)["cycles"]
    assert (followed["cycle"], followed["state"]) == (1, "following")
    ended = there.ask("contribute", "approve", 1)
    assert (ended.returncode, "there is nothing to approve" in ended.stderr) == (2, True)


def status(there: WholeEnvironment) -> None:
    approved(there)
    lines = succeed(there, "contribute", "status").splitlines()
    assert lines[0] == "   1  following  migrations: Describe billing.invoice"
    assert lines[-1] == "1 contribution, 0 merged"
    (listed,) = data_of(there, "contribute", "status")["cycles"]
    assert (listed["cycle"], listed["state"]) == (1, "following")


def abort(there: WholeEnvironment) -> None:
    approved(there)
    refused(there, "contribute", "abort", 1, says="`store: s3://BUCKET`")
    aborted = there.here("contribute", "abort", 1)
    assert (aborted.returncode, "Contribution 1 is aborted" in aborted.stdout) == (0, True), aborted.stderr


def decisions(there: WholeEnvironment) -> None:
    same("decisions")(there)
    same("decisions", "adr-042-database-selection")(there)
    same("decisions", "which database", "--type", "adr")(there)
    assert "decisions: healthy, last synced" in succeed(there, "status")
    assert json.loads(succeed(there, "status", "--json"))["sync"]["healthy"]


def forget(there: WholeEnvironment) -> None:
    memory = data_of(there, "remember", "Refunds are rare.")["memoryId"]
    succeed(there, "forget", memory)
    assert there.ask("forget", memory).returncode == 7


@cache
def proposed(there: WholeEnvironment) -> str:
    """Propose a description; returns its id."""
    return str(data_of(there, "propose", "billing.invoice", "One bill of a customer.", "--column", "id")["id"])


def propose(there: WholeEnvironment) -> None:
    assert succeed(there, "propose", "billing.invoice", "One bill of a customer.", "--column", "id")
    assert proposed(there).startswith("prop_")
    unknown = there.ask("propose", "billing.nothing", "x")
    assert (unknown.returncode, "billing.nothing" in unknown.stderr) == (7, True)


def proposals(there: WholeEnvironment) -> None:
    proposal = proposed(there)
    listed = succeed(there, "proposals")
    assert listed.splitlines()[0].startswith(f"{proposal}  shop.billing.invoice.id")
    assert listed.splitlines()[-1] == "1 proposal; `tribal --profile dev proposals show ID` shows one in full."
    assert data_of(there, "proposals") == json.loads(there.here("proposals", "--json").stdout)
    assert "waiting: 1 proposal (`tribal --profile dev proposals`)" in succeed(there, "status")


def show_proposal(there: WholeEnvironment) -> None:
    reject = f"`tribal --profile dev proposals reject {proposed(there)}`"
    assert succeed(there, "proposals", "show", proposed(there)).splitlines()[-1] == f"Next: {reject}"
    unknown = there.ask("proposals", "show", "prop_x")
    assert (unknown.returncode, "there is no proposal 'prop_x'" in unknown.stderr) == (7, True)


def accept_proposal(there: WholeEnvironment) -> None:
    refused(there, "proposals", "accept", proposed(there), says="`store: s3://BUCKET`")
    other = data_of(there, "propose", "billing.customer", "Anyone who was billed.")["id"]
    accepted = there.here("proposals", "accept", other, "--yes")
    assert (accepted.returncode, f"{other} is accepted" in accepted.stdout) == (0, True), accepted.stderr


def reject_proposal(there: WholeEnvironment) -> None:
    assert succeed(there, "proposals", "reject", proposed(there)) == f"{proposed(there)} is rejected.\n"
    assert there.ask("proposals", "reject", proposed(there)).returncode == 4
    unknown = there.ask("proposals", "reject", "../x")
    assert (unknown.returncode, "there is no proposal" in unknown.stderr) == (7, True)


WORKING: dict[str, Check] = {
    "run": run,
    "status": prints("status", text="index: up to date"),
    "tail": prints("tail", text="completed"),
    "diff": diff,
    "todo": same("todo"),
    "queries": same("queries"),
    "queries verify": verify_query,
    "check-sql": check_sql,
    "ask": ask,
    "chat": chat,
    "upload": upload,
    "jobs": jobs,
    "collections": same("collections"),
    "collections show": show_collection,
    "collections remove": remove_file,
    "interrogate": interrogate,
    "interrogations": interrogations,
    "interrogations show": lambda there: same("interrogations", "show", session(there))(there),
    "interrogations stop": stop_session,
    "interrogations remove": lambda there: refused(
        there, "interrogations", "remove", session(there), says="`interrogation.sessions_days`"
    ),
    "completion": lambda there: succeed(there, "completion", "bash"),
    "search": same("search", "invoice"),
    "table": same("table", "billing.invoice"),
    "join": same("join", "billing.invoice", "billing.customer"),
    "lineage": same("lineage", "billing.invoice"),
    "domain": same("domain", "shop"),
    "domains": same("domains"),
    "context": same("context", "unpaid invoices"),
    "remember": prints("remember", "Invoices are sent by night.", text="Memory stored successfully"),
    "recall": prints("recall", "when are invoices sent", text="because: it says"),
    "forget": forget,
    "sync": prints("sync", text="published"),
    "decisions": decisions,
    "sync-status": prints("sync-status", text="healthy"),
    "knowledge": same("knowledge"),
    "decision": same("decision", "adr-042-database-selection"),
    "contribute list": same_but_size("contribute", "list"),
    "contribute prepare": prepare,
    "contribute show": show_contribution,
    "contribute approve": approved,
    "contribute follow": follow,
    "contribute status": status,
    "contribute abort": abort,
    "propose": propose,
    "proposals": proposals,
    "proposals show": show_proposal,
    "proposals accept": accept_proposal,
    "proposals reject": reject_proposal,
}
"""What each command does with a profile. In this order, each uses what those before it have left."""
