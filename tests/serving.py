"""Small servers of the standard library in threads of the tests."""

from __future__ import annotations

import threading
from socketserver import BaseServer

_POLL_SECONDS = 0.02
"""How soon a server notices that it is shut down. By itself it takes up to half a second, for which a test waits."""


def serve_aside(server: BaseServer) -> None:
    """Serve in a thread until the server is shut down."""
    threading.Thread(target=server.serve_forever, args=(_POLL_SECONDS,), daemon=True).start()
