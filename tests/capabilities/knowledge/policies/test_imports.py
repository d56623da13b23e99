"""What files of code import, with their lines; text within them is not an import."""

from __future__ import annotations

import json

from tests.cases import each_case
from tribal.capabilities.knowledge.policies.evidence import SourceFile
from tribal.capabilities.knowledge.policies.imports import imports_of, is_of_another_language
from tribal.capabilities.knowledge.policies.notebooks import without_images


@each_case(
    ("path", "text", "expected"),
    [
        ("a.py", "import os, json as j\n", [("json", 1), ("os", 1)]),
        ("a.py", "from google.cloud import storage\n", [("google.cloud.storage", 1)]),
        ("a.py", "from . import x\nfrom ..y import z\n", [(".x", 1), ("..y.z", 2)]),
        ("a.py", "from x import *\n", [("x", 1)]),
        ("a.py", "def f():\n    import lazy\n'import not_this'\n", [("lazy", 2)]),
        ("a.ts", "import React, {useState} from 'react'\nimport 'side'\n", [("react", 1), ("side", 2)]),
        ("a.js", "const x = require('mysql2/promise')\n// require('no')\n", [("mysql2/promise", 1)]),
        ("a.mjs", "export * from './own'\nawait import(`lazy`)\n", [("./own", 1), ("lazy", 2)]),
        ("a.tsx", "/* import 'no' */\nimport type {\n  A,\n} from '@scope/pkg/deep'\n", [("@scope/pkg/deep", 4)]),
        ("a.js", "const url = 'http://x' // import 'no'\nimport 'yes'\n", [("yes", 2)]),
        ("a.js", "const help = \"run: import _ from 'no'\"; import 'yes'\n", [("yes", 1)]),
        ("a.js", "x = `import 'no' ${ `${ require('in') }` } import 'no'`\nimport 'yes'\n", [("in", 1), ("yes", 2)]),
        ("a.js", "if (/'import \"no\"/.test(x)) y = a / b; import 'yes'\n", [("yes", 1)]),
        ("a.jsx", "<p>Don't</p>;\nimport 'one';\n<b>a ` b</b>\nimport 'two'\n", [("one", 2), ("two", 4)]),
        ("a.js", "a = 'x\\\nimport \"no\"'; import 'yes'\n", [("yes", 2)]),
        ("a.go", 'import "fmt"\n', []),
        ("a.md", "import nothing\n", []),
    ],
)
def test_imports_are_read_with_their_lines(path: str, text: str, expected: list[tuple[str, int]]) -> None:
    found = imports_of(SourceFile(path, text))
    assert [(each.name, each.line) for each in found.named] == expected
    assert not found.unread


def test_an_import_is_named_as_each_package_that_holds_it_too() -> None:
    (python,) = imports_of(SourceFile("a.py", "import google.cloud.storage\n")).named
    assert python.spellings == ("google.cloud.storage", "google.cloud", "google")
    (scoped,) = imports_of(SourceFile("a.js", "import '@scope/pkg/deep/er'\n")).named
    assert scoped.spellings == ("@scope/pkg/deep/er", "@scope/pkg/deep", "@scope/pkg")


@each_case("text", ["def (:\n", "import x\n\0", "(" * 5_000])
def test_python_that_cannot_be_read_is_reported(text: str) -> None:
    found = imports_of(SourceFile("a.py", text))
    assert [(each.file, each.targets) for each in found.unread] == [("a.py", frozenset({"import"}))]


def test_other_languages_are_known_as_such() -> None:
    julia = SourceFile("a.ipynb", json.dumps({"cells": [], "metadata": {"kernelspec": {"language": "julia"}}}))
    files = [SourceFile(path, "") for path in ("a.go", "a.java", "a.py", "a.md", "a.ipynb")]
    assert [is_of_another_language(file) for file in [*files, julia]] == [True, True, False, False, False, True]


def notebook(*cells: str, language: str = "python", indent: int | None = 1) -> SourceFile:
    """A notebook as Jupyter writes it, with output that looks like code."""
    listed = [
        {
            "cell_type": "code",
            "metadata": {},
            "outputs": [{"output_type": "stream", "text": ["import output\n"]}],
            "source": cell.splitlines(keepends=True),
        }
        for cell in cells
    ]
    text = {"cell_type": "markdown", "metadata": {}, "source": "import markdown"}
    metadata = {"kernelspec": {"language": language}}
    content = {"cells": [text, *listed], "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return SourceFile("a.ipynb", json.dumps(content, indent=indent, ensure_ascii=False))


MAGICS = """%matplotlib inline
!pip install nothing
import one
files = !ls
%time import two
if files:
    %run other.py
    import three
one?
"""


def test_the_cells_of_a_notebook_are_read_and_magics_and_shell_lines_are_tolerated() -> None:
    file = notebook(MAGICS, "%%bash\nimport nothing", "%%timeit\nimport four\nx = (1\n   % 2)")
    found = imports_of(file)
    assert [each.name for each in found.named] == ["one", "two", "three", "four"]
    assert not found.unread
    lines = file.text.splitlines()
    assert all(each.line is not None and f"import {each.name}" in lines[each.line - 1] for each in found.named)


def test_a_notebook_without_its_images_names_the_same_imports_on_the_same_lines() -> None:
    file = notebook("import one", "import two")
    image = json.dumps("iVBORw0KGgo=\n" * 1_000)
    large = file.text.replace('"import output\\n"', f'{image}, "import output\\n"')
    small = without_images(large.encode()).decode()
    assert len(small) < len(file.text) + 100
    assert imports_of(SourceFile(file.path, small)) == imports_of(SourceFile(file.path, large))


def test_a_cell_that_cannot_be_parsed_is_reported_with_its_line_and_the_others_are_read() -> None:
    file = notebook("import one", "x = 1\ndef (:", "import two")
    found = imports_of(file)
    assert [each.name for each in found.named] == ["one", "two"]
    (gap,) = found.unread
    assert "in cell 3 as Python" in gap.reason
    assert gap.line is not None
    assert "def (:" in file.text.splitlines()[gap.line - 1]


@each_case(
    ("text", "names", "reason"),
    [
        ("{", [], "cannot parse it: Expecting property name"),
        ("[]", [], "cannot parse it: it is not a JSON object"),
        ('{"cells": 5}', [], "cannot parse it: its cells are not a list"),
        ('{"cells": [{"cell_type": "code", "source": 5}]}', [], "the source of a cell is not text"),
        ('{"worksheets": [{"cells": [{"cell_type": "code", "input": ["import a"]}]}]}', ["a"], ""),
        ('{"cells": [{"cell_type": "code", "source": "import a\\nimport b"}]}', ["a", "b"], ""),
    ],
)
def test_a_notebook_in_an_older_form_is_read_and_a_damaged_one_is_reported(
    text: str, names: list[str], reason: str
) -> None:
    found = imports_of(SourceFile("a.ipynb", text))
    assert [each.name for each in found.named] == names
    assert [reason in each.reason for each in found.unread] == ([True] if reason else [])


def test_python_of_a_newer_grammar_is_reported_with_the_version_that_read_it() -> None:
    (gap,) = imports_of(SourceFile("a.py", "import x\nmatch x:\n    case 1: pass\nfrobnicate y:\n")).unread
    assert gap.line == 4
    assert gap.reason.startswith("cannot parse the code as Python 3.")
