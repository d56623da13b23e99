"""What a file of code imports: Python by its syntax, JavaScript and TypeScript by patterns.

An import may be named as it is written, and as each package that holds it: `google.cloud.storage` is `google.cloud` and
`google` too, `lodash/fp` is `lodash`.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator

from tribal.policies.picture import Found, Named, SourceFile, Unread

_PYTHON = (".py", ".pyi")
_SCRIPT = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx")
_OTHERS = (
    ".c", ".cc", ".cpp", ".cs", ".dart", ".ex", ".go", ".groovy", ".java", ".kt", ".lua", ".m", ".php", ".pl", ".r",
    ".rb", ".rs", ".scala", ".svelte", ".swift", ".vb", ".vue",
)  # fmt: skip
"""Suffixes of languages whose imports are not read."""
_IMPORTED = re.compile(
    r"""(?:\bimport\s*(?:[\w*{}\s,$]{0,2000}?\bfrom\s*)?|\bexport\s*[\w*{}\s,$]{0,2000}?\bfrom\s*"""
    r"""|\b(?:require|import)\s*\(\s*)(?P<quote>["'`])(?P<name>[^"'`\s\\]{1,300})(?P=quote)"""
)
_COMMENT = re.compile(r"(?P<kept>\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*')|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_NOT_A_LINE_BREAK = re.compile(r"[^\n]")


def imports_of(file: SourceFile) -> Found:
    """What a file imports; `unread` when its syntax is wrong."""
    path = file.path.casefold()
    if file.unread is not None and path.endswith((*_PYTHON, *_SCRIPT)):
        return Found((), [Unread(file.path, frozenset({"import"}), file.unread)])
    if path.endswith(_PYTHON):
        return _of_python(file)
    if path.endswith(_SCRIPT):
        return Found([*_of_script(file)])
    return Found()


def is_of_another_language(path: str) -> bool:
    """Whether a file is code whose imports are not read."""
    return path.casefold().endswith(_OTHERS)


def _of_python(file: SourceFile) -> Found:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            tree = ast.parse(file.text)
    except SyntaxError as error:
        reason = f"it is no Python that can be read: {error.msg}"
        return Found((), [Unread(file.path, frozenset({"import"}), reason, error.lineno)])
    except (ValueError, RecursionError, MemoryError):
        return Found((), [Unread(file.path, frozenset({"import"}), "it is no Python that can be read")])
    named: list[Named] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            named += [_python(each.name, file.path, node.lineno) for each in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            separator = "" if module.endswith(".") else "."
            for each in node.names:
                whole = module if each.name == "*" else f"{module}{separator}{each.name}"
                named.append(_python(whole, file.path, node.lineno))
    return Found(sorted(named, key=lambda each: (each.line or 0, each.name)))


def _python(name: str, path: str, line: int) -> Named:
    parts = name.split(".")
    return Named(tuple(filter(None, (".".join(parts[:end]) for end in range(len(parts), 0, -1)))), path, line)


def _of_script(file: SourceFile) -> Iterator[Named]:
    text = _COMMENT.sub(lambda found: found["kept"] or _NOT_A_LINE_BREAK.sub(" ", found[0]), file.text)
    line, position = 1, 0
    for found in _IMPORTED.finditer(text):
        line += text.count("\n", position, found.start("name"))
        position = found.start("name")
        yield Named(_script_spellings(found["name"]), file.path, line)


def _script_spellings(name: str) -> tuple[str, ...]:
    if name.startswith((".", "/")):
        return (name,)
    parts = name.split("/")
    least = 2 if name.startswith("@") else 1
    return tuple("/".join(parts[:end]) for end in range(len(parts), least - 1, -1)) or (name,)
