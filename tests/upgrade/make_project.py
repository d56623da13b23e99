"""Make `project.tar.xz`: a project as an earlier version of the program left it, for the tests of upgrading.

    .venv/bin/python -m tests.upgrade.make_project COMMIT

The version is checked out from this repository's history at `COMMIT`, installed into an environment of its own, and run
as its users ran it. The archive has two projects, and the token that the first one gave out:

- `shop` was run twice, with `shop_changed.sql` in between, and has been asked, interrogated, chatted with and added to.
- `halted` is a copy of it in which a run, an upload and a session were killed. The leases that they held end within
  minutes; until then its test fails.

`written` has the files that a person wrote, `shop.sql` the database. The model is a fake one.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tarfile
import tempfile
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests import ROOT
from tests.adapters.documents.made_files import document_xml, docx, paragraphs, pdf
from tests.capabilities.chat.uploads.made_uploads import zipped
from tests.fakes.openai import KEY, FakeOpenAI
from tests.plugins.postgres import administer
from tribal_demo.server.postgres import EmbeddedServer

COMMIT = "392d181e5c1a07e1d5b9d32336102a7823bf798d"
"""The last commit of 2026-11-28: chat, collections and stored answers were new; SQL of definitions was not checked."""
HERE = Path(__file__).parent
ARCHIVE = HERE / "project.tar.xz"
WRITTEN = HERE / "written"
USER = "ada"
HOST = 'import platform, socket\nplatform.node = socket.gethostname = lambda: "workstation"\n'
"""A module `sitecustomize` that keeps this machine's name out of the project."""
QUESTION = "how many orders does each customer have?"
WITH_GAPS = "revenue per sku and country in March"
STORED = "What do customers owe us?"
TOO_LARGE = 1_000_000


