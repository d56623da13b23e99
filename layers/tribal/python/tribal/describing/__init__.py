"""Write the descriptions of tables and domains."""

from __future__ import annotations

from tribal.describing.rules.describer import RULES_VERSION, RulesDescriber, RulesDescribers

__all__ = ["RULES_VERSION", "RulesDescriber", "RulesDescribers"]
