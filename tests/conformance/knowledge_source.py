"""What holds of every `KnowledgeSource`.

A module that is held to it supplies the fixture `source`, which holds `FILES`, and the fixture `change`, which writes
other bytes to a file, or with `None` removes it.
"""

from __future__ import annotations

from collections.abc import Callable

from tribal.errors import ItemUnusable
from tribal.ports.remembering.knowledge_source import MOST_BYTES, KnowledgeSource, SourceEntry

FILES = {"adrs/0001-one.md": b"# 1. One\n", "adrs/deep/0002-two.md": "# 2. Zw\u00f6i\r\n".encode(), "README": b""}

Change = Callable[[str, bytes | None], None]


def read_or_why(source: KnowledgeSource, entry: SourceEntry) -> bytes | str:
    """The bytes of a file, or why it cannot be used."""
    try:
        return source.read(entry)
    except ItemUnusable as error:
        return error.message


def test_every_file_is_listed_in_order_of_its_path_and_read_as_it_is(source: KnowledgeSource) -> None:
    tree = source.tree()
    assert [entry.path for entry in tree.entries] == sorted(FILES)
    assert {entry.path: source.read(entry) for entry in tree.entries} == FILES
    assert tree.refused == [] or tree.refused == ()


def test_a_version_is_that_of_the_bytes(source: KnowledgeSource, change: Change) -> None:
    before = {entry.path: entry.version for entry in source.tree().entries}
    assert {entry.path: entry.version for entry in source.tree().entries} == before
    change("adrs/0001-one.md", b"# 1. Uno\n")
    changed = {entry.path: entry.version for entry in source.tree().entries}
    assert {path for path in before if before[path] != changed[path]} == {"adrs/0001-one.md"}
    change("adrs/0001-one.md", FILES["adrs/0001-one.md"])
    assert {entry.path: entry.version for entry in source.tree().entries} == before


def test_what_was_listed_is_read_as_it_was_or_refused(source: KnowledgeSource, change: Change) -> None:
    entry = next(each for each in source.tree().entries if each.path == "adrs/0001-one.md")
    change("adrs/0001-one.md", b"# 1. Uno\n")
    read = read_or_why(source, entry)
    assert read == FILES["adrs/0001-one.md"] or (isinstance(read, str) and "sync again" in read)


def test_a_file_that_is_gone_is_not_listed(source: KnowledgeSource, change: Change) -> None:
    change("adrs/0001-one.md", None)
    assert [entry.path for entry in source.tree().entries] == sorted(FILES)[:1] + sorted(FILES)[2:]


def test_a_file_that_is_too_large_is_not_read_whole(source: KnowledgeSource, change: Change) -> None:
    change("adrs/0001-one.md", b"x" * (MOST_BYTES + 100))
    entry = next(each for each in source.tree().entries if each.path == "adrs/0001-one.md")
    read = read_or_why(source, entry)
    assert "larger than" in read if isinstance(read, str) else len(read) == MOST_BYTES + 1


def test_history_has_the_newest_commit_first_or_nothing_at_all(source: KnowledgeSource, change: Change) -> None:
    change("adrs/0001-one.md", b"# 1. Uno\n")
    source.tree()
    history = source.history(["adrs/0001-one.md", "adrs/deep/0002-two.md"])
    times = [entry.timestamp for entry in history.get("adrs/0001-one.md", ())]
    assert times == sorted(times, reverse=True)
    assert len(times) in (0, 2)
    assert len(history.get("adrs/deep/0002-two.md", ())) in (0, 1)


def test_where_it_is_says_nothing_of_secrets(source: KnowledgeSource) -> None:
    assert source.location
    assert "secret-token" not in source.location
