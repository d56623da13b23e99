"""Tries again what a server gave up for a reason that passes, a bounded number of times."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from tribal.adapters.postgres.errors import CONFLICTS, sqlstate
from tribal.errors import ConnectionLost, DatabaseError

Result = TypeVar("Result")
Pause = Callable[[float], None]

RETRY_DELAYS_SECONDS = (0.2, 0.5, 1.0, 2.0)
"""Waited before the second attempt and each further one; after the last of them the error stands."""

# A restart or a failover, a server that is starting or has no slot free.
_PASSING = frozenset({*CONFLICTS, "57P01", "57P02", "57P03", "53300"})


def with_retries(attempt: Callable[[], Result], pause: Pause = time.sleep) -> Result:
    """Call `attempt`, and again after a growing pause while the server says that the obstacle will pass.

    An attempt is a whole transaction, so that a new one sees one state of the database again.
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
    # Cut, not silent: who waited once for an answer that did not come has waited long enough. One without a cause is
    # our own word that the reader is closed.
    cause = error.__cause__
    return isinstance(error, ConnectionLost) and cause is not None and not isinstance(cause, TimeoutError)
