"""A git repository over https, for who has its token."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from wsgiref.simple_server import WSGIServer, make_server

from dulwich import porcelain
from dulwich.repo import Repo
from dulwich.server import DictBackend
from dulwich.web import WSGIRequestHandlerLogger, make_wsgi_chain

from servers.tls import tls_context
from tests.serving import serve_aside

TOKEN = "a token of git"
_PATH = "/acme/decisions.git"
_AUTHOR = b"Ada <ada@example.com>"


class _Quiet(WSGIRequestHandlerLogger):
    def log_message(self, format: str, *arguments: Any) -> None:
        """Say nothing."""


class GitServer:
    """Serves one repository on `localhost`.

    Args:
        folder: where its files are.
        certificate: for `localhost`, with its key beside it.
    """

    def __init__(self, folder: Path, certificate: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True)
        self._repository: Repo = porcelain.init(str(folder))
        self._chain = make_wsgi_chain(DictBackend(dict[str, Any]({_PATH: self._repository})))
        self._server = make_server("127.0.0.1", 0, self._answer, WSGIServer, _Quiet)
        self._server.socket = tls_context(certificate).wrap_socket(self._server.socket, server_side=True)
        self.address = f"https://localhost:{self._server.server_port}{_PATH}"
        serve_aside(self._server)

    def commit(self, files: Mapping[str, str], message: str) -> None:
        """Write files and commit them."""
        for name, text in files.items():
            (self._folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self._folder / name).write_text(text, encoding="utf-8")
        porcelain.add(self._repository, [str(self._folder / name) for name in files])
        porcelain.commit(self._repository, message=message.encode(), author=_AUTHOR, committer=_AUTHOR)

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
        self._repository.close()

    def _answer(self, environ: dict[str, Any], start: Any) -> Iterable[bytes]:
        sent = environ.get("HTTP_AUTHORIZATION", "").partition(" ")[2]
        if base64.b64decode(sent).decode().partition(":")[2] != TOKEN:
            start("401 Unauthorized", [("WWW-Authenticate", "Basic"), ("Content-Type", "text/plain")])
            return [b"no"]
        answer: Iterable[bytes] = self._chain(environ, start)
        return answer
