"""Calls to a language model: budget, concurrency and retries."""

from __future__ import annotations

from tribal.describing.model.calls.budget import Budget
from tribal.describing.model.calls.budget_file import read_spending
from tribal.describing.model.calls.capped_model import CappedModel
from tribal.describing.model.calls.timing import Timing

__all__ = ["Budget", "CappedModel", "Timing", "read_spending"]
