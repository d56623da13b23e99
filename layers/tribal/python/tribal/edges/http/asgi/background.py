"""Lets requests take precedence over background work.

A computing thread holds the interpreter for `sys.getswitchinterval()` while others wait, and each request releases it
dozens of times.
"""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress

SWITCH_SECONDS = 0.0005
"""How long a thread holds the interpreter while others wait. Measured by `python -m bench.serving`."""
_LEAST_URGENT = 19


def be_responsive() -> None:
    """Shorten the time for which threads of this process wait for each other."""
    sys.setswitchinterval(SWITCH_SECONDS)


def lower_priority() -> None:
    """Give this thread the lowest priority."""
    # Only Linux has thread priorities.
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _LEAST_URGENT)
