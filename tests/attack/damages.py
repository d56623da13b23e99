"""What a failing disk, or a hand that slips, makes of a file: one function a kind, made by a seed."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from random import Random

Kind = Callable[[Path, Random, Sequence[Path]], bool]
"""Damages a file, given the others; whether it could, which not every kind can do to every file."""


def _rewrite(path: Path, data: bytes) -> bool:
    if data == path.read_bytes():
        return False
    path.write_bytes(data)
    return True


def truncate(path: Path, random: Random, _: Sequence[Path]) -> bool:
    data = path.read_bytes()
    return _rewrite(path, data[: random.randrange(1, len(data))]) if len(data) > 1 else False


def empty(path: Path, _: Random, __: Sequence[Path]) -> bool:
    return _rewrite(path, b"")


def flip_a_bit(path: Path, random: Random, _: Sequence[Path]) -> bool:
    data = bytearray(path.read_bytes())
    data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    return _rewrite(path, bytes(data))


def overwrite_a_range(path: Path, random: Random, _: Sequence[Path]) -> bool:
    data = bytearray(path.read_bytes())
    start = random.randrange(len(data))
    end = min(len(data), start + random.randrange(1, 600))
    data[start:end] = random.randbytes(end - start)
    return _rewrite(path, bytes(data))


def append(path: Path, random: Random, _: Sequence[Path]) -> bool:
    return _rewrite(path, path.read_bytes() + random.randbytes(random.randrange(1, 900)))


def fill_with_nul(path: Path, _: Random, __: Sequence[Path]) -> bool:
    return _rewrite(path, b"\0" * path.stat().st_size)


def another_shape(path: Path, random: Random, _: Sequence[Path]) -> bool:
    values: list[object] = [
        [],
        {},
        None,
        random.random(),
        {str(random.random()): [random.random()]},
        [[{}]],
        "".join("[" * 999),
    ]
    return _rewrite(path, json.dumps(random.choice(values)).encode())


def swap_in_another(path: Path, random: Random, others: Sequence[Path]) -> bool:
    of_this_kind = [other for other in others if other.suffix == path.suffix and other.parent.name != "runs"]
    alike = [other for other in of_this_kind if other.name == path.name] or of_this_kind
    return _rewrite(path, random.choice(alike).read_bytes()) if alike else False


def another_version(path: Path, random: Random, _: Sequence[Path]) -> bool:
    if path.suffix == ".db":
        with closing(sqlite3.connect(path)) as index:
            index.execute(f"PRAGMA user_version = {random.randrange(1_000, 9_000)}")
        return True
    data = path.read_bytes()
    version = f'"schema_version": "{random.randrange(2, 99)}.{random.randrange(9)}"'
    return _rewrite(path, re.sub(rb'"schema_version": ?"1\.0"', version.encode(), data))


def delete(path: Path, _: Random, __: Sequence[Path]) -> bool:
    path.unlink()
    return True


def put_a_folder_in_its_place(path: Path, random: Random, _: Sequence[Path]) -> bool:
    path.unlink()
    path.mkdir()
    if random.random() < 0.5:
        (path / "note.txt").write_bytes(random.randbytes(9))
    return True


def link_it_to_itself(path: Path, _: Random, __: Sequence[Path]) -> bool:
    path.unlink()
    path.symlink_to(path.name)
    return True


def link_it_to_nothing(path: Path, random: Random, _: Sequence[Path]) -> bool:
    path.unlink()
    path.symlink_to(f"nowhere-{random.randrange(10**9)}")
    return True


def forbid_reading(path: Path, _: Random, __: Sequence[Path]) -> bool:
    if os.geteuid() == 0:
        return False
    path.chmod(0)
    return True


KINDS: dict[str, Kind] = {
    "cut": truncate,
    "emptied": empty,
    "one bit flipped": flip_a_bit,
    "a range overwritten": overwrite_a_range,
    "random bytes behind its end": append,
    "filled with NUL": fill_with_nul,
    "JSON of another shape": another_shape,
    "another file of its kind": swap_in_another,
    "another version": another_version,
    "deleted": delete,
    "a folder in its place": put_a_folder_in_its_place,
    "a link to itself": link_it_to_itself,
    "a link to nothing": link_it_to_nothing,
    "not readable": forbid_reading,
}


def clear(path: Path) -> None:
    """Move away what is in a file's place, as a person does who is told to."""
    if path.is_symlink() or path.is_file():
        path.unlink()
    elif path.is_dir():
        shutil.rmtree(path)
