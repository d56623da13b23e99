"""Types for clients: tokens, timing, and GitHub's refusal to create something."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pydantic import SecretStr


class Tokens(Protocol):
    """Gives the token of each request."""

    @property
    def setting(self) -> str:
        """The setting that names the token, for messages."""
        ...

    def current(self) -> SecretStr | None:
        """The token; `None` for requests without one."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """How long calls may take, and how a client waits."""

    pause: Callable[[float], None] = time.sleep
    now: Callable[[], float] = time.time
    """Seconds since 1970."""
    call_seconds: float = 20.0
    download_seconds: float = 300.0
    remaining_seconds: Callable[[], float] = lambda: math.inf
    """Seconds until the caller's deadline."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """GitHub's refusal to create something, usually because it exists (409 and 422)."""

    status: int
    message: str
