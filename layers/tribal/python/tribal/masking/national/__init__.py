"""Find national numbers in texts by their form and check digits, or by the words next to them."""

from __future__ import annotations

from tribal.masking.national.announced import ANNOUNCED_NUMBERS
from tribal.masking.national.patterns import PATTERN_RULES

NATIONAL_RULES = (*ANNOUNCED_NUMBERS, *PATTERN_RULES)

__all__ = ["NATIONAL_RULES"]
