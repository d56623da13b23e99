"""Ten small issues in three repositories, with what a model answers; every one of them is ours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.capabilities.contribution.writing.issues import PACKAGE, TESTS

_CHECK = """\
import pathlib, re, sys
for path in pathlib.Path("models").glob("*.sql"):
    for name in re.findall(r"ref\\('(\\w+)'\\)", path.read_text()):
        if not pathlib.Path(f"models/{name}.sql").exists():
            sys.exit(f"{path}: {name} does not exist")
"""
DBT: Mapping[str, bytes] = {
    "Makefile": b"test:\n\tpython3 tests/check_refs.py\n",
    "README.md": b"# Sales\n\nModels of sales.\n",
    "dbt_project.yml": b"name: sales\nversion: '1.0'\nmodel-paths: [models]\n",
    "models/orders.sql": b"select id, status, total_cents from {{ source('shop', 'orders') }}\n",
    "models/revenue.sql": b"select sum(total_cents) as revenue_cents from {{ ref('orders') }}\n",
    "models/schema.yml": b"version: 2\nmodels:\n  - name: revenue\n    description: All revenue.\n",
    "tests/check_refs.py": _CHECK.encode(),
}
ALEMBIC: Mapping[str, bytes] = {
    "Makefile": PACKAGE["Makefile"].replace(b"pricing", b"service migrations"),
    "README.md": b"# Service\n\nSettings: `PORT`.\n",
    "alembic.ini": b"[alembic]\nscript_location = migrations\n",
    "migrations/env.py": b"",
    "migrations/versions/0001_first.py": b'revision = "0001"\ndown_revision = None\n',
    "service/__init__.py": b"",
    "service/settings.py": b'import os\n\n\ndef port() -> int:\n    return int(os.environ["PORT"])\n',
    "tests/__init__.py": b"",
    "tests/test_settings.py": (
        b"import os\nimport unittest\n\nfrom service.settings import port\n\n\nclass Port(unittest.TestCase):\n"
        b'    def test_port(self) -> None:\n        os.environ["PORT"] = "80"\n        self.assertEqual(port(), 80)\n'
    ),
}
REPOSITORIES = {"dbt": DBT, "alembic": ALEMBIC, "package": PACKAGE}


@dataclass(frozen=True)
class SmallIssue:
    """An issue, and one edit for each file that it needs: search and replace, or a new file."""

    repository: str
    title: str
    edits: Mapping[str, tuple[str, str]]
    outcome: str = "ready"
    """`draft`, or what ends the cycle: `failed check`, `unsuitable`."""

    @property
    def files(self) -> Mapping[str, bytes]:
        """Of the repository."""
        return REPOSITORIES[self.repository]

    @property
    def plan(self) -> Mapping[str, Any]:
        """What the analyst answers."""
        named = [
            {"path": path, "change": "edit" if search else "create", "why": "the issue asks for it"}
            for path, (search, _) in self.edits.items()
        ]
        return {
            "clear": True,
            "problem": "",
            "title": self.title,
            "summary": f"{self.title}, as the issue asks.",
            "complexity": "trivial",
            "risk": "low",
            "breaking": False,
            "requirements": [f"{self.title}."],
            "files": named,
            "lines": 10,
            "steps": [f"{self.title}."],
        }

    def answer(self, data: Mapping[str, Any]) -> Mapping[str, Any]:
        """What the model edits, of the files that it is given."""
        paths = [each["path"] for each in data["files"]]
        edits = [{"path": path, "search": self.edits[path][0], "replace": self.edits[path][1]} for path in paths]
        return {"edits": edits, "notes": [{"path": path, "name": "one", "text": f"{self.title}."} for path in paths]}


_NET = '    """The price without VAT."""\n'
ISSUES = (
    SmallIssue("package", "Break a price", {"pricing/prices.py": (_NET, f"{_NET}    return 1\n")}, "failed check"),
    SmallIssue(
        "alembic",
        "Have a default port",
        {
            "service/settings.py": ('os.environ["PORT"]', 'os.environ.get("PORT", "8080")'),
            "README.md": ("`PORT`", "`PORT` (8080)"),
        },
    ),
    SmallIssue(
        "package",
        "Return whole prices",
        {
            "pricing/prices.py": ("gross_cents * 100 // 119", "gross_cents"),
            "tests/test_prices.py": ("net(119), 100", "net(119), 119"),
        },
    ),
    SmallIssue("package", "Round net prices", {"pricing/prices.py": ("* 100 // 119", "* 100 // 119 + 0")}),
    SmallIssue("package", "Say what VAT is", {"docs/prices.md": ("has no VAT", "has no value-added tax")}),
    SmallIssue(
        "package",
        "Test a price of nothing",
        {
            "tests/test_nothing.py": (
                "",
                TESTS.replace("test_of_a_price", "test_of_nothing").replace("119), 100", "0), 0"),
            )
        },
    ),
    SmallIssue("alembic", "Leave syntax broken", {"service/settings.py": ("def port()", "def port(")}, "failed check"),
    SmallIssue(
        "dbt", "Leave out what was cancelled", {"models/orders.sql": ("}}\n", "}} where status <> 'cancelled'\n")}
    ),
    SmallIssue("dbt", "Describe revenue", {"models/schema.yml": ("All revenue", "Revenue of orders, in cents")}),
    SmallIssue("dbt", "Refer to nothing", {"models/revenue.sql": ("ref('orders')", "ref('order')")}, "failed check"),
)
"""Of the first four, `make test` runs each."""
