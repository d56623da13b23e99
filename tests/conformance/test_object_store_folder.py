"""The folder store keeps the port's contract, and survives what happens to folders."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.conformance.object_store import *  # noqa: F403
from tribal.adapters.local.folder import FolderLock, FolderStore
from tribal.errors import ObjectDamaged, ObjectNotFound, StoreUnwritable

_POSIX = pytest.mark.skipif(os.name == "nt", reason="signals and limits of POSIX")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def store(root: Path) -> FolderStore:
    return FolderStore(root)


def _python(code: str, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.PIPE,
        text=True,
    )


def _files(root: Path) -> list[str]:
    return sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())


def test_an_object_is_a_plain_file_and_nothing_else_is_left_behind(store: FolderStore, root: Path) -> None:
    store.put("docs/shop/orders.md", b"# Orders\n")
    assert _files(root) == ["docs/shop/orders.md"]
    assert (root / "docs/shop/orders.md").read_bytes() == b"# Orders\n"


def test_git_ignores_private_folders_unless_a_person_decided_otherwise(store: FolderStore, root: Path) -> None:
    (root / "audit").mkdir(parents=True)
    (root / "audit/.gitignore").write_text("!*\n")
    for key in ("sessions/a.json", "sessions/deep/b.json", "audit/2026.jsonl", "docs/sessions/a.json", "sessions.json"):
        store.put(key, b"")
    ignoring = {path: (root / path).read_text() for path in _files(root) if path.endswith(".gitignore")}
    assert ignoring == {"sessions/.gitignore": "*\n", "audit/.gitignore": "!*\n"}
    assert list(store.keys("sessions/")) == ["sessions/a.json", "sessions/deep/b.json"]


def test_deleting_the_last_object_of_a_folder_removes_the_folder_but_never_the_store(
    store: FolderStore, root: Path
) -> None:
    store.put("docs/shop/orders.md", b"")
    store.put("docs/README.md", b"")
    store.delete("docs/shop/orders.md")
    assert not (root / "docs/shop").exists()
    store.delete("docs/README.md")
    assert root.is_dir()
    assert list(store.keys()) == []


_WRITE_FOR_EVER = """
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tribal.adapters.local.folder import FolderStore
store = FolderStore(Path(sys.argv[1]))
versions = [bytes([65 + n]) * 2_000_000 for n in range(2)]
for turn in range(1_000_000):
    store.put("docs/a.json", versions[turn % 2])
    if turn == 1:
        print("writing", flush=True)
"""


@_POSIX
@pytest.mark.parametrize("wait_for", [1, 2, 3])
def test_a_writer_killed_at_any_moment_leaves_the_old_bytes_or_the_new(
    store: FolderStore, root: Path, wait_for: int
) -> None:
    writer = _python(_WRITE_FOR_EVER, root)
    assert writer.stdout is not None
    assert writer.stdout.readline() == "writing\n"
    # Killed when a temporary file shows, the writer is in the middle of a put.
    for _ in range(wait_for):
        while not list((root / "docs").glob(".tmp-*")):
            assert writer.poll() is None
    writer.send_signal(signal.SIGKILL)
    writer.communicate()
    data = store.get("docs/a.json").data
    assert len(data) == 2_000_000
    assert len(set(data)) == 1
    assert list(store.keys()) == ["docs/a.json"]
    left_over = list((root / "docs").glob(".tmp-*"))
    assert store.sweep() == len(left_over)
    assert _files(root) == ["docs/a.json"]


def test_sweeping_leaves_the_files_of_living_processes_alone(store: FolderStore, root: Path) -> None:
    store.put("docs/a", b"")
    sleeper = _python("input()")
    living = root / "docs" / f".tmp-{sleeper.pid}-1"
    own_left_over = root / "docs" / f".tmp-{os.getpid()}-1"
    living.write_bytes(b"half")
    own_left_over.write_bytes(b"half")
    assert store.sweep() == 1
    assert living.exists()
    assert not own_left_over.exists()
    sleeper.communicate("\n")
    assert store.sweep() == (0 if os.name == "nt" else 1)


_COUNT = """
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tribal.adapters.local.folder import FolderStore
from tribal.errors import PreconditionFailed
store = FolderStore(Path(sys.argv[1]))
print("ready", flush=True)
input()
for _ in range(25):
    while True:
        present = store.get("counter")
        try:
            store.put("counter", str(int(present.data) + 1).encode(), if_match=present.etag)
        except PreconditionFailed:
            continue
        break
