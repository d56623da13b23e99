"""What is kept of a model's answer: names by handle alone, and no sentence that says what was not shown."""

from __future__ import annotations

from tribal.describing.model.grounding.answers import Fault, Reading, read_answer, read_repair, repair_part
from tribal.describing.model.grounding.known_names import KnownNames

__all__ = ["Fault", "KnownNames", "Reading", "read_answer", "read_repair", "repair_part"]
