"""The end of what a command writes, as text."""

from __future__ import annotations

import re

from tribal.rendering.markdown import show_invisible

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


class OutputTail:
    """Keeps the last bytes of an output.

    Args:
        most_bytes: of its text.
    """

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._kept = bytearray()

    def add(self, data: bytes) -> None:
        """Add what was written next."""
        self._kept += data
        if len(self._kept) > 2 * self._most_bytes:
            del self._kept[: -self._most_bytes]

    def text(self) -> str:
        r"""Return the end as text, without colours; characters that are not drawn are written as `\u001B`."""
        written = bytes(self._kept[-self._most_bytes :]).decode(errors="replace").replace("\r\n", "\n")
        written = _COLOURS.sub("", written)
        shown = show_invisible(written, keep="\n\t").encode()
        return shown[-self._most_bytes :].decode(errors="ignore")
