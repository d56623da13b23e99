"""The prompt templates: ours, and those of the project that replace them."""

from __future__ import annotations

import difflib
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files

from tribal.yaml_lines import at_line

DESCRIBING: Mapping[str, frozenset[str]] = {
    "system.md": frozenset({"language", "terms"}),
    "table.md": frozenset({"table"}),
    "domain.md": frozenset({"domain"}),
    "repair.md": frozenset({"question", "faults"}),
}
"""The templates of descriptions, and the variables that each must have."""
INTERROGATING: Mapping[str, frozenset[str]] = {
    "detective_question.md": frozenset(),
    "detective_analysis.md": frozenset(),
    "detective_audit.md": frozenset(),
    "witness.md": frozenset(),
}
"""The same of interrogations."""
CHATTING: Mapping[str, frozenset[str]] = {"chat_answer.md": frozenset()}
"""The same of the chat."""
CONTRIBUTING: Mapping[str, frozenset[str]] = {
    "issue_scout.md": frozenset(),
    "issue_analyst.md": frozenset(),
    "issue_editor.md": frozenset(),
    "review_reader.md": frozenset(),
}
"""The same of contributions."""
_ALL = {**DESCRIBING, **INTERROGATING, **CHATTING, **CONTRIBUTING}
MAX_PROMPT_BYTES = 32_768
"""The most bytes of a template; a judgement, about ten times ours."""

_PLACE = re.compile(r"\{\{([a-z]+)\}\}")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True, slots=True)
class Prompts:
    """Checked templates."""

    texts: Mapping[str, str]
    """By file name."""
    version: str
    """SHA-256 over the bytes of all of these."""

    def fill(self, name: str, **values: str) -> str:
        """Fill a template's variables; values are not searched for variables."""
        return _PLACE.sub(lambda found: values[found[1]], self.texts[name])


def load_prompts(
    overrides: Mapping[str, bytes] | None = None,
    place: str = "prompts",
    templates: Mapping[str, frozenset[str]] = DESCRIBING,
) -> Prompts:
    """Load our templates, replaced by the project's files of the same name.

    Args:
        overrides: bytes by file name, such as `table.md`.
        place: the project's folder, for messages.
        templates: those to load; files that replace others are not read.

    Raises:
        ConfigurationError: when a file has an unknown name, is too large or not UTF-8, or has an unknown variable or
            lacks one; the message names file and line.
    """
    own = overrides or {}
    for name in sorted(own.keys() - _ALL.keys()):
        raise at_line(f"{place}/{name}", None, f"is not a prompt; {_instead(name, 'the prompts are')}")
    shipped = files("tribal") / "prompts"
    texts = {}
    for name, variables in templates.items():
        file = f"{place}/{name}"
        data = own.get(name)
        texts[name] = _checked(file, (shipped / name).read_bytes() if data is None else data, variables)
    digest = hashlib.sha256()
    for name, text in sorted(texts.items()):
        digest.update(f"{name}\0{len(text)}\0{text}".encode())
    return Prompts(texts, digest.hexdigest())


def _instead(name: str, known: str) -> str:
    near = difflib.get_close_matches(name, _ALL, n=1)
    advice = f"rename it to {near[0]}" if near else "move it away"
    return f"{advice} ({known} {', '.join(_ALL)})"


def _checked(file: str, data: bytes, variables: frozenset[str]) -> str:
    if len(data) > MAX_PROMPT_BYTES:
        raise at_line(file, None, f"is larger than {MAX_PROMPT_BYTES:,} bytes; shorten it")
    try:
        # The same text, and so the same version, on any system.
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise at_line(file, line, "is not UTF-8; save it as UTF-8") from None
    if control := _CONTROL.search(text):
        problem = f"has the control character U+{ord(control.group()):04X}; delete it"
        raise at_line(file, _line(text, control.start()), problem)
    _check_variables(file, text, variables)
    return text


def _check_variables(file: str, text: str, known: frozenset[str]) -> None:
    written = ", ".join(f"{{{{{each}}}}}" for each in sorted(known))
    hint = f"write {written}, or delete it" if known else "delete it"
    for start in (found.start() for found in re.finditer(r"\{\{", text)):
        variable = _PLACE.match(text, start)
        if variable is None:
            raise at_line(file, _line(text, start), f"has {{{{ without a variable; {hint}")
        if variable[1] not in known:
            problem = f"has the unknown variable {variable.group()}; {f'write {written}' if known else hint}"
            raise at_line(file, _line(text, start), problem)
    for name in sorted(known - set(_PLACE.findall(text))):
        problem = f"lacks the variable {{{{{name}}}}}; add it where its text belongs"
        raise at_line(file, _line(text, len(text.rstrip())), problem)


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1
