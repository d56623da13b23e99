"""No module waits, while it is imported, for one that waits for it: not even for the package that it lies in.

One thread gets through such a circle. Two that import different parts of it at once do not: Python finds that they wait
for each other, and hands one of them a module that is not complete, which ends in an ImportError. Requests to a server
and the workers of a run import what they need when they need it, in threads.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests import ROOT

SOURCES = {
    "tribal": ROOT / "layers" / "tribal" / "python" / "tribal",
    "tribal_contracts": ROOT / "contracts" / "tribal_contracts",
    "functions": ROOT / "functions",
}


def _name(path: Path, folder: Path) -> str:
    parts = path.relative_to(folder.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _at_once(body: Iterable[ast.stmt]) -> Iterator[ast.Import | ast.ImportFrom]:
    """The imports that are made when a module is, not those of its functions nor those for a type checker."""
    for statement in body:
        match statement:
            case ast.Import() | ast.ImportFrom():
                yield statement
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                yield from _at_once(statement.orelse)
            case ast.If() | ast.Try() | ast.With() | ast.ClassDef():
                for part in ("body", "handlers", "orelse", "finalbody"):
                    yield from _at_once(getattr(statement, part, ()))
            case ast.ExceptHandler():
                yield from _at_once(statement.body)


def waits(sources: dict[str, str]) -> dict[str, set[str]]:
    """For each module, the modules that it waits for; its own package only where it asks for something from it."""
    found: dict[str, set[str]] = {}
    for name, source in sources.items():
        asked = found.setdefault(name, set())
        for statement in _at_once(ast.parse(source).body):
            if isinstance(statement, ast.Import):
                asked |= {alias.name for alias in statement.names}
            else:
                assert statement.level == 0, f"{name} imports relatively"
                asked |= {str(statement.module), *(f"{statement.module}.{alias.name}" for alias in statement.names)}
    return {name: (asked & found.keys()) - {name} for name, asked in found.items()}


def test_no_module_waits_for_one_that_waits_for_it() -> None:
    sources = {
        _name(path, folder): path.read_text(encoding="utf-8")
        for folder in SOURCES.values()
        for path in folder.rglob("*.py")
    }
    graph = waits(sources)
    assert "tribal.masking.kinds" in graph["tribal.masking"]
    TopologicalSorter(graph).prepare()


def test_a_module_that_asks_its_own_package_for_a_sister_is_found() -> None:
    package = "from house.room import door"
    sister = "import re\nif TYPE_CHECKING:\n    from house.room import chair\ndef later():\n    import house"
    sources = {"house": package, "house.room": "from house import table", "house.table": sister}
    with pytest.raises(CycleError):
        TopologicalSorter(waits(sources)).prepare()
    sources["house.room"] = "import house.table as table"
    TopologicalSorter(waits(sources)).prepare()
