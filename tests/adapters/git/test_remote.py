"""A repository behind a URL is fetched within its limits, and read at one commit."""

from __future__ import annotations

import os
import shutil
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from tests.adapters.git.repositories import commit, git_application, repository, serving
from tests.waiting import LONGEST_SECONDS
from tribal.adapters.git import remote
from tribal.adapters.git.knowledge import GitKnowledge
from tribal.adapters.local.knowledge import KnowledgeFolder
from tribal.app.knowledge import knowledge_source
from tribal.errors import ConfigurationError, ItemUnusable, SourceFailed
from tribal.ports.remembering.knowledge_source import KnowledgeSource

FILES = {"adrs/0001-one.md": b"# 1. One\n", "adrs/0002-two.md": b"# 2. Two\n"}


def source(url: str, tmp_path: Path, branch: str | None = None, token: str | None = None, seconds: float = 20.0) -> Any:
    """The source behind a URL."""
    given = None if token is None else SecretStr(token)
    return knowledge_source(url, branch, mirror=tmp_path / "mirror", token=lambda: given, seconds=seconds)


def read(found: KnowledgeSource) -> dict[str, bytes]:
    """Every file of a source."""
    return {entry.path: found.read(entry) for entry in found.tree().entries}


def test_what_is_fetched_has_files_history_and_later_what_is_new_alone(tmp_path: Path) -> None:
    made = repository(tmp_path / "origin", FILES)
    with serving(git_application({"/x.git": made})) as address:
        found = source(f"{address}/x.git", tmp_path)
        first = found.tree()
        assert [entry.path for entry in first.entries] == sorted(FILES)
        assert first.commit == made.refs[b"refs/heads/main"].decode()  # type: ignore[index]
        assert [entry.message for entry in found.history(["adrs/0001-one.md"])["adrs/0001-one.md"]] == ["First"]
        commit(made, {**FILES, "adrs/0001-one.md": b"# 1. One more\n"}, "Second")
        # What was listed is still read as it was.
        assert found.read(first.entries[0]) == b"# 1. One\n"
        assert read(found)["adrs/0001-one.md"] == b"# 1. One more\n"
        entries = found.history(list(FILES))
        assert [each.message for each in entries["adrs/0001-one.md"]] == ["Second", "First"]
        assert [each.message for each in entries["adrs/0002-two.md"]] == ["First"]
        before = sorted((tmp_path / "mirror/objects/pack").iterdir())
        assert len(found.tree().entries) == 2
        assert sorted((tmp_path / "mirror/objects/pack").iterdir()) == before
        found.close()


def test_a_branch_is_read_and_one_that_is_not_there_is_reported(tmp_path: Path) -> None:
    made = repository(tmp_path / "origin", FILES)
    commit(made, {"adrs/0003-three.md": b"# 3. Three\n"}, branch=b"refs/heads/next")
    with serving(git_application({"/x.git": made})) as address:
        assert list(read(source(f"{address}/x.git", tmp_path, "next"))) == ["adrs/0003-three.md"]
        with pytest.raises(SourceFailed, match="does not have the branch 'other'"):
            source(f"{address}/x.git", tmp_path, "other").tree()
        with pytest.raises(SourceFailed, match="no git repository"):
            source(f"{address}/y.git", tmp_path).tree()


def test_a_token_admits_and_is_shown_nowhere(tmp_path: Path) -> None:
    made = repository(tmp_path / "origin", FILES)
    with serving(git_application({"/x.git": made}, "secret-token")) as address:
        for wrong in (None, "other-token"):
            with pytest.raises(SourceFailed, match=r"knowledge\.token_secret") as refused:
                source(f"{address}/x.git", tmp_path, token=wrong).tree()
            assert "other-token" not in str(refused.value)
        found = source(f"{address}/x.git", tmp_path, token="secret-token")
        assert len(found.tree().entries) == 2
        assert "secret-token" not in found.location
        kept = [path for path in (tmp_path / "mirror").rglob("*") if path.is_file()]
        assert not [path for path in kept if b"secret-token" in path.read_bytes()]
        found.close()


def test_a_redirect_is_not_followed(tmp_path: Path) -> None:
    asked: list[dict[str, Any]] = []

    def elsewhere(environ: dict[str, Any], start: Any) -> list[bytes]:
        asked.append(environ)
        start("200 OK", [("Content-Type", "text/plain")])
        return [b""]

    with serving(elsewhere) as other:

        def moved(_: dict[str, Any], start: Any) -> list[bytes]:
            start("301 Moved", [("Location", f"{other}/x.git/info/refs?service=git-upload-pack")])
            return [b""]

        with serving(moved) as address, pytest.raises(SourceFailed, match="redirects are not followed"):
            source(f"{address}/x.git", tmp_path, token="secret-token").tree()
    assert asked == []


