"""Hostile files of every kind that checks read: quotes, spaces, nesting and repetition, filled in by a seed."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

LARGEST = 1_000_000
"""Characters of a file in one call."""
_SIZES = (16_000, 20_000, 200_000, LARGEST)


@dataclass(frozen=True, slots=True)
class HostileFile:
    """A file to check."""

    kind: str
    path: str
    text: str


@dataclass(frozen=True, slots=True)
class _Language:
    """Parts of hostile files of a language.

    Attributes:
        pieces: repeated in random order.
        nests: repeated before and after the middle of a file.
        frames: what may stand around all of it.
        made: files that were slow once.
    """

    paths: tuple[str, ...]
    pieces: tuple[str, ...]
    nests: tuple[tuple[str, str], ...]
    frames: tuple[tuple[str, str], ...] = (("", ""),)
    made: tuple[Callable[[int], str], ...] = ()


def _listed(separator: str, each: Callable[[int], str], length: int) -> str:
    """Different items, as many as have room."""
    parts: list[str] = []
    while length > 0:
        parts.append(each(len(parts)))
        length -= len(parts[-1]) + len(separator)
    return separator.join(parts)


def _times(text: str, length: int) -> str:
    return text * max(1, length // len(text))


_QUOTES = ('"', "'", "`", '\\"', "\\'", "\\\\", '""', "''", '"""', "\\")
_SPACES = (" ", "\n", "\t", "    ", "\\\n", "\u2003", "\r\n")

