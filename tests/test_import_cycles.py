"""No module imports itself through others: not through its package, inside a function, or for a type checker only.

A cycle at import time works in one thread. When two threads import different parts of it, Python detects the deadlock
and hands one of them an incomplete module, which ends in an ImportError. Server requests and workers of a run import
in threads. Other cycles, of types or inside functions, make modules impossible to read or test one at a time.
"""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests import ROOT

SOURCES = {
    "tribal": ROOT / "layers" / "tribal" / "python" / "tribal",
    "tribal_contracts": ROOT / "contracts" / "tribal_contracts",
    "functions": ROOT / "functions",
    "infra": ROOT / "infra",
    "bench": ROOT / "bench",
}


def _name(path: Path, folder: Path) -> str:
    parts = path.relative_to(folder.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(sources: dict[str, str]) -> dict[str, set[str]]:
    """The modules that each module imports anywhere; a package only if something is imported from its `__init__`."""
    graph: dict[str, set[str]] = {}
    for name, source in sources.items():
        imported = graph.setdefault(name, set())
        for statement in ast.walk(ast.parse(source)):
            if isinstance(statement, ast.Import):
                imported |= {alias.name for alias in statement.names}
            elif isinstance(statement, ast.ImportFrom):
                assert statement.level == 0, f"{name} imports relatively"
                for alias in statement.names:
                    module = f"{statement.module}.{alias.name}"
                    imported.add(module if module in sources else str(statement.module))
    return {name: (imported & graph.keys()) - {name} for name, imported in graph.items()}


def test_no_module_imports_itself_through_others() -> None:
    sources = {
        _name(path, folder): path.read_text(encoding="utf-8")
        for folder in SOURCES.values()
        for path in folder.rglob("*.py")
        if not {"node_modules", "cdk.out"} & set(path.parts)
    }
    graph = imports(sources)
    assert "tribal.masking.kinds" in graph["tribal.masking"]
    TopologicalSorter(graph).prepare()


def test_cycles_through_a_package_a_function_or_a_type_are_found() -> None:
    fine = {"shop": "import re", "shop.cart": "from shop import price", "shop.price": "import decimal"}
    TopologicalSorter(imports(fine)).prepare()
    for package, price in [
        ("from shop.cart import total", "from shop import total"),
        ("", "def later():\n    import shop.cart"),
        ("", "if TYPE_CHECKING:\n    from shop.cart import Cart"),
    ]:
        with pytest.raises(CycleError):
            TopologicalSorter(imports({**fine, "shop": package, "shop.price": price})).prepare()
