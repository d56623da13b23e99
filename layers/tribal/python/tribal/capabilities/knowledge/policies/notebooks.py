"""Reads the Python code in the cells of a Jupyter notebook."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_OTHER_CELLS = frozenset(
    """
    %%bash %%bigquery %%cmd %%configure %%file %%html %%javascript %%js %%latex %%markdown %%perl %%R %%ruby %%scala
    %%script %%sh %%spark.sql %%sql %%svg %%system %%writefile
    """.split()
)
"""Cells that are not Python."""
_TIMED = re.compile(r"^(?P<indent>\s*)%time(?:it)?\s+(?P<code>.+)$")
_MAGIC = re.compile(r"^(?P<indent>\s*)(?:%%?[A-Za-z_]|!|\?|[\w.]+\?{1,2}\s*$).*$")
_ASSIGNED = re.compile(r"^(?P<target>[^=#'\"]*=\s*)(?:%[A-Za-z_]|!).*$")
_IMAGE = re.compile(rb'"[A-Za-z0-9+/=\\]{1000,}+"')
"""Base64, which is never code."""
_LANGUAGE = re.compile(r'"language":\s*"([^"\\]+)"')


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of code.

    Attributes:
        number: counted from 1 over all cells.
        code: Python, perhaps with lines that only IPython understands.
        lines: the line in the file of each line of the code, if it is known.
    """

    number: int
    code: str
    lines: tuple[int | None, ...]


def python_cells(text: str) -> Iterator[Cell]:
    """The cells of code of a notebook in Python.

    Raises:
        ValueError: when it is not a notebook.
    """
    parsed = json.loads(text)
    if not isinstance(parsed, dict):
        raise ValueError("it is not a JSON object")
    if not _is_python(parsed.get("metadata")):
        return
    place, line = 0, 1
    for number, cell in enumerate(_cells(parsed), 1):
        if not isinstance(cell, dict) or cell.get("cell_type") != "code":
            continue
        code = _source(cell.get("source", cell.get("input", "")))
        lines: list[int | None] = []
        for each in code.splitlines():
            found = text.find(json.dumps(each, ensure_ascii=False)[1:-1], place) if each.strip() else -1
            if found >= 0:
                line += text.count("\n", place, found)
                place = found
            lines.append(line if found >= 0 else None)
        if not _is_other(code):
            yield Cell(number, code, tuple(lines))


def is_notebook(path: str) -> bool:
    """Whether a file is a notebook."""
    return path.casefold().endswith(".ipynb")


def without_images(data: bytes) -> bytes:
    """A notebook without its images, which are most of a large one; lines stay where they are."""
    return _IMAGE.sub(b'""', data)


def notebook_language(text: str) -> str:
    """The language of a notebook, as its text says."""
    found = _LANGUAGE.search(text)
    return found[1].casefold() if found else "python"


def _is_python(metadata: Any) -> bool:
    kernel = metadata.get("kernelspec") if isinstance(metadata, dict) else None
    language = kernel.get("language") if isinstance(kernel, dict) else None
    return not isinstance(language, str) or language.casefold() == "python"


def _cells(parsed: dict[str, Any]) -> list[Any]:
    """The cells; notebooks of version 3 have them in sheets."""
    cells = parsed.get("cells")
    if cells is None:
        cells = [cell for sheet in parsed.get("worksheets") or [] for cell in sheet["cells"]]
    if not isinstance(cells, list):
        raise ValueError("its cells are not a list")
    return cells


def _source(source: Any) -> str:
    text = "".join(source) if isinstance(source, list) else source
    if not isinstance(text, str):
        raise ValueError("the source of a cell is not text")
    return text


def _is_other(code: str) -> bool:
    first = code.lstrip().split(None, 1)
    return bool(first) and first[0] in _OTHER_CELLS


def without_ipython(code: str) -> str:
    """Code whose lines of IPython are replaced by others that import nothing."""
    return "\n".join(map(_python_line, code.splitlines()))


def _python_line(line: str) -> str:
    if timed := _TIMED.match(line):
        return timed["indent"] + timed["code"]
    if magic := _MAGIC.match(line):
        return f"{magic['indent']}pass"
    if assigned := _ASSIGNED.match(line):
        return f"{assigned['target']}None"
    return line
