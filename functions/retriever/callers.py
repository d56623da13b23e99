"""What a caller may see, as the authorizer of the API told it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from functions.contexts import DATABASES
from tribal.catalog.scope import EVERYTHING, Scope


def scope_of(authorizer: Mapping[str, Any] | None) -> Scope:
    """The scope of a request; a caller whom IAM let in may see everything."""
    named = None if authorizer is None else authorizer.get(DATABASES)
    if named is None:
        return EVERYTHING
    return Scope(databases=frozenset(name for name in str(named).split(",") if name))
