"""What a model wrote about a subject."""

from __future__ import annotations

from dataclasses import dataclass, field

from tribal.ports import ModelFailure
from tribal_contracts import DroppedSentence, KeptSlice, ModelUsage


@dataclass(slots=True)
class Written:
    """What a model wrote about one subject, or why it did not; usage is there either way."""

    title: str = ""
    text: str = ""
    columns: dict[str, str] = field(default_factory=dict)
    dropped: list[DroppedSentence] = field(default_factory=list)
    from_samples: bool = False
    usage: ModelUsage = field(default_factory=ModelUsage)
    paid_before: ModelUsage = field(default_factory=ModelUsage)
    """What the slices have cost that were there already."""
    failure: ModelFailure | None = None

    def take(self, part: KeptSlice, title: str = "") -> None:
        """Add what one answer says."""
        self.title = title or self.title
        self.text = part.text or self.text
        self.columns.update(part.columns)
        self.dropped.extend(part.dropped)
        self.from_samples = self.from_samples or part.from_samples
