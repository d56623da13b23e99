"""Reads the imports in a source file: Python with its parser, JavaScript and TypeScript with a scanner.

An import has several names: as written, and each package above it. `google.cloud.storage` is also `google.cloud` and
`google`, `lodash/fp` is also `lodash`.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator

from tribal.capabilities.knowledge.policies.evidence import CollectedNames, Gap, NameUse, SourceFile
from tribal.capabilities.knowledge.policies.limits import (
    MAX_PYTHON_TOKENS,
    OverLimit,
    first_of_each,
    require_few_bytes,
    require_few_parts,
    require_few_tokens,
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
    read = _of_python if file.path.casefold().endswith(_PYTHON) else _of_script
    try:
        require_few_bytes(file.text)
        return CollectedNames(first_of_each(read(file), lambda each: each.name))
    except SyntaxError as error:
        return _gap(file, f"cannot parse the Python code: {error.msg}", error.lineno)
    except ValueError:
        return _gap(file, "cannot parse the Python code")
    except OverLimit as error:
        return _gap(file, str(error))
    except (RecursionError, MemoryError):
        return _gap(file, "it is nested too deeply")


def has_imports(path: str) -> bool:
    """Whether a file is code whose imports are read."""
    return path.casefold().endswith((*_PYTHON, *_SCRIPT))


def is_of_another_language(path: str) -> bool:
    """Whether a file is code whose imports are not read."""
    return path.casefold().endswith(_OTHERS)


def _gap(file: SourceFile, reason: str, line: int | None = None) -> CollectedNames:
    return CollectedNames((), [Gap(file.path, frozenset({"import"}), reason, line)])


def _of_python(file: SourceFile) -> list[NameUse]:
    require_few_tokens(file.text, MAX_PYTHON_TOKENS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        tree = ast.parse(file.text)
    return sorted(_imported(tree, file.path), key=lambda each: (each.line or 0, each.name))


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


def _of_script(file: SourceFile) -> Iterator[NameUse]:
    for name, line in imported_names(file.text):
        yield NameUse(_script_spellings(name), file.path, line)


def _script_spellings(name: str) -> tuple[str, ...]:
    if name.startswith((".", "/")):
        return (name,)
    parts = name.split("/")
    require_few_parts(parts)
    least = 2 if name.startswith("@") else 1
    return tuple("/".join(parts[:end]) for end in range(len(parts), least - 1, -1)) or (name,)
