"""Knowledge in a remote git repository, fetched into a bare copy and read from its objects."""

from __future__ import annotations

import shutil
import threading
import zlib
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import urllib3
from dulwich.client import (
    GitClient,
    HTTPProxyUnauthorized,
    HTTPUnauthorized,
    SSHGitClient,
    Urllib3HttpGitClient,
    default_urllib3_manager,
    get_transport_and_path,
)
from dulwich.errors import ChecksumMismatch, GitProtocolError, HangupException, NotGitRepository, ObjectFormatException
from dulwich.objects import ObjectID
from dulwich.repo import Repo

from tribal.adapters.git.knowledge import GitKnowledge
from tribal.adapters.git.packs import PackTooLarge, check_pack
from tribal.errors import SourceFailed
from tribal.ports.remembering.knowledge_source import SourceEntry, SourceTree
from tribal_contracts.knowledge import HistoryEntry

if TYPE_CHECKING:
    from pydantic import SecretStr

MOST_FETCHED_BYTES = 256 << 20
"""Of one fetch. By judgement: a thousand decisions with ten years of history have a few megabytes."""
MOST_OBJECT_BYTES = 64 << 20
MOST_INFLATED_BYTES = 1 << 30
_MOST_PACKS = 50
"""Each fetch with changes adds one; a copy with more is discarded, so that it stays fast."""
_SOCKET_SECONDS = 10.0
_HEAD = "tribal-head"
_USER = "git"
"""User name sent with a token; hosts only check the token."""
_DAMAGE = (KeyError, ValueError, AssertionError, zlib.error, ChecksumMismatch, ObjectFormatException, NotGitRepository)


class RemoteGitKnowledge:
    """A `KnowledgeSource` over a copy of a repository, which is brought up to date for each tree.

    Args:
        url: of https or ssh.
        branch: the branch or tag; what the repository's HEAD names when unset.
        mirror: where the copy is; thrown away when it is damaged.
        token: gives what is sent as the password over https.
        seconds: the longest that fetching may take.
    """

    def __init__(
        self, url: str, branch: str | None, mirror: Path, token: Callable[[], SecretStr | None], seconds: float
    ) -> None:
        self._url = url
        self._branch = branch
        self._mirror = mirror
        self._token = token
        self._seconds = seconds
        self._copy: GitKnowledge | None = None

    @property
    def location(self) -> str:
        """The URL and the branch."""
        return f"{self._url}@{self._branch}" if self._branch else self._url

    def close(self) -> None:
        """Close the copy."""
        if self._copy is not None:
            self._copy.close()
            self._copy = None

    def tree(self) -> SourceTree:
        """The files of the newest commit, which is fetched first."""
        try:
            return self._fetched_tree()
        except _DAMAGE:
            # An incomplete or damaged copy can be fetched again.
            self.close()
            shutil.rmtree(self._mirror, ignore_errors=True)
        try:
            return self._fetched_tree()
        except _DAMAGE as error:
            raise SourceFailed(f"cannot read {self.location!r}: {type(error).__name__}") from error

    def read(self, entry: SourceEntry) -> bytes:
        """The bytes of a file of the tree."""
        return self._of_tree().read(entry)

    def history(self, paths: Collection[str]) -> Mapping[str, Sequence[HistoryEntry]]:
        """The commits that changed each file, by one walk over the newest commits."""
        return self._of_tree().history(paths)

    def _of_tree(self) -> GitKnowledge:
        if self._copy is None:
            self.tree()
        assert self._copy is not None
        return self._copy

    def _fetched_tree(self) -> SourceTree:
        self.close()
        head = self._fetch()
        self._copy = GitKnowledge(self._mirror, self._branch, head=head, location=self.location)
        return self._copy.tree()

    def _fetch(self) -> ObjectID:
        with self._repository() as repository:
            fetching = _Fetching(repository, self._branch, self.location)
            client = self._client()
            try:
                _within(self._seconds, lambda: fetching.run(*client), fetching, self.location)
            except NotGitRepository as error:
                raise SourceFailed(
                    f"there is no git repository at {self.location!r}, or none for this token"
                ) from error
            except OSError as error:
                why = error.strerror or type(error).__name__
                raise SourceFailed(f"{self.location!r} did not answer: {why}") from error
            except (GitProtocolError, HTTPUnauthorized, HTTPProxyUnauthorized) as error:
                raise SourceFailed(_fetch_error(error, self.location)) from error
            head = fetching.require_head()
            written = self._mirror / f"{_HEAD}.new"
            written.write_bytes(head)
            written.replace(self._mirror / _HEAD)
            return head

    def _repository(self) -> Repo:
        if self._mirror.exists() and len(list(self._mirror.glob("objects/pack/*.pack"))) > _MOST_PACKS:
            shutil.rmtree(self._mirror, ignore_errors=True)
        if (self._mirror / "HEAD").exists():
            return Repo(str(self._mirror), bare=True)
        shutil.rmtree(self._mirror, ignore_errors=True)
        try:
            self._mirror.mkdir(parents=True)
        except OSError as error:
            raise SourceFailed(f"{str(self._mirror)!r} cannot be written: {error.strerror}") from error
        return Repo.init_bare(str(self._mirror))

    def _client(self) -> tuple[GitClient, str]:
        if self._url.startswith(("https://", "http://")):
            token = self._token()
            return _HttpClient(self._url, None if token is None else token.get_secret_value()), ""
        found, path = get_transport_and_path(self._url)
        if not isinstance(found, SSHGitClient):
            raise SourceFailed(f"{self.location!r} is not an ssh address of a repository")
        # No one can answer a prompt.
        found.ssh_command = f"{found.ssh_command or 'ssh'} -oBatchMode=yes"
        return found, str(path)


