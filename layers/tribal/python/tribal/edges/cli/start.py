"""The entry point of the console script.

Loading the commands takes a few tenths of a second. Until they are loaded, Ctrl-C ends the process silently: an
interrupt in the middle of an import would print a traceback of other packages. `tribal --version` loads nothing.
"""

from __future__ import annotations

import gc
import os
import signal
import sys

from tribal.edges.cli.version import print_version

INTERRUPTED = 130
"""Same as `tribal.errors.EXIT_INTERRUPTED`, whose module is not loaded yet."""
_COLLECTION_THRESHOLD = 50_000
"""Planning 5,000 tables takes 25 % less CPU time than with Python's default of 700, and no more memory."""


def main() -> None:
    """Print the version, or load the command line and run it."""
    # A name that the terminal's encoding lacks must not fail a command.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    if sys.argv[1:] == ["--version"]:
        print_version()
        return
    gc.set_threshold(_COLLECTION_THRESHOLD)
    # If the shell ignores the signal, keep ignoring it.
    is_handled = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if is_handled:
        signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
    from tribal.edges.cli.app import main as run

    if is_handled:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    run()
