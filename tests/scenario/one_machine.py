"""The scenario's company on one machine: a folder, and `tribal serve` for everyone else."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import yaml
from dulwich import porcelain

from tests.edges.cli.tribal_command import start_tribal, tribal
from tests.edges.http.served import Served
from tests.fakes.github.server import READ_TOKEN, FakeGitHub
from tests.fakes.openai import FakeOpenAI
from tests.fakes.published_issuer import PublishedIssuer
from tests.plugins.postgres import administer
from tests.scenario.company import MIGRATIONS, QUERIES, migrations_in_order
from tests.scenario.minds import mind
from tests.scenario.place import Client, eventually
from tests.scenario.settings import CALLERS, KEY, PROJECT, SECRETS, auth, sections
from tribal.errors import EXIT_LOCKED
from tribal_contracts import RunRecord
from tribal_demo.server.postgres import EmbeddedServer

_AUTHOR = b"Ada <ada@example.com>"


class OneMachine:
    """A project folder and a server of its own database."""

    def __init__(self, folder: Path, postgres: EmbeddedServer, certificate: Path) -> None:
        self.project = folder / "project"
        self.project.mkdir()
        self._postgres, self._certificate = postgres, certificate
        self._database = "company"
        self.vendor = FakeOpenAI(mind=mind, keys={KEY})
        self.github = FakeGitHub(MIGRATIONS)
        self.github.tokens[READ_TOKEN] = dict.fromkeys(self.github.installed, "read")
        self._issuer = PublishedIssuer(certificate)
        self._secrets = folder / "secrets"
        self._secrets.mkdir()
        for name, value in SECRETS.items():
            (self._secrets / name).write_text(value)
        self._configure()
        for key, data in QUERIES.items():
            self.put(key, data)
        self.migrate(migrations_in_order(MIGRATIONS), afresh=True)
        self._served: Served | None = None

    @property
    def dsn(self) -> str:
        """The database as its owner sees it."""
        return self._postgres.dsn(self._database)

    def _configure(self) -> None:
        settings: dict[str, Any] = {
            "databases": [{"name": "company", "dsn": self.dsn}],
            "identity": {"project": PROJECT},
            "memory": {},
            "knowledge": {"repository": "decisions"},
            "serve": auth(self._issuer.url) | {"require_token": True},
            **sections(self.vendor.address, self.github),
        }
        (self.project / "databases.yaml").write_text(yaml.safe_dump(settings, sort_keys=False))

    def operate(self, *words: str, ends_with: int = 0) -> str:
        ran = tribal(*words, cwd=self.project, **self.environment)
        assert ran.returncode == ends_with, (words, ran.returncode, ran.stdout, ran.stderr)
        return ran.stdout

    def start_run(self, *options: str) -> subprocess.Popen[str]:
        """Start a run, and leave it running."""
        return start_tribal("run", *options, cwd=self.project, **self.environment)

    def run(self, *options: str) -> RunRecord:
        with self.start_run(*options) as started:
            said = started.communicate(timeout=120)
        assert started.returncode == 0, said
        newest = max(self.project.glob("progress/runs/*/run.json"), key=lambda path: path.stat().st_mtime)
        return RunRecord.from_json(newest.read_bytes())

    @property
    def environment(self) -> dict[str, str]:
        """Variables of the operator's shell."""
        return {"TRIBAL_SECRETS": str(self._secrets), "SSL_CERT_FILE": str(self._certificate)}

    def profiles(self) -> dict[str, str]:
        """The variable that names a file with a profile for each caller of the server."""
        entries = {name: {"api": self._server.address, "token": self.client(name).token()} for name in CALLERS}
        path = self.project.parent / "profiles.yaml"
        path.write_text(yaml.safe_dump({"profiles": entries}))
        return {"TRIBAL_PROFILES": str(path)}

    def client(self, name: str) -> Client:
        claims = CALLERS[name] | {"sub": name, "projects": [PROJECT]}
        return Client(lambda: self._server.address, partial(self._issuer.token, **claims))

    @property
    def _server(self) -> Served:
        if self._served is None:
            self._served = Served(self.project, **self.environment)
        return self._served

    def put(self, key: str, data: bytes) -> None:
        path = self.project / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    def get(self, key: str) -> bytes:
        return (self.project / key).read_bytes()

    def keys(self, prefix: str) -> Sequence[str]:
        found = (path.relative_to(self.project).as_posix() for path in self.project.rglob("*") if path.is_file())
        return sorted(key for key in found if key.startswith(prefix))

    def decide(self, files: Mapping[str, bytes]) -> None:
        for path, data in files.items():
            self.put(f"decisions/{path}", data)
        with porcelain.init(str(self.project / "decisions")) as repository:
            porcelain.add(repository, [str(self.project / "decisions" / path) for path in files])
            porcelain.commit(repository, b"Decide", author=_AUTHOR, committer=_AUTHOR, sign=False)

    def migrate(self, statements: Sequence[str], *, afresh: bool = False) -> None:
        if afresh:
            administer(self._postgres.dsn(), f"DROP DATABASE IF EXISTS {self._database} WITH (FORCE)")
            self._postgres.create_database(self._database)
        for sql in statements:
            self._postgres.load(self._database, sql)

    def kill(self) -> bool:
        """Kill the process next to the server that works on jobs; the server starts another one."""
        killed = False
        for each in psutil.Process(self._server.process.pid).children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                each.kill()
                killed = True
        return killed

    def resume(self) -> None:
        assert self._server.process.poll() is None

    def follow(self) -> None:
        """Follow the contributions once the worker that published the last one has released its lease."""

        def has_followed() -> bool:
            ran = tribal("contribute", "follow", cwd=self.project, **self.environment)
            assert ran.returncode in (0, EXIT_LOCKED), ran.stderr
            return ran.returncode == 0

        eventually(has_followed)

    def rebuild_indexes(self) -> None:
        self._stop()
        indexes = [path for path in self.project.rglob("*.db*") if path.is_file()]
        assert indexes, "there are indexes"
        for each in indexes:
            each.unlink()
        self.operate("index")

    def _stop(self) -> None:
        if self._served is not None:
            self._served.stop()
            self._served = None

    def close(self) -> None:
        """End everything."""
        self._stop()
        for each in (self.github, self.vendor):
            each.stop()
        self._issuer.close()
        administer(self._postgres.dsn(), f"DROP DATABASE IF EXISTS {self._database} WITH (FORCE)")
        assert self.vendor.violations == []
