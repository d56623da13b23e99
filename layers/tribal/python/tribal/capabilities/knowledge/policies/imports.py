"""Reads the imports in a source file: Python and notebooks with its parser, JavaScript and TypeScript with a scanner.

An import has several names: as written, and each package above it. `google.cloud.storage` is also `google.cloud` and
`google`, `lodash/fp` is also `lodash`.
"""

from __future__ import annotations

import ast
import json
import sys
import warnings
from collections.abc import Iterator
from dataclasses import replace

from tribal.capabilities.knowledge.policies.evidence import CollectedNames, Gap, NameUse, SourceFile
from tribal.capabilities.knowledge.policies.limits import (
    MAX_PYTHON_TOKENS,
    OverLimit,
    describe,
    first_of_each,
    require_few_bytes,
    require_few_parts,
    require_few_tokens,
)
from tribal.capabilities.knowledge.policies.notebooks import (
    Cell,
    is_notebook,
    notebook_language,
    python_cells,
    without_ipython,
)
from tribal.capabilities.knowledge.policies.scripts import imported_names

_PYTHON = (".py", ".pyi")
_SCRIPT = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx")
_OTHERS = (
    ".c", ".cc", ".cpp", ".cs", ".dart", ".ex", ".go", ".groovy", ".java", ".kt", ".lua", ".m", ".php", ".pl", ".r",
    ".rb", ".rs", ".scala", ".svelte", ".swift", ".vb", ".vue",
)  # fmt: skip
"""Suffixes of languages whose imports are not read."""


def imports_of(file: SourceFile) -> CollectedNames:
    """The imports of a file, each name once; `unread` is set if its syntax is invalid or it is over a limit."""
    if not has_imports(file.path):
        return CollectedNames()
    read = _of_notebook if is_notebook(file.path) else _of_python if _is_python(file.path) else _of_script
    gaps: list[Gap] = []
    try:
        require_few_bytes(file.text)
        return CollectedNames(first_of_each(read(file, gaps), lambda each: each.name), gaps)
    except ValueError as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else None
        return CollectedNames((), [_gap(file, f"cannot parse it: {describe(error)}", line)])
    except OverLimit as error:
        return CollectedNames((), [_gap(file, str(error))])
    except (RecursionError, MemoryError):
        return CollectedNames((), [_gap(file, "it is nested too deeply")])


def has_imports(path: str) -> bool:
    """Whether a file is code whose imports are read."""
    return path.casefold().endswith((*_PYTHON, *_SCRIPT)) or is_notebook(path)


def is_of_another_language(file: SourceFile) -> bool:
    """Whether a file is code whose imports are not read."""
    if is_notebook(file.path):
        return notebook_language(file.text) != "python"
    return file.path.casefold().endswith(_OTHERS)


def _is_python(path: str) -> bool:
    return path.casefold().endswith(_PYTHON)


def _gap(file: SourceFile, reason: str, line: int | None = None) -> Gap:
    return Gap(file.path, frozenset({"import"}), reason, line)


def _of_python(file: SourceFile, gaps: list[Gap]) -> list[NameUse]:
    require_few_tokens(file.text, MAX_PYTHON_TOKENS)
    tree = _parsed(file, file.text, gaps)
    return [] if tree is None else sorted(_imported(tree, file.path), key=lambda each: (each.line or 0, each.name))


def _of_notebook(file: SourceFile, gaps: list[Gap]) -> Iterator[NameUse]:
    require_few_tokens(file.text, MAX_PYTHON_TOKENS)
    for cell in python_cells(file.text):
        tree = _tree_of(cell.code) or _parsed(file, without_ipython(cell.code), gaps, cell)
        for each in () if tree is None else _imported(tree, file.path):
            yield replace(each, line=_line_in(cell, each.line))


def _parsed(file: SourceFile, code: str, gaps: list[Gap], cell: Cell | None = None) -> ast.Module | None:
    """The syntax tree of a file or a cell; `None` with a gap if it cannot be parsed."""
    try:
        return _parse(code)
    except (SyntaxError, ValueError) as error:
        line = error.lineno if isinstance(error, SyntaxError) else None
        where = "" if cell is None else f" in cell {cell.number}"
        version = f"Python {sys.version_info.major}.{sys.version_info.minor}"
        gaps.append(
            _gap(
                file,
                f"cannot parse the code{where} as {version}: {describe(error)}",
                line if cell is None else _line_in(cell, line),
            )
        )
        return None


def _tree_of(code: str) -> ast.Module | None:
    """The syntax tree of code that is Python, without any lines of IPython."""
    try:
        return _parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _parse(code: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        return ast.parse(code)


def _line_in(cell: Cell, line: int | None) -> int | None:
    return cell.lines[line - 1] if line is not None and 0 < line <= len(cell.lines) else None


def _imported(tree: ast.Module, path: str) -> Iterator[NameUse]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for each in node.names:
                yield NameUse(_packages(each.name), path, node.lineno)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            separator = "" if module.endswith(".") else "."
            # Shared by all names imported from it.
            packages = _packages(module)
            for each in node.names:
                own = () if each.name == "*" else (f"{module}{separator}{each.name}",)
                yield NameUse((*own, *packages), path, node.lineno)


def _packages(name: str) -> tuple[str, ...]:
    parts = name.split(".")
    require_few_parts(parts)
    return tuple(filter(None, (".".join(parts[:end]) for end in range(len(parts), 0, -1))))


def _of_script(file: SourceFile, _: list[Gap]) -> Iterator[NameUse]:
    for name, line in imported_names(file.text):
        yield NameUse(_script_spellings(name), file.path, line)


def _script_spellings(name: str) -> tuple[str, ...]:
    if name.startswith((".", "/")):
        return (name,)
    parts = name.split("/")
    require_few_parts(parts)
    least = 2 if name.startswith("@") else 1
    return tuple("/".join(parts[:end]) for end in range(len(parts), least - 1, -1)) or (name,)
