"""Packages that import a name on its first use give type checkers and programs the same names."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path
from types import ModuleType

import tribal.ports
import tribal_contracts
from tests.cases import each_case


@each_case("package", [tribal.ports, tribal_contracts])
def test_the_names_for_type_checkers_are_those_that_can_be_imported(package: ModuleType) -> None:
    tree = ast.parse(Path(str(package.__file__)).read_text(encoding="utf-8"))
    (names,) = (each for each in tree.body if isinstance(each, ast.If))
    typed: dict[str, set[str]] = defaultdict(set)
    for statement in names.body:
        assert isinstance(statement, ast.ImportFrom)
        typed[str(statement.module)] |= {alias.name for alias in statement.names}
    lazy = {f"{package.__name__}.{module}": set(text.split()) for module, text in package._NAMES_BY_MODULE.items()}
    assert lazy == typed
    for name in package._MODULES:
        getattr(package, name)
