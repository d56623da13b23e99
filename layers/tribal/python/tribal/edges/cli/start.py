"""The entry point of the console script: until the commands are loaded, Ctrl-C ends the process without a word.

Loading takes a few tenths of a second, and an interrupt in the middle of an import is a traceback of other people's
modules, or an error in one of them.
"""

from __future__ import annotations

import gc
import os
import signal

INTERRUPTED = 130
"""As `tribal.errors.EXIT_INTERRUPTED`, whose module is not loaded yet."""
_OBJECTS_A_COLLECTION = 50_000
"""Planning 5,000 tables takes a quarter less processor time than with Python's 700, and no more memory."""


def main() -> None:
    """Load the command line and run it."""
    gc.set_threshold(_OBJECTS_A_COLLECTION)
    # Where the shell has it ignored, it stays ignored.
    heard = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if heard:
        signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
    from tribal.edges.cli.app import main as run

    if heard:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    run()
