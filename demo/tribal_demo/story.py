"""`make demo`: document a live sample company, ask about it, list verified queries, upload a handbook, add memories,
check queries against decisions, and print what to try next.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tribal.settings.entries import dsn_without_password
from tribal_demo import COMPANY_SQL, DECISIONS, QUERIES, copy_definitions
from tribal_demo.migrations import DESCRIBED, MIGRATIONS, database_of, describe, write_migrations
from tribal_demo.server.postgres import EmbeddedServer, EmbeddedServerError, EmbeddedServerUnavailable
from tribal_demo.target import DemoTargetError, fill_target

HOME = Path(".demo")
PROJECT = HOME / "company"
TRIBAL = Path(sys.executable).parent / "tribal"
QUESTIONS = (
    "which customers have not paid their invoices",
    "how much stock is left in each warehouse",
    "which employees answer tickets",
    "turnover of each month",
)
ASKED = "active customers per country"
EXAM = Path(__file__).parent / "exam.txt"
HANDBOOK = Path(__file__).parent / "handbook.md"
COLLECTION = "handbook"
ASKED_OF_HANDBOOK = "how long may customers return goods"
JOIN = ("crm.customer", "billing.payment")
REMEMBERED = (
    "Revenue leaves void invoices out: `billing.invoice` keeps them for the auditors.",
    "A shipment of `sales.shipment` may hold lines of several orders.",
)
RECALLED = "which invoices count as revenue"
TABLE = "billing.invoice"
DECIDED = "which database do new services use"
SETTINGS = """# Memories of a project are shared by everyone who works on it, and so are its decisions.
identity: {{project: company}}
knowledge: {{repository: decisions}}
# Documents that people upload, for the chat.
collections: [{{name: handbook}}]
# The repository whose migrations create the tables: descriptions go back there.
contribution: {{repositories: [{{name: migrations, path: {migrations}, databases: ["{database}"]}}]}}
"""


def main() -> int:
    """Run the demo and return the exit code."""
    began = time.monotonic()
    try:
        with company_dsn() as dsn:
            print(f"A sample company lives at {dsn_without_password(dsn, '...')}\n", flush=True)
            PROJECT.mkdir(parents=True, exist_ok=True)
            database = database_of(dsn)
            write_migrations(PROJECT)
            settings = SETTINGS.format(database=database, migrations=MIGRATIONS)
            (PROJECT / "databases.yaml").write_text(f"{settings}databases: []\n")
            shutil.copytree(DECISIONS, PROJECT / "decisions" / "projects" / "company", dirs_exist_ok=True)
            copy_definitions(PROJECT)
            if not _tribal("run", dsn, shown="run postgresql://..."):
                return 1
        asked = all(_tribal("search", question, "--limit", "3") for question in QUESTIONS)
        if not (asked and _tribal("join", *JOIN, "--max-hops", "5")):
            return 1
        if not (_tribal("queries") and _tribal("ask", ASKED)):
            return 1
        if not _tribal("interrogate", "--questions", str(EXAM.relative_to(Path.cwd()))):
            return 1
        uploaded = _tribal("upload", str(HANDBOOK.relative_to(Path.cwd())), "--collection", COLLECTION)
        if not (uploaded and _tribal("ask", ASKED_OF_HANDBOOK, "--collection", COLLECTION)):
            return 1
        kept = all(_tribal("remember", said, "--layer", "project") for said in REMEMBERED)
        decided = _tribal("sync") and _tribal("knowledge", DECIDED)
        if not (kept and decided and _tribal("recall", RECALLED) and _tribal("table", TABLE)):
            return 1
        describe(PROJECT, database)
        if not _tribal("contribute", "prepare", "--table", DESCRIBED):
            return 1
        if not _tribal("comply", str(QUERIES.relative_to(Path.cwd())), ends_with=1):
            return 1
    except (EmbeddedServerError, DemoTargetError) as error:
        print(f"make demo: FAILED: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("make demo: stopped; finished work is kept, run it again to resume", file=sys.stderr)
        return 130
    _print_next_steps()
    print(f"make demo: done in {time.monotonic() - began:.0f} s")
    return 0


@contextmanager
def company_dsn() -> Iterator[str]:
    """Yield the DSN of a sample company: `TRIBAL_DEMO_DSN` if set, otherwise an embedded server."""
    given = os.environ.get("TRIBAL_DEMO_DSN")
    if given:
        fill_target(given, COMPANY_SQL)
        yield given
        return
    try:
        server = EmbeddedServer.start(HOME / "postgres")
    except EmbeddedServerUnavailable as error:
        raise EmbeddedServerError(
            f"{error} Name an empty database of your own instead: TRIBAL_DEMO_DSN=postgresql://... make demo"
        ) from error
    with server:
        server.ensure_database("company", COMPANY_SQL)
        yield server.dsn("company")


def _tribal(command: str, *arguments: str, shown: str = "", ends_with: int = 0) -> bool:
    words = shown or shlex.join((command, *arguments))
    print(f"$ tribal {words}", flush=True)
    finished = subprocess.run([TRIBAL, command, *arguments, "--project", PROJECT], check=False)
    print(flush=True)
    if finished.returncode != ends_with:
        print(f"make demo: FAILED: `tribal {words}` ended with exit code {finished.returncode}", file=sys.stderr)
    return finished.returncode == ends_with


def _print_next_steps() -> None:
    tribal = f"{TRIBAL.relative_to(Path.cwd())}" if TRIBAL.is_relative_to(Path.cwd()) else str(TRIBAL)
    print(f"The documents are in {PROJECT / 'docs'}; start at {PROJECT / 'docs' / 'README.md'}, or browse all")
    print(f"of them in a browser: {(PROJECT / 'docs' / 'index.html').absolute().as_uri()}. Ask more:")
    print(f'  {tribal} search "late deliveries" --project {PROJECT}')
    print(f"  {tribal} table billing.invoice --project {PROJECT}")
    print(f"  {tribal} domains --project {PROJECT}")
    print("For your own database, in a separate folder:")
    print(f"  {tribal} run postgresql://user@host/database")


if __name__ == "__main__":
    sys.exit(main())
