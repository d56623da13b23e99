"""Write texts as YAML scalars that are read back unchanged, in the most readable style that allows it."""

from __future__ import annotations

from tribal.dbt.yaml_nodes import STRING, UnreadableYaml, compose

_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0"}
_BOOLEANS_OF_OTHERS = frozenset("yn")
"""Letters that other parsers of YAML 1.1 read as booleans."""


def flow_scalar(text: str) -> str:
    """Write a text on one line, for any place: plain if nothing in it has a meaning in YAML, else double-quoted."""
    if text and text.isascii() and text.replace("_", "").isalnum() and _is_plain(text):
        return text
    return quoted_scalar(text)


def block_scalar(text: str, indent: int, *, literal: bool, breaks_after: bool) -> str:
    """Write a text as a value in a block mapping.

    Args:
        text: what is read back.
        indent: spaces before the lines of a literal block.
        literal: whether a literal block is possible there.
        breaks_after: whether a line break follows in the file.

    Returns:
        The scalar. Its line breaks are those of the file.
    """
    if literal and (block := _literal(text, indent, breaks_after=breaks_after)):
        return block
    return text if _is_plain(text) else quoted_scalar(text)


def quoted_scalar(text: str) -> str:
    """Write a text in double quotes on one line; characters that cannot be seen are escaped."""
    written = (_ESCAPES.get(char) or (char if char.isprintable() else f"\\U{ord(char):08x}") for char in text)
    return f'"{"".join(written)}"'


def _is_plain(text: str) -> bool:
    if not text[:1].isalpha() or not text.isprintable() or text.lower() in _BOOLEANS_OF_OTHERS:
        return False
    try:
        root = compose(f"k: {text}")
    except UnreadableYaml:
        return False
    if root is None or root.kind != "mapping" or len(root.items) != 2:
        return False
    value = root.items[1]
    return value.tag == STRING and not value.style and value.value == text


def _literal(text: str, indent: int, *, breaks_after: bool) -> str | None:
    """Write a text of several lines as a literal block; `None` if it would not be read back unchanged."""
    body = text.removesuffix("\n")
    lines = body.split("\n")
    if len(lines) < 2 or not lines[0] or not lines[-1] or (body != text and not breaks_after):
        return None
    if lines[0][0] == " " or any(not line.isprintable() or line != line.rstrip() for line in lines):
        return None
    header = "|" if body != text else "|-"
    return "\n".join([header, *(" " * indent + line if line else "" for line in lines)])
