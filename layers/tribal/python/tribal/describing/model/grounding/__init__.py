"""Check a model's answer: names only as handles, and no sentence about data that was not shown."""

from __future__ import annotations

from tribal.describing.model.grounding.answers import CheckedAnswer, read_answer, read_repair, repair_part
from tribal.describing.model.grounding.plain_names import KnownNames

__all__ = ["KnownNames", "CheckedAnswer", "read_answer", "read_repair", "repair_part"]