@dataclass(frozen=True)
class Before:
    """The earlier version, and the project that it works in."""

    program: Path
    project: Path
    environment: Mapping[str, str]

    def __call__(self, *arguments: object, code: int = 0, piped: str = "", **more: str) -> str:
        """Run a command to its end; its output."""
        ran = subprocess.run(
            [self.program, *map(str, arguments)],
            cwd=self.project,
            env={**self.environment, **more},
            input=piped,
            capture_output=True,
            text=True,
            check=False,
        )
        if ran.returncode != code:
            raise SystemExit(f"tribal {arguments} ended with {ran.returncode}:\n{ran.stdout}\n{ran.stderr}")
        return ran.stdout

    def kill(self, moment: Callable[[], bool], *arguments: object) -> None:
        """Start a command, and kill it at a moment that comes before its end."""
        process = subprocess.Popen(
            [self.program, *map(str, arguments)],
            cwd=self.project,
            env=dict(self.environment),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        while process.poll() is None and not moment():
            pass
        if process.poll() is not None:
            raise SystemExit(f"tribal {arguments} ended before it could be killed; try again")
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def install(commit: str, folder: Path) -> Path:
    """Check a commit out, install it into an environment of its own, and return its command."""
    subprocess.run(["git", "clone", "--quiet", "--shared", "--no-checkout", ROOT, folder], check=True)
    subprocess.run(["git", "checkout", "--quiet", commit], cwd=folder, check=True)
    subprocess.run([sys.executable, "-m", "venv", folder / ".venv"], check=True)
    subprocess.run([folder / ".venv" / "bin" / "python", "-m", "infra.installing"], cwd=folder, check=True)
    return folder / ".venv" / "bin" / "tribal"


def handbook() -> bytes:
    """The archive that is uploaded: one file of each type, one with no text, and one that is not read."""
    return zipped(
        {
            "returns.md": (WRITTEN / "handbook" / "returns.md").read_bytes(),
            "shifts.txt": (WRITTEN / "handbook" / "shifts.txt").read_bytes(),
            "travel.pdf": pdf(["Employees get 25 days of paid vacation.", "Trips by train are booked by the office."]),
            "chess.docx": docx(document_xml(paragraphs("Chess is played on Friday."))),
            "scan.pdf": pdf([""]),
            "tool.exe": b"MZ",
        }
    )


def document(tribal: Before, dsn: str) -> None:
    """Run twice, with a correction over HTTP and a change of the database in between."""
    tribal("run")
    correct(tribal, {"table": "shop.sales.order_line", "column": "quantity", "words": "Pieces, never packages."})
    administer(dsn, (HERE / "shop_changed.sql").read_text())
    tribal("run")
    tribal("queries", "verify", "queries/finance/revenue.sql")


def correct(tribal: Before, correction: Mapping[str, str]) -> None:
    """Correct a description as the page does it."""
    command = f"{tribal.program} serve --port 0 --write".split()
    with subprocess.Popen(
        command, cwd=tribal.project, env=tribal.environment, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        address = server.stdout.readline().removeprefix("serving ").strip().rstrip("/")
        token = post(f"{address}/v1/corrections/preview", correction)["token"]
        post(f"{address}/v1/corrections", {**correction, "token": token})
        server.terminate()


def post(address: str, body: Mapping[str, str]) -> Any:
    """Send JSON, and return what comes back."""
    headers = {"content-type": "application/json"}
    request = urllib.request.Request(address, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def use(tribal: Before) -> str:
    """Use everything that keeps something in the project's folder; the token that was given out."""
    tribal("sync")
    tribal("remember", "Revenue leaves void invoices out: see `billing.invoice`.", "--layer", "project", "--tags", "a")
    tribal("remember", "Finance closes a month on its third working day.", "--layer", "company")
    tribal("remember", "I prefer amounts in euros.")
    tribal("remember", "We are looking at the returns of March.", "--layer", "session", TRIBAL_SESSION="monday")
    tribal("remember", "Out of date.", "--layer", "team")
    forgotten = json.loads(tribal("recall", "out of date", "--layers", "team", "--json"))["results"][0]["memoryId"]
    tribal("forget", forgotten)
    tribal("interrogate", QUESTION)
    tribal("interrogate", WITH_GAPS)
    tribal("interrogate", "--questions", WRITTEN / "exam.txt", "--keep")
    (tribal.project / "handbook.zip").write_bytes(handbook())
    tribal("upload", "handbook.zip", code=1)
    tribal("upload", WRITTEN / "handbook" / "shifts.txt")
    tribal("ask", "how long may customers return goods?", "--collection", "handbook")
    tribal("ask", STORED, "--collection", "catalog")
    tribal("ask", "who flew the moon rocket?", "--collection", "handbook", code=9)
    tribal(
        "chat", "--collection", "handbook", piped="how many days of vacation do employees get?\nand who books trips?\n"
    )
    token = tribal("token", "create", "portal", "--scope", "shop", "--days", 3_650)
    tribal("token", "create", "ada-laptop", "--scope", "shop.sales", "--right", "memory:read", "--days", 3_650)
    return token.strip()


def halt(tribal: Before) -> None:
    """Kill a run, an upload and a session in the middle."""
    documents = [path for path in (tribal.project / "docs").rglob("*.json") if "." in path.stem]
    before = max(path.stat().st_mtime_ns for path in documents)

    def half_of_the_tables() -> bool:
        return sum(path.exists() and path.stat().st_mtime_ns > before for path in documents) >= len(documents) // 2

    (tribal.project / "annotations" / "shop.yaml").open("a").write("description: The shop's own database.\n")
    tribal.kill(half_of_the_tables, "run", "--force")
    pages = {f"page-{number}.md": f"# Page {number}\n\nRule {number} of the archive.\n" for number in range(8)}
    (tribal.project / "rules.zip").write_bytes(zipped(pages))
    progress = tribal.project / "collections" / "handbook" / "progress"
    tribal.kill(lambda: len([path for path in progress.rglob("*") if path.is_file()]) > 4, "upload", "rules.zip")
    sessions = {path.name for path in (tribal.project / "sessions").iterdir()}

    def second_question() -> bool:
        new = [path for path in (tribal.project / "sessions").iterdir() if path.name not in sessions]
        return any(path.suffix == ".json" and b'"sequence": 2' in path.read_bytes() for path in new)

    tribal.kill(second_question, "interrogate", "which products do private customers return?")


def pack(folder: Path) -> None:
    """Write the archive, without locks and scratch, if nothing in it names this machine."""
    own = [f'"{socket.gethostname()}/', str(folder), str(ROOT), f"{Path.home()}/"]
    with tarfile.open(ARCHIVE, "w:xz", preset=9) as archive:
        for path in sorted(folder.rglob("*")):
            name = path.relative_to(folder).as_posix()
            if not path.is_file() or "/.tribal/" in name or "/data/collections/" in name:
                continue
            content = path.read_bytes()
            if found := [each for each in own if each.encode() in content]:
                raise SystemExit(f"{name} contains {found[0]}, which is this machine's")
            entry = tarfile.TarInfo(name)
            entry.size, entry.mtime = len(content), int(path.stat().st_mtime)
            archive.addfile(entry, io.BytesIO(content))
    size = ARCHIVE.stat().st_size
    if size > TOO_LARGE:
        raise SystemExit(f"{ARCHIVE} has {size:,} bytes; leave something out")
    sys.stdout.write(f"{ARCHIVE.relative_to(ROOT)}: {size:,} bytes\n")


def main() -> None:
    """Make the archive."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("commit", nargs="?", default=COMMIT, help="the version to make the project with")
    commit = parser.parse_args().commit
    with tempfile.TemporaryDirectory() as made, EmbeddedServer.start(Path(made) / "postgres") as server:
        program = install(commit, Path(made) / "before")
        projects = Path(made) / "projects"
        (Path(made) / "sitecustomize.py").write_text(HOST)
        shutil.copytree(WRITTEN, projects / "shop", ignore=shutil.ignore_patterns("handbook", "exam.txt"))
        server.ensure_database("shop", HERE / "shop.sql")
        model = FakeOpenAI()
        environment = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": made,
            "TRIBAL_USER": USER,
            "SHOP_DSN": server.dsn("shop"),
            "MODEL_URL": model.address,
            "MODEL_KEY": KEY,
        }
        before = Before(program, projects / "shop", environment)
        document(before, server.dsn("shop"))
        (projects / "token.txt").write_text(use(before))
        shutil.copytree(projects / "shop", projects / "halted")
        halt(Before(program, projects / "halted", environment))
        model.stop()
        pack(projects)


if __name__ == "__main__":
    main()
