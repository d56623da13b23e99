"""Reads the manifests of Python packages: of pip, setuptools, Poetry, PDM, uv, Hatch, pixi and conda."""

from __future__ import annotations

import ast
import configparser
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tribal.capabilities.knowledge.policies.dependencies.formats import (
    Found,
    Included,
    Unknown,
    Unreadable,
    json_object,
    toml_table,
    yaml_mapping,
)
from tribal.capabilities.knowledge.policies.limits import MAX_PYTHON_TOKENS, require_few_tokens

_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)")
_NAMED_URL = re.compile(r"([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[[^\]]*\])?\s*@")
_CONDA = re.compile(r"\s*(?:[\w./-]+::)?([A-Za-z0-9_](?:[A-Za-z0-9._-]*[A-Za-z0-9_])?)")
_INCLUDED = re.compile(r"(?:-r|--requirement)[\s=]*(?P<path>\S+)")
_EDITABLE = re.compile(r"(?:-e|--editable)[\s=]+")
_URL = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_OF_URL = re.compile(r"[#&]egg=([A-Za-z0-9._-]+)")
_ARCHIVES = (".whl", ".tar.gz", ".zip")
_NAME_OF_ARCHIVE = re.compile(r"([A-Za-z0-9].*?)-\d")
_SCRIPT, _SCRIPT_END = "# /// script", "# ///"
_LISTS = ("install_requires", "setup_requires", "tests_require")
_TABLE = "extras_require"
_REQUIREMENTS_FILE = re.compile(r"(?:.*/)?[\w.-]*requirements[\w.-]*\.(?:txt|in)|requirements/[\w.-]+\.(?:txt|in)")
_NOT_A_PACKAGE = "python"
"""Not a package, although Poetry lists it as one."""


def requirements(text: str) -> Iterator[Found]:
    """A file of requirements. Source: https://pip.pypa.io/en/stable/reference/requirements-file-format/."""
    number = 1
    for line in text.replace("\\\n", " \0").splitlines():
        yield from _requirement(line.replace("\0", " "), number)
        number += 1 + line.count("\0")


def _requirement(line: str, number: int | None = None) -> Iterator[Found]:
    stated = line.split(" #")[0].strip()
    if included := _INCLUDED.match(stated):
        yield Included(included["path"], number)
        return
    is_editable = _EDITABLE.match(stated)
    stated = stated[is_editable.end() :] if is_editable else stated
    if not stated or stated.startswith(("#", "-")):
        return
    if found := _NAMED_URL.match(stated):
        yield found[1]
    elif named := _OF_URL.findall(stated):
        yield from named
    elif archive := _archived(stated):
        yield archive
    elif _URL.match(stated) and not stated.startswith("file:"):
        yield Unknown("a package has a URL but no name; write 'NAME @ URL'", number)
    elif is_editable or stated.startswith((".", "/", "file:")):
        # A folder has a manifest of its own.
        return
    elif found := _REQUIREMENT.match(stated):
        yield found[1]
    else:
        yield Unknown("cannot parse a requirement", number)


def _archived(stated: str) -> str | None:
    """The name of the package in a file or at a URL."""
    file = re.split(r"[#?\s;]", stated, maxsplit=1)[0].rpartition("/")[2]
    found = _NAME_OF_ARCHIVE.match(file) if file.endswith(_ARCHIVES) else None
    return found[1] if found else None


def _required(listed: Any) -> Iterator[Found]:
    for each in listed or ():
        if isinstance(each, str):
            yield from _requirement(each)


def pyproject(text: str) -> Iterator[Found]:
    """`pyproject.toml`, with the sections of build tools."""
    parsed = toml_table(text)
    project, tool = parsed.get("project", {}), parsed.get("tool", {})
    yield from _required(parsed.get("build-system", {}).get("requires"))
    yield from _required(project.get("dependencies"))
    for listed in (*project.get("optional-dependencies", {}).values(), *parsed.get("dependency-groups", {}).values()):
        yield from _required(listed)
    yield from _poetry(tool.get("poetry", {}))
    yield from _setuptools(tool.get("setuptools", {}).get("dynamic", {}))
    pdm, uv = tool.get("pdm", {}), tool.get("uv", {})
    for listed in pdm.get("dev-dependencies", {}).values():
        yield from _required(listed)
    yield from pdm.get("resolution", {}).get("overrides", {})
    for key in ("dev-dependencies", "override-dependencies", "constraint-dependencies"):
        yield from _required(uv.get(key))
    yield from _required(tool.get("rye", {}).get("dev-dependencies"))
    for environment in tool.get("hatch", {}).get("envs", {}).values():
        for key in ("dependencies", "extra-dependencies"):
            yield from _required(environment.get(key))
    yield from _pixi(tool.get("pixi", {}))


def _poetry(poetry: Mapping[str, Any]) -> Iterator[Found]:
    for group in (poetry, *poetry.get("group", {}).values()):
        for key in ("dependencies", "dev-dependencies"):
            yield from (name for name in group.get(key, {}) if name != _NOT_A_PACKAGE)


def _setuptools(dynamic: Mapping[str, Any]) -> Iterator[Found]:
    for stated in (dynamic.get("dependencies"), *dynamic.get("optional-dependencies", {}).values()):
        files = stated.get("file", ()) if isinstance(stated, dict) else ()
        yield from map(Included, [files] if isinstance(files, str) else files)


