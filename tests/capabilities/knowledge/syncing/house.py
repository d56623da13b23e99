"""A house with decisions in a folder, as tests sync them and ask of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from tribal.app.local import local_application
from tribal.ports import Application, Caller
from tribal.ports.remembering.identity import Identity
from tribal.settings import load_settings
from tribal.tools.call import call_tool
from tribal.tools.listing import output_schema
from tribal.tools.registry import EVERYTHING

ADA = Caller("ada", identity=Identity("ada", projects=("shop",), teams=("web",), orgs=("acme",), company="acme-inc"))
EVE = Caller("eve", identity=Identity("eve", projects=("plant",), teams=("line",), orgs=("other",)))
ADR_042 = """---
id: adr-042-database-selection
title: Database Selection for New Services
summary: Use PostgreSQL for all new services requiring relational data
status: accepted
severity: block
tags: [database, infrastructure]
constraints:
  - operator: must_use
    target: dependency
    pattern: postgresql|pg|psycopg.*
  - operator: must_not_use
    target: dependency
    pattern: mysql|mysql2|mariadb
    message: MySQL not allowed for new services per ADR-042. Use PostgreSQL instead.
---
# Database Selection for New Services

New services need a database.

## Decision

We take PostgreSQL.
"""
SETTINGS = """identity: {company: acme-inc, org: acme, teams: [web], project: shop}
knowledge: {repository: decisions}
databases: []
"""


def write(folder: Path, files: Mapping[str, str]) -> None:
    """Write files below a folder."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def decision(title: str, said: str = "We do it.", status: str = "accepted") -> str:
    """A record of a decision in the form that has no front matter."""
    return f"# {title}\n\n## Status\n\n{status}\n\n## Decision\n\n{said}\n"


def house(project: Path, settings: str = SETTINGS, **environment: str) -> Application:
    """The application of a folder with a `databases.yaml`."""
    write(project, {"databases.yaml": settings})
    return local_application(load_settings(project=project, environment=environment, needs_databases=False))


def call(app: Application, tool: str, caller: Caller = ADA, **arguments: Any) -> dict[str, Any]:
    """An answer, which keeps its schema."""
    answer: dict[str, Any] = json.loads(call_tool(tool, arguments, caller, app, EVERYTHING).to_compact_json())
    Draft202012Validator(output_schema(EVERYTHING.tools[tool], EVERYTHING)).validate(answer)
    return answer
