"""What a decision or a policy demands, in a form that can be checked. Source: docs/contracts.md, Knowledge.

The memory specification names `Constraint` and shows three of its fields; the others are extensions.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self, get_args

from pydantic import Field, StringConstraints, model_validator

from tribal_contracts.core.camel import ClosedCamelContract
from tribal_contracts.core.shape import Unset, optional

Operator = Literal["must_use", "must_not_use", "must_match", "must_not_match", "must_exist", "must_not_exist"]
Target = Literal["file", "code", "dependency", "import", "config", "table", "column"]
Severity = Literal["info", "warn", "block"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
"""From the lightest to the gravest."""
Unreadable = Literal["block", "warn"]
"""What a file that a blocking constraint needs and that cannot be read does: blocks, or only warns."""
MAX_PATTERN_CHARS = 1_000
MAX_MESSAGE_CHARS = 500

_USED: tuple[Target, ...] = ("dependency", "import", "table", "column", "code")
_MATCHED: tuple[Target, ...] = ("code", "config", "dependency", "import", "table", "column")
_EXISTING: tuple[Target, ...] = ("file", "config")
TARGETS: dict[Operator, tuple[Target, ...]] = {
    "must_use": _USED,
    "must_not_use": _USED,
    "must_match": _MATCHED,
    "must_not_match": _MATCHED,
    "must_exist": _EXISTING,
    "must_not_exist": _EXISTING,
}
"""What each operator may be asked of."""

_Glob = Annotated[str, StringConstraints(min_length=1, max_length=MAX_PATTERN_CHARS)]


class Constraint(ClosedCamelContract):
    """One demand. A pattern is a glob for files and for what must or must not exist, else a regular expression."""

    operator: Operator
    target: Target
    pattern: Annotated[str, StringConstraints(min_length=1, max_length=MAX_PATTERN_CHARS)] = Field(
        description="Glob for must_exist and must_not_exist, else a regular expression in the syntax of RE2"
    )
    applies_to: _Glob | Unset = optional()
    """Glob of the files that it is about; every file when unset."""
    severity: Severity | Unset = optional()
    """How grave a violation is; the item's severity when unset."""
    message: Annotated[str, StringConstraints(min_length=1, max_length=MAX_MESSAGE_CHARS)] | Unset = optional()
    """The message of a violation."""

    @model_validator(mode="after")
    def _can_be_asked(self) -> Self:
        allowed = TARGETS[self.operator]
        if self.target not in allowed:
            raise ValueError(f"{self.operator} cannot be asked of {self.target}, only of {', '.join(allowed)}")
        return self