@contextmanager
def dripping() -> Iterator[str]:
    """A server that sends a byte of its header now and then."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        ended = threading.Event()

        def drip() -> None:
            connection, _ = server.accept()
            with connection:
                connection.sendall(b"HTTP/1.1 200 OK\r\nX: ")
                while not ended.wait(0.05):
                    try:
                        connection.sendall(b"x")
                    except OSError:
                        return

        threading.Thread(target=drip, daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"
        ended.set()


def test_a_server_that_drips_is_left_after_the_time_that_fetching_may_take(tmp_path: Path) -> None:
    with dripping() as address:
        began = time.monotonic()
        with pytest.raises(SourceFailed, match="takes longer than 1 seconds"):
            source(f"{address}/x.git", tmp_path, seconds=1.0).tree()
        assert time.monotonic() - began < LONGEST_SECONDS


def test_what_is_no_repository_or_does_not_answer_is_reported(tmp_path: Path) -> None:
    def web(_: dict[str, Any], start: Any) -> list[bytes]:
        start("200 OK", [("Content-Type", "text/html")])
        return [b"<html>hello</html>"]

    with serving(web) as address, pytest.raises(SourceFailed):
        source(f"{address}/x.git", tmp_path).tree()
    with pytest.raises(SourceFailed, match="did not answer"):
        source("http://127.0.0.1:1/x.git", tmp_path).tree()


def test_a_damaged_or_half_fetched_copy_is_thrown_away(tmp_path: Path) -> None:
    made = repository(tmp_path / "origin", FILES)
    with serving(git_application({"/x.git": made})) as address:
        read(source(f"{address}/x.git", tmp_path))
        for pack in (tmp_path / "mirror/objects/pack").glob("*.pack"):
            pack.chmod(0o644)
            pack.write_bytes(pack.read_bytes()[:40])
        assert len(read(source(f"{address}/x.git", tmp_path))) == 2
        shutil.rmtree(tmp_path / "mirror" / "refs")
        (tmp_path / "mirror" / "tribal-head").write_bytes(b"0" * 40)
        assert len(read(source(f"{address}/x.git", tmp_path))) == 2


def test_what_is_too_large_is_refused_before_it_is_inflated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = repository(tmp_path / "origin", {**FILES, "adrs/huge.md": b"x" * (3 << 20)})
    with serving(git_application({"/x.git": made})) as address:
        found = source(f"{address}/x.git", tmp_path)
        huge = next(entry for entry in found.tree().entries if entry.path == "adrs/huge.md")
        with pytest.raises(ItemUnusable, match="larger than 1,048,576 bytes"):
            found.read(huge)
        found.close()
        monkeypatch.setattr(remote, "MOST_OBJECT_BYTES", 2 << 20)
        with pytest.raises(SourceFailed, match="too large"):
            source(f"{address}/x.git", tmp_path / "second").tree()
        monkeypatch.setattr(remote, "MOST_FETCHED_BYTES", 100)
        with pytest.raises(SourceFailed, match="too large"):
            source(f"{address}/x.git", tmp_path / "third").tree()


def test_links_submodules_and_names_that_lead_elsewhere_are_refused_one_by_one(tmp_path: Path) -> None:
    hostile: dict[str, bytes | tuple[int, bytes]] = {
        "adrs/link.md": (0o120000, b"/etc/passwd"),
        "adrs/sub.md": (0o160000, b"1" * 40),
        "adrs/\udcff.md": b"# Bytes\n",
        "adrs/..": b"# Up\n",
    }
    made = repository(tmp_path / "origin", {**FILES, **hostile})
    with serving(git_application({"/x.git": made})) as address:
        found = source(f"{address}/x.git", tmp_path)
        tree = found.tree()
        assert [entry.path for entry in tree.entries] == sorted(FILES)
        assert sorted(each.reason for each in tree.refused) == [
            "it is a link, and links are not followed",
            "it is a submodule, and those are not read",
            "its name is not UTF-8",
            "its path leaves the source",
        ]
        found.close()


def test_a_repository_of_very_many_files_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tribal.adapters.git.knowledge.MOST_FILES", 50)
    repository(tmp_path / "origin", {f"adrs/{number:04}.md": b"x" for number in range(60)})
    with pytest.raises(SourceFailed, match="more than 50 files"):
        GitKnowledge(tmp_path / "origin").tree()


def test_a_source_is_chosen_by_what_its_repository_is(tmp_path: Path) -> None:
    repository(tmp_path / "origin", FILES)
    (tmp_path / "folder").mkdir()

    def chosen(name: str, branch: str | None = None) -> KnowledgeSource:
        return knowledge_source(name, branch, mirror=tmp_path / "m", token=lambda: None, seconds=1)

    assert isinstance(chosen(str(tmp_path / "origin")), GitKnowledge)
    assert isinstance(chosen(str(tmp_path / "folder")), KnowledgeFolder)
    assert isinstance(chosen("git@example.com:a/b.git"), remote.RemoteGitKnowledge)
    for refused in ("http://example.com/x.git", "ftp://example.com/x", "https://me:word@example.com/x.git"):
        with pytest.raises(ConfigurationError) as error:
            chosen(refused)
        assert "word" not in str(error.value).replace("password", "")
    with pytest.raises(ConfigurationError, match="remove the branch"):
        chosen(str(tmp_path / "folder"), "main")


SSH = """#!/bin/sh
echo "$@" >> {log}
for last; do :; done
exec sh -c "$last"
"""


def test_a_repository_behind_ssh_is_fetched_by_the_ssh_of_this_machine_which_asks_no_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository(tmp_path / "origin", FILES).close()
    programs, log = tmp_path / "programs", tmp_path / "log"
    programs.mkdir()
    (programs / "ssh").write_text(SSH.format(log=log))
    (programs / "ssh").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    for number, url in enumerate(
        [f"git@example.com:{tmp_path}/origin", f"ssh://git@example.com:2222{tmp_path}/origin"]
    ):
        found = source(url, tmp_path / str(number))
        assert sorted(read(found)) == sorted(FILES)
        found.close()
    first, second = log.read_text().splitlines()
    assert "-oBatchMode=yes" in first
    assert "git@example.com" in first
    assert "-p 2222" in second
    (programs / "ssh").write_text("#!/bin/sh\necho 'Permission denied (publickey).' >&2\nexit 255\n")
    with pytest.raises(SourceFailed, match="Permission denied"):
        source(f"git@example.com:{tmp_path}/origin", tmp_path / "refused").tree()