"""


def test_two_processes_that_count_together_lose_no_count(store: FolderStore, root: Path) -> None:
    store.put("counter", b"0")
    counters = [_python(_COUNT, root) for _ in range(2)]
    for counter in counters:
        assert counter.stdout is not None
        assert counter.stdout.readline() == "ready\n"
    for counter in counters:
        assert counter.stdin is not None
        counter.stdin.write("\n")
        counter.stdin.flush()
    assert [counter.communicate()[1] for counter in counters] == ["", ""]
    assert store.get("counter").data == b"50"


def test_a_file_edited_by_hand_is_noticed_even_with_its_size_and_time_kept(store: FolderStore, root: Path) -> None:
    store.put("docs/a.md", b"old!")
    path = root / "docs/a.md"
    os.utime(path, ns=(0, 1_000_000_000_000_000_001))
    before = store.head("docs/a.md")
    with path.open("r+b") as file:
        file.write(b"new!")
    os.utime(path, ns=(0, 1_000_000_000_000_000_001))
    after = store.head("docs/a.md")
    assert before is not None
    assert after is not None
    assert before.content_hash != after.content_hash
    assert after.etag == store.get("docs/a.md").etag


def test_a_quick_edit_right_after_a_look_is_noticed(store: FolderStore, root: Path) -> None:
    path = root / "a"
    for turn in range(50):
        data = b"%02d" % turn
        if turn % 2:
            path.write_bytes(data)
        else:
            store.put("a", data)
        head = store.head("a")
        assert head is not None
        assert head.etag == store.get("a").etag, turn


def test_a_file_where_a_folder_should_be_is_named(store: FolderStore, root: Path) -> None:
    store.put("docs", b"I am a file")
    with pytest.raises(StoreUnwritable, match=r"docs/a\.json.*a file is where a folder should be"):
        store.put("docs/a.json", b"")
    store.put("catalog/a", b"")
    with pytest.raises(StoreUnwritable, match=r"catalog.*a folder is where a file should be"):
        store.put("catalog", b"")
    assert list(store.keys()) == ["catalog/a", "docs"]


def test_a_name_that_is_too_long_is_unwritable_and_simply_not_there(store: FolderStore) -> None:
    key = "docs/" + "n" * 300
    with pytest.raises(StoreUnwritable, match="shorter path"):
        store.put(key, b"")
    assert store.head(key) is None
    assert list(store.keys()) == []


@_POSIX
def test_a_symbolic_link_is_never_written_through(store: FolderStore, root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a").write_bytes(b"mine")
    store.put("docs/keep", b"")
    (root / "docs/link").symlink_to(outside)
    (root / "docs/file").symlink_to(outside / "a")
    for key in ("docs/link/b", "docs/link/deep/b", "docs/file"):
        with pytest.raises(StoreUnwritable, match="symbolic link"):
            store.put(key, b"theirs")
        with pytest.raises(StoreUnwritable, match="symbolic link"):
            store.delete(key)
    assert _files(outside) == ["a"]
    assert (outside / "a").read_bytes() == b"mine"


_PUT_AS_NOBODY = """
import os, sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tribal.adapters.local.folder import FolderLock, FolderStore
from tribal.errors import ObjectDamaged, ObjectNotFound, StoreUnwritable
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
store = FolderStore(Path(sys.argv[1]))
lock = FolderLock(Path(sys.argv[1]))
for write in (lambda: store.put("docs/a", b"new"), lambda: store.delete("docs/a"), lock.try_acquire):
    try:
        write()
    except StoreUnwritable as exc:
        print(exc.message)
