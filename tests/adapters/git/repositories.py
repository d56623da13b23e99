"""Real git repositories, and servers of them over HTTP."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from dulwich.objects import Blob, Commit, ObjectID, Tree
from dulwich.repo import Repo
from dulwich.server import DictBackend
from dulwich.web import make_wsgi_chain

from tests.serving import serve_aside

Files = Mapping[str, bytes | tuple[int, bytes]]
"""Contents by path; with a mode where it is not that of a file."""
_FILE, _FOLDER = 0o100644, 0o040000
_AUTHOR = b"Ada <ada@example.com>"


def commit(repository: Repo, files: Files, message: str = "Change", branch: bytes = b"refs/heads/main") -> ObjectID:
    """Commit a whole tree to a branch."""
    store = repository.object_store
    made = Commit()
    made.tree = _tree(files, store.add_object)
    made.parents = [repository.refs[branch]] if branch in repository.refs else []  # type: ignore[index,operator]
    made.author = made.committer = _AUTHOR
    made.author_time = made.commit_time = 1_700_000_000 + len(made.parents) * 60
    made.author_timezone = made.commit_timezone = 0
    made.message = message.encode()
    store.add_object(made)
    repository.refs[branch] = made.id  # type: ignore[index]
    return made.id


def _tree(files: Files, add: Callable[[Any], None]) -> ObjectID:
    tree, folders = Tree(), {}  # type: ignore[var-annotated]
    for path, content in files.items():
        first, _, rest = path.partition("/")
        if rest:
            folders.setdefault(first, {})[rest] = content
            continue
        mode, data = content if isinstance(content, tuple) else (_FILE, content)
        if mode == 0o160000:
            tree.add(first.encode("utf-8", "surrogateescape"), mode, ObjectID(data))
            continue
        blob = Blob.from_string(data)
        add(blob)
        tree.add(first.encode("utf-8", "surrogateescape"), mode, blob.id)
    for name, below in folders.items():
        tree.add(name.encode(), _FOLDER, _tree(below, add))
    add(tree)
    return tree.id


def repository(folder: Path, files: Files) -> Repo:
    """A bare repository whose branch main has these files."""
    folder.mkdir(parents=True)
    made = Repo.init_bare(str(folder), default_branch=b"main")
    commit(made, files, "First")
    return made


class _Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *arguments: Any) -> None:
        pass


@contextmanager
def serving(application: Any) -> Iterator[str]:
    """Serve a WSGI application; yields its address."""
    with make_server("127.0.0.1", 0, application, WSGIServer, _Quiet) as server:
        serve_aside(server)
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def git_application(repositories: Mapping[str, Repo], password: str | None = None) -> Any:
    """Git over HTTP; with a password only for who sends it."""
    chain = make_wsgi_chain(DictBackend(dict[str, Any](repositories)))
    wanted = None if password is None else b"Basic " + base64.b64encode(f"git:{password}".encode())

    def application(environ: dict[str, Any], start: Any) -> Iterable[bytes]:
        if wanted is not None and environ.get("HTTP_AUTHORIZATION", "").encode() != wanted:
            start("401 Unauthorized", [("WWW-Authenticate", "Basic"), ("Content-Type", "text/plain")])
            return [b"no"]
        answer: Iterable[bytes] = chain(environ, start)
        return answer

    return application
