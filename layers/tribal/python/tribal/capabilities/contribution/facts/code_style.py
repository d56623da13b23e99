"""Tells how code is written, from the settings of formatters and, for quotes and semicolons, from most files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal, TypeVar

from tribal.capabilities.contribution.facts.documents import nested, read_json, read_sections, read_text, read_toml
from tribal.capabilities.contribution.recipes.recipe import Files
from tribal_contracts.contribution.handoffs import CodeStyle

_Value = TypeVar("_Value")
_CONFIGURED = {
    "formatter": {
        r"\.prettierrc(?:\..+)?|prettier\.config\..+": "prettier",
        r"biome\.jsonc?": "biome",
        r"rustfmt\.toml|\.rustfmt\.toml": "rustfmt",
        r"\.clang-format": "clang-format",
        r"\.scalafmt\.conf": "scalafmt",
        r"\.sqlfluff": "sqlfluff",
    },
    "linter": {
        r"\.eslintrc(?:\..+)?|eslint\.config\..+": "eslint",
        r"biome\.jsonc?": "biome",
        r"\.?ruff\.toml": "ruff",
        r"\.flake8": "flake8",
        r"\.?pylintrc": "pylint",
        r"\.golangci\.ya?ml": "golangci-lint",
        r"\.rubocop\.yml": "rubocop",
        r"\.sqlfluff": "sqlfluff",
    },
}
"""Tools by the file in the root that configures them."""
_SAMPLED_FILES = 50
_SAMPLED_CHARS = 64_000
_QUOTED = (re.compile(r"\.(?:py|[jt]sx?)$"), re.compile(r"'[^'\"\n]*'|\"[^'\"\n]*\""))
_SCRIPT = re.compile(r"\.[jt]sx?$")
_STATEMENT = re.compile(r"[\w)\]'\"`](;?)[ \t]*$", re.MULTILINE)
NO_QUOTES = "no code shows which quotes are preferred; double quotes are assumed"
NO_SEMICOLONS = "no code shows whether statements end with a semicolon; none is assumed"


def code_style(files: Files) -> tuple[CodeStyle, list[str]]:
    """Describe how code is written, and list what is assumed without evidence."""
    pyproject = nested(read_toml(files, "pyproject.toml"), "tool") or {}
    prettier = read_json(files, ".prettierrc") or read_json(files, ".prettierrc.json")
    editor = read_sections(files, ".editorconfig").get("*", {})
    sqlfluff = read_sections(files, ".sqlfluff")
    quotes, semicolons = _quotes(files, pyproject, prettier), _semicolons(files, prettier)
    assumed = [text for text, found in ((NO_QUOTES, quotes), (NO_SEMICOLONS, semicolons)) if found is None]
    lengths = (
        nested(pyproject, "ruff", "line-length"),
        nested(pyproject, "black", "line-length"),
        read_toml(files, "ruff.toml").get("line-length"),
        prettier.get("printWidth"),
        editor.get("max_line_length"),
        nested(sqlfluff, "sqlfluff", "max_line_length"),
    )
    trailing = prettier.get("trailingComma")
    style = CodeStyle(
        indent=_indent(editor, sqlfluff),
        quotes=quotes or "double",
        semicolons=semicolons or False,
        trailing_comma=trailing if isinstance(trailing, str) else "",
        line_length=next((int(str(each)) for each in lengths if _is_number(each)), 0),
        formatter=_tool(files, "formatter", pyproject),
        linter=_tool(files, "linter", pyproject),
    )
    return style, assumed


def _tool(files: Files, purpose: Literal["formatter", "linter"], pyproject: Mapping[str, Any]) -> str:
    root = [path for path in files.paths if "/" not in path]
    for form, name in _CONFIGURED[purpose].items():
        if any(re.fullmatch(form, path) for path in root):
            return name
    if purpose == "formatter":
        return "black" if "black" in pyproject else "ruff" if nested(pyproject, "ruff", "format") is not None else ""
    return next((name for name in ("ruff", "pylint", "sqlfluff") if name in pyproject), "")


def _indent(editor: Mapping[str, str], sqlfluff: Mapping[str, Mapping[str, str]]) -> str:
    if editor.get("indent_style") == "tab":
        return "tab"
    size = editor.get("indent_size") or nested(sqlfluff, "sqlfluff:indentation", "tab_space_size")
    return f"{size} spaces" if _is_number(size) else ""


def _is_number(value: object) -> bool:
    return not isinstance(value, bool) and re.fullmatch(r"[1-9]\d{0,3}", str(value)) is not None


def _quotes(
    files: Files, pyproject: Mapping[str, Any], prettier: Mapping[str, Any]
) -> Literal["single", "double"] | None:
    stated = nested(pyproject, "ruff", "format", "quote-style")
    if stated in ("single", "double"):
        return "single" if stated == "single" else "double"
    if isinstance(prettier.get("singleQuote"), bool):
        return "single" if prettier["singleQuote"] else "double"
    names, form = _QUOTED
    votes = []
    for path in [each for each in files.paths if names.search(each)][:_SAMPLED_FILES]:
        found = form.findall(read_text(files, path)[:_SAMPLED_CHARS])
        single = sum(each.startswith("'") for each in found)
        if 2 * single != len(found):
            votes.append(2 * single > len(found))
    return _majority(votes, "single", "double")


def _semicolons(files: Files, prettier: Mapping[str, Any]) -> bool | None:
    if isinstance(prettier.get("semi"), bool):
        return bool(prettier["semi"])
    votes = []
    for path in [each for each in files.paths if _SCRIPT.search(each) or each.endswith(".sql")][:_SAMPLED_FILES]:
        text = read_text(files, path)[:_SAMPLED_CHARS].rstrip()
        ends = _STATEMENT.findall(text) if _SCRIPT.search(path) else [";" if text.endswith(";") else ""] * bool(text)
        if ends:
            votes.append(2 * ends.count(";") >= len(ends))
    return _majority(votes, True, False)


def _majority(votes: list[bool], one: _Value, other: _Value) -> _Value | None:
    """Return what most files vote for; `None` without votes."""
    return None if not votes else one if 2 * sum(votes) > len(votes) else other
