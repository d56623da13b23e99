"""The audit log of memory writes on one machine: a file of JSON lines."""

from __future__ import annotations

import json
import logging
from dataclasses import asdict
from pathlib import Path

from tribal.ports.remembering.audit import MemoryWrite

_LOG = logging.getLogger(__name__)


def append_write(path: Path, write: MemoryWrite) -> None:
    """Append a line. If that fails, log a warning only: the memory itself is written."""
    line = json.dumps(asdict(write), ensure_ascii=False) + "\n"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab", buffering=0) as log:
            log.write(line.encode("utf-8", "replace"))
    except OSError as error:
        _LOG.warning("%s cannot be written: %s", path, error.strerror)
