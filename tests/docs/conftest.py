"""The sample company for the commands of a page."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from tests.adapters.documents.made_files import document_xml, docx, paragraphs, pdf
from tests.capabilities.chat.uploads.made_archives import archive
from tests.docs.names import Names
from tests.docs.shell import Shell
from tests.edges.cli.tribal_command import tribal
from tests.plugins.postgres import administer
from tribal_demo import COMPANY_SQL, DECISIONS, EXAM, HANDBOOK, copy_definitions
from tribal_demo.migrations import write_migrations
from tribal_demo.server.postgres import EmbeddedServer

OpenShell = Callable[[Path], AbstractContextManager[Shell]]
"""Opens a shell for the commands of a page."""

BEGINS_UNDOCUMENTED = "README.md"
"""The page that begins with a database alone; the others begin with the documented company."""
_DSN_OF_USER = "postgresql://user@host:5432/database"
_DSN = "postgresql://reader@localhost/company"
"""How pages write the address of the sample company."""
_DATABASE = "company_of_pages"
"""A database that pages change, next to the one that tests only read."""
_SETTINGS = """databases: [{{name: company, dsn: "{dsn}"}}]
identity: {{project: company}}
knowledge: {{repository: decisions}}
"""


def _manuals() -> bytes:
    """Return an archive with a document, a scan, and a file with a password."""
    files = {
        "rules.docx": docx(document_xml(paragraphs("Employees get 25 days of paid vacation."))),
        "scan.pdf": pdf([""]),
        "contract.pdf": pdf(["x"], encrypted=True),
    }
    return archive([*files.items()])


def _write_company(home: Path) -> Path:
    """Write the repository of the migrations and next to it the files of a project; return the project's folder."""
    write_migrations(home)
    project = home / "company"
    shutil.copytree(DECISIONS, project / "decisions" / "projects" / "company")
    copy_definitions(project)
    for file in (EXAM, HANDBOOK):
        shutil.copy(file, project)
    (project / "export.zip").write_bytes(_manuals())
    return project


@pytest.fixture(name="documented", scope="session")
def documented_fixture(tmp_path_factory: pytest.TempPathFactory, postgres_server: EmbeddedServer) -> Path:
    """The folder that contains the documented sample company; only to be copied."""
    postgres_server.ensure_database(_DATABASE, COMPANY_SQL)
    home = tmp_path_factory.mktemp("documented")
    project = _write_company(home)
    (project / "databases.yaml").write_text(_SETTINGS.format(dsn=postgres_server.dsn(_DATABASE)), encoding="utf-8")
    for command in ("sync", "run"):
        ran = tribal(command, cwd=project)
        assert ran.returncode == 0, ran.stderr
    return home


@pytest.fixture
def open_shell(documented: Path, company_dsn: str, postgres_server: EmbeddedServer, tmp_path: Path) -> OpenShell:
    """Opens a shell; at its end, the server is stopped and the database is as it was."""

    @contextmanager
    def opened(page: Path) -> Iterator[Shell]:
        home = tmp_path / page.stem
        if page.name == BEGINS_UNDOCUMENTED:
            project = _write_company(home)
        else:
            project = shutil.copytree(documented, home, symlinks=True) / "company"
        names = Names()
        names.learn(_DSN, postgres_server.dsn(_DATABASE))
        names.learn(_DSN_OF_USER, company_dsn)
        changes: list[str] = []

        def change(sql: str) -> None:
            changes.append(sql)
            postgres_server.load(_DATABASE, sql)

        variables = {"TRIBAL_USER": "ada", "XDG_STATE_HOME": str(home / "state")}
        try:
            with Shell(project, names, lambda: variables, change) as shell:
                yield shell
        finally:
            if changes:
                administer(postgres_server.dsn(), f"DROP DATABASE {_DATABASE} WITH (FORCE)")
                postgres_server.ensure_database(_DATABASE, COMPANY_SQL)

    return opened
