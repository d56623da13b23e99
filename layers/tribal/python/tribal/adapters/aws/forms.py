"""Forms with a file, as browsers send them.

Source: https://www.rfc-editor.org/rfc/rfc7578
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

_CHUNK_BYTES = 1 << 16
_ESCAPES = str.maketrans({'"': "%22", "\r": "%0D", "\n": "%0A"})


@dataclass(frozen=True, slots=True)
class Form:
    """Fields, and a file last, as stores require."""

    fields: Mapping[str, str]
    file: Path
    _boundary: str = field(default_factory=lambda: secrets.token_hex(16))

    @property
    def content_type(self) -> str:
        """The type of its body."""
        return f"multipart/form-data; boundary={self._boundary}"

    @property
    def size_bytes(self) -> int:
        """The size of its body."""
        return len(self._head) + self.file.stat().st_size + len(self._tail)

    def pieces(self) -> Iterator[bytes]:
        """Its body, piece by piece.

        Raises:
            OSError: when the file cannot be read.
        """
        yield self._head
        with self.file.open("rb") as opened:
            while piece := opened.read(_CHUNK_BYTES):
                yield piece
        yield self._tail

    @property
    def _head(self) -> bytes:
        texts = [self._part(name) + f"\r\n\r\n{value}\r\n" for name, value in self.fields.items()]
        filename = self.file.name.translate(_ESCAPES)
        kind = "Content-Type: application/octet-stream"
        return "".join([*texts, f'{self._part("file")}; filename="{filename}"\r\n{kind}\r\n\r\n']).encode(
            "utf-8", "surrogateescape"
        )

    @property
    def _tail(self) -> bytes:
        return f"\r\n--{self._boundary}--\r\n".encode()

    def _part(self, name: str) -> str:
        return f'--{self._boundary}\r\nContent-Disposition: form-data; name="{name.translate(_ESCAPES)}"'
