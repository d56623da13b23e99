"""Fixtures: reads files as the product does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tribal.adapters.documents.parser import DocumentProcesses
from tribal.ports.passages import ParseLimits, ParsingFailed
from tribal_contracts.chat.collections import FileKind

LIMITS = ParseLimits(pages=50, seconds=60, memory_mb=1_000)
Read = Callable[..., list[str]]


@pytest.fixture(name="read")
def read_fixture(tmp_path: Path) -> Read:
    """Writes a file and reads its pages."""

    def read(kind: FileKind, data: bytes | str, first: int = 1, limits: ParseLimits = LIMITS) -> list[str]:
        file = tmp_path / "uploaded"
        file.write_bytes(data.encode() if isinstance(data, str) else data)
        return list(DocumentProcesses().pages(file, kind, limits, first))

    return read


@pytest.fixture(name="problem")
def problem_fixture(read: Read) -> Callable[..., tuple[str, str]]:
    """Reads a file that cannot be read; its problem and the message."""

    def problem(*given: object, **named: object) -> tuple[str, str]:
        with pytest.raises(ParsingFailed) as failed:
            read(*given, **named)
        return failed.value.problem, failed.value.message

    return problem
