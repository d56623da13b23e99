"""The story of `tribal demo`: documents a live sample company, and shows in six steps what that is good for."""

from __future__ import annotations

import asyncio
import io
import json
import shlex
import shutil
import sys
import time
from collections.abc import Sequence
from contextlib import nullcontext, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters, stdio_client

from tribal.edges.cli.app import app
from tribal.errors import EXIT_INTERRUPTED
from tribal.settings.entries import dsn_without_password
from tribal_demo import DECISIONS, EXAM, HANDBOOK, QUERIES, copy_definitions
from tribal_demo.company import MIGRATION, DemoDatabaseError, company_database, migrated
from tribal_demo.migrations import DESCRIBED, MIGRATIONS, database_of, describe, write_migrations
from tribal_demo.server.postgres import EmbeddedServerError

UNPAID = "which customers have not paid their invoices"
JOIN = ("crm.customer", "billing.payment")
REMEMBERED = "Revenue leaves void invoices out: billing.invoice keeps them for the auditors."
ASKED_BY_AGENT = "net revenue of each month"
ASKED = "which suppliers are blocked"
ASKED_OF_HANDBOOK = "how long may customers return goods"
COLLECTION = "handbook"
_TRIBAL = str(Path(sys.executable).with_name("tribal"))
_SETTINGS = """# Memories of a project are shared by everyone who works on it, and so are its decisions.
identity: {{project: company}}
knowledge: {{repository: decisions}}
# Documents that people upload, for the chat.
collections: [{{name: handbook}}]
# The repository whose migrations create the tables: descriptions go back there.
contribution: {{repositories: [{{name: migrations, path: {migrations}, databases: ["{database}"]}}]}}
databases: []
"""


class StepFailed(Exception):
    """A command of the demo ended with another exit code than it should."""


def play(home: Path) -> int:
    """Run the demo in a folder, print it, and return the exit code."""
    began = time.monotonic()
    try:
        with company_database(home / "postgres") as dsn:
            _Story(home / "company", dsn).play()
    except (EmbeddedServerError, DemoDatabaseError, StepFailed) as error:
        print(f"demo: FAILED: {error}", file=sys.stderr)
        return 1
    print(f"demo: done in {time.monotonic() - began:.0f} s")
    return 0


class _Story:
    """The steps, in the folder of a project."""

    def __init__(self, project: Path, dsn: str) -> None:
        self._project = project
        self._dsn = dsn
        self._database = database_of(dsn)

    def play(self) -> None:
        self._prepare()
        _head(f"1. Run: document the company at {dsn_without_password(self._dsn, '...')}")
        self._run("run", self._dsn)
        _head("2. Search: which tables answer a question?")
        self._run("search", UNPAID, "--limit", "1")
        _head("3. Join: how do they fit together?")
        self._run("join", *JOIN)
        _head("4. Change: a column becomes a timestamp, another is added. What does that touch?")
        print(f"$ psql --command '{MIGRATION}'")
        with migrated(self._dsn):
            self._run("diff", "--impact", self._dsn)
        _head("5. Check: may this query run?")
        self._read("sync")
        self._run("comply", str(self._project / QUERIES.name / "mailing.sql"), ends_with=1)
        _head("6. Remember: what one person notes, every agent finds")
        self._run("remember", REMEMBERED, "--layer", "project")
        self._ask_as_agent()
        _head("And more")
        self._show_more()
        print("Your own database, in a folder of its own: tribal run postgresql://user@host/database")

    def _prepare(self) -> None:
        self._project.mkdir(parents=True, exist_ok=True)
        write_migrations(self._project)
        settings = _SETTINGS.format(database=self._database, migrations=MIGRATIONS)
        (self._project / "databases.yaml").write_text(settings, encoding="utf-8")
        shutil.copytree(DECISIONS, self._project / "decisions" / "projects" / "company", dirs_exist_ok=True)
        copy_definitions(self._project, self._database)

    def _ask_as_agent(self) -> None:
        print(f"$ tribal mcp      # an agent calls get_query_context with “{ASKED_BY_AGENT}”")
        text = asyncio.run(_context(self._project, ASKED_BY_AGENT))
        print(next(line for line in text.splitlines() if REMEMBERED in line), flush=True)

    def _show_more(self) -> None:
        answer = self._read("ask", ASKED)
        _say([("ask", ASKED)], " ".join(answer["sql"].split()))
        exam = self._read("interrogate", "--questions", str(EXAM))
        missing = exam["gaps"][0]["description"]
        result = f"{exam['answered']} of {exam['total']} questions are answered; to write next: {missing}"
        _say([("interrogate", "--questions", EXAM.name)], result)
        to = ("--collection", COLLECTION)
        self._read("upload", str(HANDBOOK), *to)
        answer = self._read("ask", ASKED_OF_HANDBOOK, *to)
        sentence = answer["statements"][0]["text"].strip("“”").partition(". ")[0]
        _say([("upload", HANDBOOK.name, *to), ("ask", ASKED_OF_HANDBOOK, *to)], f"{sentence}.")
        describe(self._project, self._database)
        prepared = self._read("contribute", "prepare", "--table", DESCRIBED)
        (added,) = [line[1:] for line in prepared["diff"].splitlines() if line.startswith("+COMMENT")]
        _say([("contribute", "prepare", "--table", DESCRIBED)], added)

    def _run(self, *arguments: str, ends_with: int = 0) -> None:
        """Run a command of `tribal` in this process, after showing it."""
        shown = shlex.join(arguments).replace(shlex.quote(self._dsn), "postgresql://...")
        print(f"$ tribal {shown}", flush=True)
        self._call(arguments, ends_with)

    def _read(self, *arguments: str) -> dict[str, Any]:
        """Run a command without showing it, and return its JSON."""
        printed = io.StringIO()
        with redirect_stdout(printed):
            self._call((*arguments, "--json"), 0)
        answer: dict[str, Any] = json.loads(printed.getvalue())
        return answer

    def _call(self, arguments: Sequence[str], ends_with: int) -> None:
        words = [*arguments, "--project", str(self._project)]
        # Without a terminal, progress is lines: far more than the results.
        progress = io.StringIO()
        with nullcontext() if sys.stderr.isatty() else redirect_stderr(progress):
            ended = app(words, prog_name="tribal", standalone_mode=False) or 0
        if ended == EXIT_INTERRUPTED:
            raise KeyboardInterrupt
        if ended != ends_with:
            print(progress.getvalue(), file=sys.stderr)
            raise StepFailed(f"`tribal {arguments[0]}` ended with exit code {ended}")


def _head(title: str) -> None:
    print(f"\n{title}", flush=True)


def _say(commands: Sequence[Sequence[str]], result: str) -> None:
    typed = " && ".join(f"tribal {shlex.join(command)}" for command in commands)
    print(f"$ {typed}  # {result}", flush=True)


async def _context(project: Path, question: str) -> str:
    """The context of a question, as an agent gets it over MCP from a process of its own."""
    server = StdioServerParameters(command=_TRIBAL, args=["mcp", "--project", str(project)])
    async with Client(stdio_client(server, errlog=sys.__stderr__ or sys.stderr)) as client:
        answer = await client.call_tool("get_query_context", {"question": question})
    assert answer.structured_content is not None
    text: str = answer.structured_content["text"]
    return text
