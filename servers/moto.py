"""AWS on this machine: a moto server in this process."""

import threading
from types import TracebackType
from typing import Any, Self

from moto import backends
from moto.core.common_types import TYPE_RESPONSE
from moto.moto_api._internal.models import moto_api_backend
from moto.s3.responses import S3Response
from moto.s3.utils import _VersionedKeyStore
from moto.server import ThreadedMotoServer

from tribal_demo.server.permission import check_permission

_MODULES = frozenset(backends.list_of_moto_modules())
_asked_for_object = S3Response._key_response
_set_versions = _VersionedKeyStore.setlist
_object = threading.Lock()


def one_object_at_a_time(response: S3Response, request: Any, url: str) -> TYPE_RESPONSE:
    """Serialize requests for an object: otherwise two writers could both pass moto's check of `If-Match`."""
    with _object:
        return _asked_for_object(response, request, url)


def set_versions(store: _VersionedKeyStore, key: Any, versions: Any) -> None:
    """Skip moto's search of all versions of an object when no version is removed."""
    if isinstance(versions, list) and versions[:-1] == (store.getlist(key) or []):
        dict.__setitem__(store, key, versions)
    else:
        _set_versions(store, key, versions)


class MotoServer:
    """An empty AWS account. Servers in one process share their state, so use one at a time."""

    def __init__(self, server: ThreadedMotoServer, host: str) -> None:
        self._server = server
        self._host = host

    @classmethod
    def start(cls, host: str = "127.0.0.1") -> Self:
        """Starts a server on a free port.

        Args:
            host: Host name that clients use; the AWS CDK accepts only `localhost`.

        Raises:
            ServersForbidden: No server may be started.
        """
        check_permission("moto")
        # Moto lists its own folder again at each request, which takes a third of its time.
        backends.list_of_moto_modules = lambda: _MODULES
        S3Response._key_response = one_object_at_a_time  # type: ignore[method-assign, assignment]
        _VersionedKeyStore.setlist = set_versions  # type: ignore[method-assign, assignment]
        server = ThreadedMotoServer(host, 0, verbose=False)
        server.start()
        # Otherwise the state of an earlier server in this process would still be there.
        moto_api_backend.reset()
        return cls(server, host)

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return int(self._server.get_host_and_port()[1])

    @property
    def address(self) -> str:
        """The endpoint for all services."""
        return f"http://{self._host}:{self.port}"

    @property
    def application(self) -> Any:
        """The WSGI application that answers; it can be wrapped."""
        assert self._server._server is not None
        return self._server._server.app

    @application.setter
    def application(self, application: Any) -> None:
        assert self._server._server is not None
        self._server._server.app = application

    def stop(self) -> None:
        """Stops listening."""
        self._server.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
