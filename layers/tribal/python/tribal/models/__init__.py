"""Calls to a language model: budget, concurrency and retries."""

from __future__ import annotations

from tribal.models.budget import Budget, Spender
from tribal.models.budget_file import read_spending
from tribal.models.capped_model import CappedModel
from tribal.models.ledger import RUN, Caps
from tribal.models.timing import Timing

__all__ = ["RUN", "Budget", "CappedModel", "Caps", "Spender", "Timing", "read_spending"]