def pixi(text: str) -> Iterator[Found]:
    """`pixi.toml`."""
    return _pixi(toml_table(text))


def _pixi(parsed: Mapping[str, Any]) -> Iterator[Found]:
    targets = [parsed, *parsed.get("target", {}).values(), *parsed.get("feature", {}).values()]
    for target in targets:
        for key in ("dependencies", "pypi-dependencies", "build-dependencies", "host-dependencies"):
            yield from target.get(key, {})


def pipfile(text: str) -> Iterator[Found]:
    """`Pipfile`."""
    parsed = toml_table(text)
    for section in ("packages", "dev-packages"):
        yield from parsed.get(section, {})


def pipfile_lock(text: str) -> Iterator[Found]:
    """`Pipfile.lock`."""
    parsed = json_object(text)
    for section in ("default", "develop"):
        yield from parsed.get(section) or ()


def toml_lock(key: str) -> Callable[[str], Iterator[Found]]:
    """A lock file of TOML that lists packages under a key."""
    return lambda text: (package["name"] for package in toml_table(text).get(key, ()))


def setup_cfg(text: str) -> Iterator[Found]:
    """`setup.cfg` of setuptools."""
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(text)
    except configparser.Error as error:
        line = error.errors[0][0] if isinstance(error, configparser.ParsingError) and error.errors else None
        raise Unreadable("it is not an INI file", getattr(error, "lineno", line)) from None
    values = [parser.get("options", key, fallback="") for key in _LISTS]
    if parser.has_section(f"options.{_TABLE}"):
        values += [value or "" for _, value in parser.items(f"options.{_TABLE}")]
    for value in values:
        if value.strip().startswith("file:"):
            yield from (Included(path.strip()) for path in value.strip()[len("file:") :].split(","))
        else:
            yield from _required(value.splitlines() if "\n" in value else value.split(";"))


def script_metadata(text: str) -> Iterator[Found]:
    """The dependencies that a script states in a comment. Source: PEP 723."""
    lines = text.splitlines()
    content: list[str] = []
    for line in lines[lines.index(_SCRIPT) + 1 :] if _SCRIPT in lines else ():
        if line == _SCRIPT_END:
            yield from _required(toml_table("\n".join(content)).get("dependencies"))
            return
        if line != "#" and not line.startswith("# "):
            return
        content.append(line[2:])


def states_dependencies(text: str) -> bool:
    """Whether a script has such a comment."""
    return _SCRIPT in text


def conda_environment(text: str) -> Iterator[Found]:
    """`environment.yml` of conda, with the requirements of pip in it."""
    listed = yaml_mapping(text).get("dependencies")
    for each in listed if isinstance(listed, list) else ():
        if isinstance(each, dict):
            yield from _required(each.get("pip"))
        elif isinstance(each, str) and (found := _CONDA.match(each)):
            yield found[1]


def setup_py(text: str) -> Iterator[Found]:
    """`setup.py`, as far as its lists are literals, or are read from files of requirements."""
    require_few_tokens(text, MAX_PYTHON_TOKENS)
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise Unreadable(error.msg, error.lineno) from None
    script = _SetupScript(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _is_setup(node.func):
            for keyword in node.keywords:
                if keyword.arg is None or keyword.arg in (*_LISTS, _TABLE):
                    yield from script.listed(keyword.value, keyword.arg or "**")


def _is_setup(called: ast.expr) -> bool:
    if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name):
        return called.attr == "setup" and called.value.id in ("setuptools", "core")
    return isinstance(called, ast.Name) and called.id == "setup"


class _SetupScript:
    def __init__(self, tree: ast.Module) -> None:
        self._values: dict[str, list[ast.expr]] = {}
        self._files: list[tuple[str, int]] = []
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign) and node.value is not None:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for target in targets:
                    if isinstance(target, ast.Name):
                        self._values.setdefault(target.id, []).append(node.value)
            elif isinstance(node, ast.Constant) and _REQUIREMENTS_FILE.fullmatch(str(node.value)):
                self._files.append((str(node.value), node.lineno))

    def listed(self, value: ast.expr, keyword: str) -> Iterator[Found]:
        """The requirements in the value of a keyword."""
        try:
            literal = ast.literal_eval(self._resolved(value))
        except (ValueError, TypeError, SyntaxError):
            if self._files:
                yield from (Included(path, line) for path, line in self._files)
            else:
                yield Unknown(f"{keyword} of setup() is not a literal", value.lineno)
            return
        if isinstance(literal, dict):
            lists = [literal.get(key) for key in (*_LISTS, _TABLE)] if keyword == "**" else [*literal.values()]
            flat = [inner for each in lists for inner in (each.values() if isinstance(each, dict) else [each])]
        else:
            flat = [literal]
        for each in flat:
            yield from _required(each.splitlines() if isinstance(each, str) else each)

    def _resolved(self, value: ast.expr) -> ast.expr:
        """A value, or that of the variable that it is."""
        if isinstance(value, ast.Name) and len(self._values.get(value.id, ())) == 1:
            return self._values[value.id][0]
        return value
