"""Describers: they put tables and domains into words."""

from __future__ import annotations

from tribal.describing.rules.describer import RULES_VERSION, RulesDescriber, RulesDescribers

__all__ = ["RULES_VERSION", "RulesDescriber", "RulesDescribers"]
