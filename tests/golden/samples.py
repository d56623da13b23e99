"""`make samples`: generates the committed documentation of the sample company and answers from it.

One schema is documented a second time without comments, as in most databases.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests import ROOT
from tests.golden.answers import answers_page
from tribal_demo import COMPANY_SQL, copy_definitions
from tribal_demo.server.postgres import EmbeddedServer

SAMPLES = ROOT / "docs" / "samples"
UNCOMMENTED = SAMPLES.with_name("samples-uncommented")
"""Only the schema `billing`."""
ANSWERS = SAMPLES.with_name("answers.md")
EPOCH = "1767225600"
"""2026-01-01, so that the documents do not depend on the current time."""


def without_comments() -> str:
    """The SQL of the sample company without any comment on anything."""
    return re.sub(r"^COMMENT ON .*?';$", "", COMPANY_SQL.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


def generate_uncommented(dsn: str, project: Path) -> None:
    """Run `tribal run` for one schema of a company without comments.

    Raises:
        subprocess.CalledProcessError: when the run fails; its output is attached.
    """
    entry = {"name": "company", "dsn": "${SAMPLE_DSN}", "include": {"schemas": ["billing"]}}
    (project / "databases.yaml").write_text(json.dumps({"databases": [entry]}), encoding="utf-8")
    _run(project, SAMPLE_DSN=dsn)


def generate(dsn: str, project: Path) -> None:
    """Run `tribal run` for the sample company in a folder.

    Raises:
        subprocess.CalledProcessError: when the run fails; its output is attached.
    """
    copy_definitions(project)
    _run(project, dsn)


def _run(project: Path, *dsn: str, **variables: str) -> None:
    environment = {**os.environ, "SOURCE_DATE_EPOCH": EPOCH, **variables}
    tribal = Path(sys.executable).parent / "tribal"
    subprocess.run(
        [tribal, "run", *dsn, "--project", project], env=environment, check=True, capture_output=True, text=True
    )


def differences(generated: Path, committed: Path = SAMPLES) -> list[str]:
    """Missing, superfluous and differing files of the committed documentation, one line each."""
    fresh, kept = _contents(generated), _contents(committed)
    return [
        *(f"missing: {name}" for name in sorted(fresh.keys() - kept.keys())),
        *(f"left over: {name}" for name in sorted(kept.keys() - fresh.keys())),
        *(f"different: {name}" for name in sorted(fresh.keys() & kept.keys()) if fresh[name] != kept[name]),
    ]


def _contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def main() -> int:
    """Replace the committed documentation by newly generated files."""
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch)
        with EmbeddedServer.start(home / "postgres") as server:
            server.ensure_database("company", COMPANY_SQL)
            generate(server.dsn("company"), _made(home / "commented"))
            ANSWERS.write_text(answers_page(home / "commented"), encoding="utf-8")
            (home / "uncommented.sql").write_text(without_comments(), encoding="utf-8")
            server.ensure_database("uncommented", home / "uncommented.sql")
            generate_uncommented(server.dsn("uncommented"), _made(home / "uncommented"))
        for project, folder in (("commented", SAMPLES), ("uncommented", UNCOMMENTED)):
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(home / project / "docs", folder)
            print(f"samples: {sum(path.is_file() for path in folder.rglob('*'))} files written to {folder}")
    return 0


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


if __name__ == "__main__":
    sys.exit(main())