class _HttpClient(Urllib3HttpGitClient):
    """Follows no redirects, so that the token is not sent elsewhere, and has a socket timeout."""

    def __init__(self, url: str, token: str | None) -> None:
        manager: Any = default_urllib3_manager(None, base_url=url, timeout=_SOCKET_SECONDS)
        manager.connection_pool_kw["retries"] = urllib3.Retry(total=0, raise_on_redirect=False, raise_on_status=False)
        super().__init__(
            url,
            pool_manager=manager,
            timeout=_SOCKET_SECONDS,
            username=None if token is None else _USER,
            password=token,
            quiet=True,
        )


class _Fetching:
    """One fetch: what is wanted, and what has come.

    Args:
        repository: the copy.
        branch: the branch or tag.
        location: for messages.
    """

    def __init__(self, repository: Repo, branch: str | None, location: str) -> None:
        self._repository = repository
        self._branch = branch
        self._location = location
        self._head: ObjectID | None = None
        self._size = 0
        self.is_over = threading.Event()

    def require_head(self) -> ObjectID:
        """The requested commit or tag.

        Raises:
            SourceFailed: when it does not exist.
        """
        if self._head is None:
            missing = "any commit" if self._branch is None else f"the branch {self._branch!r}"
            raise SourceFailed(f"{self._location!r} does not have {missing}")
        return self._head

    def run(self, client: GitClient, path: str) -> None:
        """Fetch what is new."""
        store = self._repository.object_store
        file, commit, abort = store.add_pack()
        try:
            client.fetch_pack(
                path,
                self._wants,
                self._repository.get_graph_walker(heads=self._known()),
                lambda data: self._write(file, data),
            )
            file.flush()
            if self._size:
                try:
                    check_pack(file.fileno(), MOST_OBJECT_BYTES, MOST_INFLATED_BYTES)
                except PackTooLarge as error:
                    raise SourceFailed(
                        f"{self._location!r} is too large: {error}; move the items to their own repository"
                    ) from error
                self._check_time()
                commit()
            else:
                abort()
        except BaseException:
            abort()
            raise

    def _wants(self, refs: Mapping[Any, ObjectID], depth: int | None = None) -> list[ObjectID]:  # noqa: ARG002 - dulwich's
        named = ["HEAD"] if self._branch is None else [f"refs/{kind}/{self._branch}" for kind in ("heads", "tags")]
        names = [name.encode() for name in named]
        self._head = next((refs[name] for name in names if name in refs), None)
        missing = self._head is not None and self._head not in self._repository.object_store
        return [self._head] if missing and self._head is not None else []

    def _known(self) -> list[ObjectID]:
        try:
            last = ObjectID((Path(self._repository.path) / _HEAD).read_bytes())
        except OSError:
            return []
        return [last] if last in self._repository.object_store else []

    def _write(self, file: Any, data: bytes) -> int:
        self._check_time()
        self._size += len(data)
        if self._size > MOST_FETCHED_BYTES:
            raise SourceFailed(
                f"{self._location!r} is too large: more than {MOST_FETCHED_BYTES:,} bytes arrived; move the items to"
                " their own repository"
            )
        return int(file.write(data))

    def _check_time(self) -> None:
        if self.is_over.is_set():
            raise SourceFailed(f"fetching {self._location!r} took too long")


def _within(seconds: float, work: Callable[[], None], fetching: _Fetching, location: str) -> None:
    """Run something in its own thread, which is abandoned when the time is up."""
    failed: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - raised again by who waits
            failed.append(error)

    thread = threading.Thread(target=run, name="fetching knowledge", daemon=True)
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        fetching.is_over.set()
        raise SourceFailed(f"fetching {location!r} takes longer than {seconds:,.0f} seconds")
    if failed:
        raise failed[0]


def _fetch_error(error: Exception, location: str) -> str:
    if isinstance(error, HTTPUnauthorized):
        return f"{location!r} requires a valid token; knowledge.token_secret names the secret with it"
    if isinstance(error, HangupException):
        # The last line is the reason given by ssh.
        said = " ".join(line.decode("utf-8", "replace").strip() for line in (error.stderr_lines or [])[-2:])
        return f"{location!r} hung up{f': {said}' if said else ''}"
    said = str(error)
    if "unexpected http resp 3" in said:
        return f"{location!r} has moved, and redirects are not followed; write its new address"
    if "unexpected http resp" in said:
        return f"{location!r} answers with {said.split('resp ')[1][:3]}"
    return f"{location!r} did not answer as a git repository: {type(error).__name__}"
