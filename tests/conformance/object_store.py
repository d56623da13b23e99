"""What every `ObjectStore` does. A test module imports `*` from here and supplies the fixture `store`: an empty store.

The bodies know nothing but the port, so that a folder, S3 and the fake are held to the same words.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cases import each_case
from tribal.errors import ObjectNotFound, PreconditionFailed, StoreError
from tribal.ports import ObjectStore


def _in_threads(count: int, work: Callable[[int], None]) -> None:
    barrier = threading.Barrier(count)

    def start(number: int) -> None:
        barrier.wait()
        work(number)

    threads = [threading.Thread(target=start, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@each_case("data", [b"", b"{}\n", bytes(range(256)), b"line\r\nline", "ünïcödé".encode()])
def test_an_object_comes_back_byte_for_byte(store: ObjectStore, data: bytes) -> None:
    etag = store.put("docs/a.json", data)
    assert store.get("docs/a.json").data == data
    assert store.get("docs/a.json").etag == etag


def test_a_big_object_comes_back_whole(store: ObjectStore) -> None:
    data = b"".join(number.to_bytes(8, "big") for number in range(1 << 20))
    store.put("big", data)
    assert store.get("big").data == data
    head = store.head("big")
    assert head is not None
    assert (head.size_bytes, head.content_hash) == (8 << 20, hashlib.sha256(data).hexdigest())


def test_a_put_replaces_the_object_and_its_etag(store: ObjectStore) -> None:
    first = store.put("a", b"one")
    second = store.put("a", b"two")
    assert first != second
    assert store.get("a").data == b"two"
    assert list(store.keys()) == ["a"]


def test_a_missing_object_is_not_found(store: ObjectStore) -> None:
    store.put("docs/a.json", b"{}")
    for key in ("b", "docs/b", "docs", "docs/a", "docs/a.json/b"):
        with pytest.raises(ObjectNotFound, match=key):
            store.get(key)
        with pytest.raises(ObjectNotFound):
            list(store.lines(key))
        assert store.head(key) is None


def test_head_agrees_with_get_and_hashes_the_bytes(store: ObjectStore) -> None:
    etag = store.put("docs/a.json", b"abc")
    for _ in range(2):
        head = store.head("docs/a.json")
        assert head is not None
        assert head.key == "docs/a.json"
        assert head.size_bytes == 3
        assert head.etag == etag == store.get("docs/a.json").etag
        assert head.content_hash == hashlib.sha256(b"abc").hexdigest()


def test_a_put_if_matching_fails_after_someone_else_wrote(store: ObjectStore) -> None:
    mine = store.put("lease", b"one")
    head = store.head("lease")
    assert head is not None
    second = store.put("lease", b"two", if_match=head.etag)
    with pytest.raises(PreconditionFailed):
        store.put("lease", b"three", if_match=mine)
    assert store.get("lease").data == b"two"
    store.put("lease", b"four", if_match=second)
    assert store.get("lease").data == b"four"


def test_a_put_if_absent_keeps_what_is_there(store: ObjectStore) -> None:
    store.put("new", b"first", if_absent=True)
    with pytest.raises(PreconditionFailed):
        store.put("new", b"second", if_absent=True)
    assert store.get("new").data == b"first"
    store.delete("new")
    store.put("new", b"third", if_absent=True)
    assert store.get("new").data == b"third"


def test_a_conditional_put_of_a_deleted_object_fails(store: ObjectStore) -> None:
    etag = store.put("a", b"one")
    store.delete("a")
    with pytest.raises(PreconditionFailed):
        store.put("a", b"two", if_match=etag)
    assert store.head("a") is None


def test_a_refused_put_leaves_the_object_as_it_was(store: ObjectStore) -> None:
    etag = store.put("docs/a", b"one")
    with pytest.raises(PreconditionFailed):
        store.put("docs/a", b"two", if_match="no such etag")
    assert store.get("docs/a").etag == etag
    assert list(store.keys()) == ["docs/a"]


def test_a_contested_key_is_created_by_exactly_one_of_many(store: ObjectStore) -> None:
    winners: list[int] = []

    def create(number: int) -> None:
        try:
            store.put("lease", str(number).encode(), if_absent=True)
        except PreconditionFailed:
            return
        winners.append(number)

    _in_threads(8, create)
    assert len(winners) == 1
    assert store.get("lease").data == str(winners[0]).encode()


def test_every_increment_of_a_contested_counter_is_kept(store: ObjectStore) -> None:
    store.put("counter", b"0")

    def increment(number: int) -> None:
        for _ in range(5):
            while True:
                present = store.get("counter")
                try:
                    store.put("counter", str(int(present.data) + 1).encode(), if_match=present.etag)
                except PreconditionFailed:
                    continue
                break

    _in_threads(4, increment)
    assert store.get("counter").data == b"20"


def test_keys_come_in_order_of_code_points(store: ObjectStore) -> None:
    keys = ["a b", "a-b/c", "a.b", "a/b.json", "a/b/c", "a/b-c", "a0", "ab", "B", "z~1", "é", "日本"]
    for key in reversed(keys):
        store.put(key, b"")
    assert list(store.keys()) == sorted(keys)


def test_a_prefix_is_a_plain_beginning_of_keys(store: ObjectStore) -> None:
    keys = ["docs/a.json", "docs/ab/x.json", "docs/b.json", "docs2/a.json", "progress/a"]
    for key in keys:
        store.put(key, b"")
    for prefix in (
        "",
        "d",
        "docs",
        "docs/",
        "docs/a",
        "docs/ab/",
        "docs/ab/x",
        "docs/a.json",
        "docs2",
        "none",
        "none/x",
    ):
        assert list(store.keys(prefix)) == [key for key in keys if key.startswith(prefix)], prefix
    assert list(store.keys("../")) == []
    assert list(store.keys("/")) == []


def test_a_deleted_object_is_gone_and_deleting_again_does_nothing(store: ObjectStore) -> None:
    store.put("docs/deep/a", b"1")
    store.put("docs/b", b"2")
    for _ in range(2):
        store.delete("docs/deep/a")
        assert list(store.keys()) == ["docs/b"]
    store.delete("docs")
    store.delete("never/was")
    assert list(store.keys()) == ["docs/b"]
    store.put("docs/deep/a", b"3")
    assert store.get("docs/deep/a").data == b"3"


@each_case("lines", [[], [b""], [b"a"], [b"a", b"", b"b"], [b"", b""], [b'{"a": "\\n"}', "é".encode()]])
def test_lines_that_were_put_come_back(store: ObjectStore, lines: list[bytes]) -> None:
    etag = store.put_lines("a.jsonl", iter(lines))
    assert list(store.lines("a.jsonl")) == lines
    assert store.get("a.jsonl").data == b"".join(line + b"\n" for line in lines)
    assert store.get("a.jsonl").etag == etag


@each_case(
    ("data", "lines"),
    [
        (b"", []),
        (b"\n", [b""]),
        (b"a\nb", [b"a", b"b"]),
        (b"a\n\nb\n", [b"a", b"", b"b"]),
        (b"a\rb\x0bc", [b"a\rb\x0bc"]),
    ],
)
def test_lines_come_back_without_their_ends(store: ObjectStore, data: bytes, lines: list[bytes]) -> None:
    store.put("a.jsonl", data)
    assert list(store.lines("a.jsonl")) == lines


def test_many_lines_pass_without_being_held(store: ObjectStore) -> None:
    store.put_lines("a.jsonl", (b"%d" % number for number in range(100_000)))
    assert sum(int(line) for line in store.lines("a.jsonl")) == 100_000 * 99_999 // 2


def test_a_failing_source_of_lines_leaves_the_old_object(store: ObjectStore) -> None:
    def break_off() -> Iterator[bytes]:
        yield b"new"
        raise ArithmeticError

    store.put("a.jsonl", b"old")
    with pytest.raises(ArithmeticError):
        store.put_lines("a.jsonl", break_off())
    assert store.get("a.jsonl").data == b"old"
    assert list(store.keys()) == ["a.jsonl"]


@each_case("data", [b"", b"a", b"\n\r\n\0", bytes(range(256)) * 4_096])
def test_a_file_comes_back_byte_for_byte(store: ObjectStore, tmp_path: Path, data: bytes) -> None:
    given, taken = tmp_path / "given", tmp_path / "new" / "taken"
    given.write_bytes(data)
    etag = store.put_file("docs/a.pdf", given)
    head = store.head("docs/a.pdf")
    assert head is not None
    assert (head.etag, head.size_bytes, head.content_hash) == (etag, len(data), hashlib.sha256(data).hexdigest())
    assert store.get_file("docs/a.pdf", taken) == head.content_hash
    assert taken.read_bytes() == data


def test_a_file_replaces_an_object_unless_it_must_be_absent(store: ObjectStore, tmp_path: Path) -> None:
    file = tmp_path / "a.pdf"
    file.write_bytes(b"one")
    store.put_file("a.pdf", file, if_absent=True)
    file.write_bytes(b"two")
    with pytest.raises(PreconditionFailed):
        store.put_file("a.pdf", file, if_absent=True)
    assert store.get("a.pdf").data == b"one"
    store.put_file("a.pdf", file)
    assert store.get("a.pdf").data == b"two"


def test_a_file_of_a_missing_object_is_not_made(store: ObjectStore, tmp_path: Path) -> None:
    with pytest.raises(ObjectNotFound, match="docs/b"):
        store.get_file("docs/b", tmp_path / "new" / "b")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_an_object_replaces_the_file_that_was_there(store: ObjectStore, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"a longer one")
    store.put("a", b"short")
    store.get_file("a", tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == b"short"


def test_an_erased_object_is_gone_and_others_with_its_prefix_stay(store: ObjectStore) -> None:
    for key in ("docs/a", "docs/a.json", "docs/ab"):
        store.put(key, b"1")
    store.put("docs/a", b"2")
    left = ["docs/a.json", "docs/ab"]
    for _ in range(2):
        store.erase("docs/a")
        assert list(store.keys()) == left
    store.erase("never/was")
    store.put("docs/a", b"3", if_absent=True)
    assert store.get("docs/a").data == b"3"


def test_odd_keys_are_kept_apart(store: ObjectStore) -> None:
    keys = [
        "docs/order-items~0a1b2c3d4e.json",
        "docs/with space/and more.md",
        "docs/" + "n" * 200 + "/" + "m" * 200,
        "docs/ünï/日本語.json",
        "docs/100%25/a+b&c=d?e#f.json",
        "docs/'quote\"d'.json",
        "docs/a..b...json",
    ]
    for number, key in enumerate(keys):
        store.put(key, str(number).encode())
    assert list(store.keys("docs/")) == sorted(keys)
    for number, key in enumerate(keys):
        assert store.get(key).data == str(number).encode()
        head = store.head(key)
        assert head is not None
        assert head.key == key


@each_case(
    "key",
    [
        "",
        "/",
        "/etc/passwd",
        "../a",
        "a/../../b",
        "a/..",
        ".",
        "./a",
        "a//b",
        "a/",
        "a\\b",
        "..\\a",
        "a\0b",
        "C:/a",
        "c:a",
        ".tribal/store.lock",
        "a/.hidden",
        "\ud800",
        "k" * 1025,
    ],
)
def test_a_key_that_leads_out_of_the_store_is_refused(store: ObjectStore, tmp_path: Path, key: str) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"")
    calls: list[Callable[[], object]] = [
        lambda: store.get(key),
        lambda: list(store.lines(key)),
        lambda: store.put(key, b""),
        lambda: store.put_lines(key, []),
        lambda: store.put_file(key, file),
        lambda: store.get_file(key, file),
        lambda: store.erase(key),
        lambda: store.head(key),
        lambda: store.delete(key),
    ]
    for call in calls:
        with pytest.raises(StoreError) as caught:
            call()
        assert type(caught.value) is StoreError
    assert list(store.keys()) == []
