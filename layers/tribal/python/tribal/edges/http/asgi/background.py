"""Work that nobody waits for, beside requests: it gives way to them.

A thread that computes keeps the interpreter for `sys.getswitchinterval()` while others wait for it, and each request
gives it up dozens of times.
"""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress

SWITCH_SECONDS = 0.0005
"""How long a thread keeps the interpreter while others wait. Measured by `python -m bench.serving`."""
_LEAST_URGENT = 19


def be_responsive() -> None:
    """Have threads of this process wait for each other only shortly."""
    sys.setswitchinterval(SWITCH_SECONDS)


def lower_priority() -> None:
    """Make this thread the least urgent one."""
    # Only Linux has priorities of threads.
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _LEAST_URGENT)