_PYTHON = _Language(
    ("a.py", "src/b.pyi"),
    (
        *_QUOTES,
        *_SPACES,
        "import a",
        "from a import b",
        ",",
        ".b",
        "(",
        ")",
        "[",
        "]",
        "#",
        "lambda:",
        "-",
        "not ",
        ":",
        "1",
        "f'{",
        "}",
    ),
    (
        ("(", ")"),
        ("[", "]"),
        ("f(", ")"),
        ("{1:", "}"),
        ("-", ""),
        ("not ", ""),
        ("lambda:", ""),
        ("a.", "b"),
        ("a if b else ", ""),
        ("f'{", "}'"),
        ("x[", "]"),
    ),
    (("", ""), ("import ", ""), ("x = ", "\n"), ("from a import (", ")\n"), ("'''", "")),
    (
        lambda size: "import a" + _times(".b", size),
        lambda size: "from a" + ".b" * 18 + " import " + _listed(", ", lambda n: f"n{n}", size),
        lambda size: _listed("\n", lambda n: f"import a{n}.b.c.d.e.f.g", size),
        lambda size: "if a:\n x\n" + _times("elif a:\n x\n", size),
        lambda size: _times("'\\''", size),
    ),
)
_SCRIPT = _Language(
    ("a.js", "b.ts", "c.tsx", "d.mjs", "e.cjs", "f.jsx"),
    (
        *_QUOTES,
        *_SPACES,
        "import",
        "import ",
        "export ",
        " from ",
        "require(",
        "import(",
        "{",
        "}",
        "*",
        ",",
        "$",
        "//",
        "/*",
        "*/",
        "a",
        ")",
        "/",
    ),
    (("(", ")"), ("{", "}"), ("import {", "}"), ("/*", "*/"), ("import(", ")"), ("`${", "}`")),
    (("", ""), ("import ", " from 'x'"), ('"', ""), ("import{", "}"), ("/*", "")),
    (
        lambda size: _times('\\"', size),
        lambda size: '"' + _times('\\"', size),
        lambda size: "import" + " " * size,
        lambda size: _times("import ", size),
        lambda size: _times("import{ export{ ", size) + "from",
        lambda size: _listed("\n", lambda n: f"import 'p{n}/a/b/c/d'", size),
        lambda size: _times("/*", size),
        lambda size: _times("from'", size),
    ),
)
_SQL = _Language(
    ("q.sql", "q.ddl", "q.psql"),
    (
        *_QUOTES,
        *_SPACES,
        "SELECT ",
        "FROM t ",
        "(",
        ")",
        "[",
        "]",
        "CASE ",
        "WHEN a ",
        "END ",
        ",",
        ";",
        "--",
        "/*",
        "*/",
        "$a$",
        "$$",
        "DO $$ BEGIN ",
        "IF a THEN ",
        "FOR r IN ",
        "LOOP ",
        "{{ ref('",
        "{{",
        "}}",
        "{% if x %}",
        "{% else %}",
        "{% endif %}",
        "x",
        " OR ",
        "WITH a AS (",
        "::int",
        "1",
        "JOIN b ",
        ".",
    ),
    (
        ("(", ")"),
        ("ARRAY[", "]"),
        ("f(", ")"),
        ("(SELECT ", ")"),
        ("CASE WHEN ", " THEN 1 END"),
        ("CAST(", " AS int)"),
        ("NOT ", ""),
        ("- ", ""),
        ("f(x -> ", ")"),
        ("SELECT * FROM (", ") a"),
        ("WITH a AS (SELECT 1), b AS (", ") SELECT 1"),
        ("a IN (SELECT 1 WHERE ", ")"),
        ("INTERVAL ", ""),
        ("/*", "*/"),
        ("x[", "]"),
        ("STRUCT<", ">"),
        ("{% if x %}", "{% endif %}"),
        ("DO $$ BEGIN IF a THEN ", " END $$"),
    ),
    (
        ("", ""),
        ("SELECT ", ""),
        ("SELECT 1 FROM t WHERE ", ""),
        ("CREATE TABLE t (a int DEFAULT ", ")"),
        ("SELECT * FROM ", ""),
    ),
    (
        lambda size: "SELECT " + _listed(", ", lambda n: f"c{n}", size) + " FROM t",
        lambda size: "SELECT " + _listed(", ", lambda n: f"a{n}.c AS x{n}", size) + " FROM t",
        lambda size: "SELECT 1 FROM t WHERE " + _listed(" OR ", lambda n: f"c{n} = 1", size),
        lambda size: "SELECT CASE " + _listed(" ", lambda n: f"WHEN c{n} = 1 THEN {n}", size) + " END FROM t",
        lambda size: (
            "WITH a0 AS (SELECT 1), "
            + _listed(", ", lambda n: f"a{n + 1} AS (SELECT * FROM a{n})", size)
            + " SELECT * FROM a0"
        ),
        lambda size: "SELECT * FROM t " + _listed(" ", lambda n: f"JOIN t{n} ON t.a = t{n}.a", size),
        lambda size: (
            "SELECT " + _times("ARRAY[ARRAY[ARRAY[ARRAY[ARRAY[ARRAY[ARRAY[ARRAY[ARRAY[ARRAY[1]]]]]]]]]],", size) + "1"
        ),
        lambda size: "SELECT 1 FROM a" + _times(".b", size),
        lambda size: _listed(";\n", lambda n: f"INSERT INTO t{n} VALUES ({n}, 'x')", size),
        lambda size: _times("$a$", size),
        lambda size: "SELECT 1" + _times(" UNION SELECT 1", size),
    ),
)
_JSON = _Language(
    ("package.json", "package-lock.json", "Pipfile.lock", "npm-shrinkwrap.json", "bun.lock", "a.ipynb"),
    (*_QUOTES, *_SPACES, "{", "}", "[", "]", ":", ",", '"a"', "1", "null", "\\u0000", "-"),
    (("[", "]"), ('{"a":', "}"), ('{"dependencies":{"a":', "}}"), ("[{", "}]")),
    (("", ""), ('{"dependencies":', "}"), ('{"a":"', '"}')),
    (
        lambda size: json.dumps({"dependencies": {f"p{n}": "1" for n in range(size // 16)}}),
        lambda size: json.dumps({"dependencies": {f"p.{n}.a-b": "npm:q@1" for n in range(size // 30)}}),
        lambda size: json.dumps({"packages": {f"node_modules/a{n}": {} for n in range(size // 30)}}),
        lambda size: '{"dependencies":{"' + "a" * size + '":"1"}}',
        lambda size: '{"overrides":{"' + _times("a>", size) + '":"1"}}',
        lambda size: json.dumps({"cells": [{"cell_type": "code", "source": _times("%x\n", size // 2)}]}),
    ),
)
_TOML = _Language(
    ("pyproject.toml", "Pipfile", "poetry.lock", "uv.lock", "pixi.toml"),
    (*_QUOTES, *_SPACES, "[", "]", "[[", "]]", "a", ".", "=", "{", "}", ",", "#", "1", "_", "-"),
    (("[", "]"), ("a={a=", "}"), ("a.", "a=1"), ("{a=[", "]}")),
    (("", ""), ("a = ", "\n"), ("[", "]\n"), ("[project]\ndependencies = [", "]\n")),
    (
        lambda size: "a" + _times(".a", size) + " = 1",
        lambda size: "[a" + _times(" . a", size) + "]",
        lambda size: "[project]\ndependencies = [" + _listed(", ", lambda n: f"'p{n}'", size) + "]",
        lambda size: _listed("\n", lambda n: f'[[package]]\nname = "p{n}"', size),
        lambda size: _listed("\n", lambda n: f"[a.b{n}]", size),
        lambda size: "a = 1" + _times("_1", size),
        lambda size: 'a = "' + _times('\\"', size),
    ),
)
_LINES = _Language(
    (
        "requirements.txt",
        "requirements/a.txt",
        "requirements-dev.in",
        "yarn.lock",
        "pnpm-lock.yaml",
        "setup.cfg",
        "environment.yml",
    ),
    (
        *_QUOTES,
        *_SPACES,
        "a",
        "-",
        ".",
        "==1",
        "@",
        ":",
        "#egg=",
        "\\\n",
        "/",
        ";",
        " #",
        "lockfileVersion: '9'\n",
        "-r ",
        "[options]\n",
        "  a@1:\n",
    ),
    (("-", "a"), ("a.", "a"), ("@", ":"), ("[", "]")),
    (("", ""), ("lockfileVersion: '9.0'\n", ""), ("a", "\n")),
    (
        lambda size: _listed("\n", lambda n: f"p{n}==1", size),
        lambda size: _listed("\n", lambda n: f"p.{n}.a-b", size),
        lambda size: _listed("", lambda n: f'"p{n}@1":\n', size),
        lambda size: "lockfileVersion: '9.0'\n" + _listed("", lambda n: f"  p{n}@1:\n", size),
        lambda size: "a" + _times("-", size),
        lambda size: _times("#egg=a", size),
        lambda size: "a" + _times("@", size),
    ),
)
_TEXT = _Language(
    ("app.yaml", "a/" * 400 + "c.ini", "README.md", "x" * 200 + ".env"),
    (*_QUOTES, *_SPACES, "password", ":", "=", "a", "x"),
    (("[", "]"), ("{", "}"), ("- ", "")),
    made=(lambda size: "password" + " " * size, lambda size: _times("password:", size)),
)
LANGUAGES = {
    "Python": _PYTHON,
    "JavaScript": _SCRIPT,
    "SQL": _SQL,
    "JSON": _JSON,
    "TOML": _TOML,
    "lists": _LINES,
    "texts": _TEXT,
}
_DEPTHS = (5, 9, 20, 30, 60, 200, 2_000, 100_000)


def hostile_files(random: Random, number: int) -> list[HostileFile]:
    """So many files, the languages and their kinds by turns."""
    return [_made(random, name, turn // len(LANGUAGES)) for turn, name in zip(range(number), _by_turns(), strict=False)]


def _by_turns() -> list[str]:
    return [*LANGUAGES] * 1_000


def _made(random: Random, name: str, turn: int) -> HostileFile:
    language = LANGUAGES[name]
    size = random.choice(_SIZES)
    before, after = random.choice(language.frames)
    if turn < len(language.made):
        kind, text = "repetition", language.made[turn](size)
    elif random.random() < 0.5:
        opened, closed = random.choice(language.nests)
        depth = min(random.choice(_DEPTHS), size // (len(opened) + len(closed)))
        kind, text = "nesting", before + opened * depth + random.choice(("1", "", "a")) + closed * depth + after
    else:
        pieces = random.choices(language.pieces, k=random.choice((1, 2, 3, 8)))
        kind, text = "quotes and spaces", before + _times("".join(pieces), size) + after
    return HostileFile(f"{kind} in {name}", random.choice(language.paths), _cut(text))


def _cut(text: str) -> str:
    return text.encode()[:LARGEST].decode("utf-8", "ignore")
