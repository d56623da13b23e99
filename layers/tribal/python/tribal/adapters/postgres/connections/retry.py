"""Retries transactions that the server ended for a transient reason, a limited number of times."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from tribal.adapters.postgres.connections.errors import CONFLICTS, sqlstate
from tribal.errors import ConnectionLost, DatabaseError

Result = TypeVar("Result")
Pause = Callable[[float], None]

RETRY_DELAYS_SECONDS = (0.2, 0.5, 1.0, 2.0)
"""Pauses before each retry; after the last one, the error is raised."""

# Restart or failover, a server that is starting up, or no free connection slots.
_PASSING = frozenset({*CONFLICTS, "57P01", "57P02", "57P03", "53300"})


def with_retries(attempt: Callable[[], Result], pause: Pause = time.sleep) -> Result:
    """Call `attempt`, and retry after growing pauses while the server reports a transient error.

    An attempt is a whole transaction, so that a retry sees a consistent state of the database.
    """
    for seconds in RETRY_DELAYS_SECONDS:
        try:
            return attempt()
        except DatabaseError as error:
            if not _will_pass(error):
                raise
        pause(seconds)
    return attempt()


def _will_pass(error: DatabaseError) -> bool:
    if code := sqlstate(error):
        return code in _PASSING
    # Retry broken connections, but not timeouts, which have waited long enough. Without a cause, the error is our own,
    # saying that the reader is closed.
    cause = error.__cause__
    return isinstance(error, ConnectionLost) and cause is not None and not isinstance(cause, TimeoutError)