print(store.get("docs/a").data)
"""


@_POSIX
def test_a_folder_without_permission_says_so_and_what_to_do() -> None:
    # Another account could not even enter the folders of pytest.
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        FolderStore(root).put("docs/a", b"old")
        for folder in (root / "docs", root):
            folder.chmod(0o555)
        answer, error = _python(_PUT_AS_NOBODY, root).communicate()
        for folder in (root, root / "docs"):
            folder.chmod(0o755)
    *messages, read = answer.splitlines()
    assert error == ""
    assert read == "b'old'"
    assert len(messages) == 3
    for message in messages:
        assert str(root) in message
        assert "ermission denied; give this user the right to write there" in message


_PUT_TOO_MUCH = """
import resource, signal, sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tribal.adapters.local.folder import FolderStore
from tribal.errors import ObjectDamaged, ObjectNotFound, StoreUnwritable
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))
store = FolderStore(Path(sys.argv[1]))
for write in (lambda: store.put("a", b"x" * 2_000_000), lambda: store.put_lines("a", [b"x" * 1000] * 2_000)):
    try:
        write()
    except StoreUnwritable as exc:
        print(exc.message)
"""


@_POSIX
def test_a_write_that_fails_in_the_middle_leaves_the_old_bytes_and_no_temporary_file(
    store: FolderStore, root: Path
) -> None:
    store.put("a", b"old")
    answer, error = _python(_PUT_TOO_MUCH, root).communicate()
    assert error == ""
    assert answer.count("run again") == 2
    assert store.get("a").data == b"old"
    assert _files(root) == ["a"]


def test_only_one_lock_of_a_folder_is_held_at_a_time(root: Path) -> None:
    first, second = FolderLock(root), FolderLock(root)
    assert first.try_acquire()
    assert not second.try_acquire()
    first.release()
    first.release()
    assert second.try_acquire()
    second.release()


_HOLD = """
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tribal.adapters.local.folder import FolderLock
lock = FolderLock(Path(sys.argv[1]))
print(lock.try_acquire(), flush=True)
input()
"""


def test_the_lock_of_a_killed_process_is_free_at_once(root: Path) -> None:
    lock = FolderLock(root)
    holder = _python(_HOLD, root)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "True\n"
    assert not lock.try_acquire()
    holder.kill()
    holder.communicate()
    assert lock.try_acquire()
    lock.release()


def test_an_empty_folder_in_the_place_of_a_file_is_replaced_and_one_with_files_does_not(
    store: FolderStore, root: Path
) -> None:
    (root / "progress/lease.json").mkdir(parents=True)
    with pytest.raises(ObjectNotFound) as raised:
        store.get("progress/lease.json")
    assert raised.value.blocked
    store.put("progress/lease.json", b"one", if_absent=True)
    assert store.get("progress/lease.json").data == b"one"
    store.put("docs/README.md/note.txt", b"a person's")
    with pytest.raises(StoreUnwritable, match=r"README.md'.*a folder is where a file should be; move it away"):
        store.put("docs/README.md", b"")
    assert store.get("docs/README.md/note.txt").data == b"a person's"


def test_a_link_to_itself_is_damage_and_no_traceback(store: FolderStore, root: Path) -> None:
    store.put("docs/README.md", b"")
    (root / "docs/loop.json").symlink_to("loop.json")
    with pytest.raises(ObjectDamaged, match=r"cannot read .*loop.json"):
        store.get("docs/loop.json")
    with pytest.raises(ObjectDamaged):
        store.head("docs/loop.json")
    assert list(store.keys()) == ["docs/README.md"]
    with pytest.raises(StoreUnwritable, match="is a symbolic link"):
        store.put("docs/loop.json", b"")


def test_the_store_tells_when_an_object_was_written(store: FolderStore) -> None:
    before = datetime.now(UTC) - timedelta(seconds=3)
    store.put("progress/lease.json", b"")
    written = store.get("progress/lease.json").modified_at
    assert written is not None
    assert before < written < datetime.now(UTC) + timedelta(seconds=3)
