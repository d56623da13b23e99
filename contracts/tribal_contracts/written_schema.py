"""The schema of a YAML file as people write it: it accepts what the loader accepts before `${NAME}` is replaced."""

from __future__ import annotations

from typing import Any

_PLACEHOLDER = r"\$\{"
_TEXTS = {
    "integer": (r"^[+-]?[0-9]+$", "Write a whole number, or ${NAME}."),
    "number": (r"^[+-]?[0-9]+(\.[0-9]+)?$", "Write a number, or ${NAME}."),
    # Editors read YAML 1.2, in which all but `true` and `false` are text.
    "boolean": ("^([Yy]es|YES|[Nn]o|NO|[Oo]n|ON|[Oo]ff|OFF|true|false)$", "Write true or false, or ${NAME}."),
}
"""Texts that the loader takes as numbers or booleans, and what an editor says about others."""
_TEXT_LIMITS = ("const", "enum", "maxLength", "minLength", "pattern")


def written_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a file whose scalars may be `${NAME}` and whose lists and sections may be empty.

    Args:
        schema: of the loaded file; the default of an optional field is null.
    """
    written = {name: _part(name, value) for name, value in schema.items() if name != "title"}
    kind = written.get("type")
    empty = ["null"] if _may_be_empty(written) else []
    if kind in _TEXTS:
        pattern, message = _TEXTS[kind]
        # Editors show this message in place of the pattern.
        texts = {"pattern": f"{_PLACEHOLDER}|{pattern}", "patternErrorMessage": message}
        written |= {"type": [kind, "string", *empty], **texts}
    elif kind == "string" and any(name in written for name in _TEXT_LIMITS):
        limited = {name: written.pop(name) for name in ("type", *_TEXT_LIMITS) if name in written}
        written["anyOf"] = [limited, {"type": ["string", *empty], "pattern": _PLACEHOLDER}]
    elif empty:
        written["type"] = [kind, *empty]
    return written


def _part(name: str, value: Any) -> Any:
    if name in ("properties", "definitions"):
        return {key: written_schema(each) for key, each in value.items()}
    if name in ("anyOf", "oneOf"):
        return [written_schema(each) for each in value]
    return written_schema(value) if name in ("items", "additionalProperties") and isinstance(value, dict) else value


def _may_be_empty(schema: dict[str, Any]) -> bool:
    """Whether a key may have no value: an optional scalar, a list, or a section without required keys."""
    kind = schema.get("type")
    if kind in ("array", "object"):
        return not schema.get("minItems") and not schema.get("required")
    return kind is not None and schema.get("default", ...) is None
