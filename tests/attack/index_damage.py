"""Damage to the bytes of the index: it opens, or is reported as damaged, and the next two runs rebuild it."""

from __future__ import annotations

import shutil
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from tests.attack.outcome import Attack, Outcome
from tests.conformance.index_entries import EVERYWHERE, MODEL, fill, lexical, nearest, table_entries, vector
from tribal.adapters.sqlite.index import SqliteIndex
from tribal.errors import IndexNotReady, IndexWriteFailed

DAMAGES = 3_000
_ENTRIES = [entry for entries in table_entries(40).values() for entry in entries]
_HEADER_BYTES, _PAGE_BYTES = 100, 4096


def _header(data: bytearray, random: Random) -> bytearray:
    data[random.randrange(_HEADER_BYTES)] = random.randrange(256)
    return data


def _schema_page(data: bytearray, random: Random) -> bytearray:
    for _ in range(random.randint(1, 3)):
        data[random.randrange(_HEADER_BYTES, _PAGE_BYTES)] = random.randrange(256)
    return data


def _one_bit(data: bytearray, random: Random) -> bytearray:
    data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    return data


def _range(data: bytearray, random: Random) -> bytearray:
    start = random.randrange(len(data))
    end = min(len(data), start + random.randrange(1, 600))
    data[start:end] = random.randbytes(end - start)
    return data


def _cut(data: bytearray, random: Random) -> bytearray:
    return data[: random.randrange(1, len(data))]


_KINDS: tuple[Callable[[bytearray, Random], bytearray], ...] = (_header, _schema_page, _one_bit, _range, _cut)
_PLACES = ("published", "published, no checksum", "unfinished")


def attack(attack: Attack) -> Iterator[Outcome]:
    """Damage a published index, one without a checksum next to it, and one that a killed run left."""
    random = attack.random("index damage")
    intact = attack.scratch / "intact" / "index.db"
    index = SqliteIndex(intact)
    fill(index, *_ENTRIES)
    index.close()
    tried: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    examples: dict[str, str] = {}
    for number in range(attack.times(DAMAGES, least=len(_KINDS) * len(_PLACES))):
        place = _PLACES[number % len(_PLACES)]
        kind = _KINDS[number // len(_PLACES) % len(_KINDS)]
        path = attack.scratch / "damaged" / "index.db"
        shutil.rmtree(path.parent, ignore_errors=True)
        shutil.copytree(intact.parent, path.parent)
        _damage(path, place, bytes(kind(bytearray(intact.read_bytes()), random)))
        tried[place] += 1
        problem = _problem(path)
        if problem is not None:
            failed[place] += 1
            examples.setdefault(place, f"{kind.__name__}: {problem}")
    for place in _PLACES:
        yield Outcome(f"index, {place}", tried[place], failed[place], example=examples.get(place, ""))


def _damage(path: Path, place: str, data: bytes) -> None:
    if place == "unfinished":
        path = path.with_name(f"{path.name}-next")
    elif place != "published":
        path.with_name(f"{path.name}-sum").unlink()
    path.write_bytes(data)


def _problem(path: Path) -> str | None:
    index = SqliteIndex(path)
    try:
        try:
            _read(index)
        except IndexNotReady:
            pass
        except Exception:  # noqa: BLE001 - whatever breaks through is what the attack looks for
            return f"reading: {traceback.format_exc(limit=-2)}"
        try:
            _rebuild(index)
            _read(index)
        except Exception:  # noqa: BLE001
            return f"rebuilding: {traceback.format_exc(limit=-2)}"
        return None if len(index.tables(EVERYWHERE)) == len(_ENTRIES) else "tables are missing after the rebuild"
    finally:
        index.close()


def _read(index: SqliteIndex) -> None:
    index.metadata()
    index.tables(EVERYWHERE)
    index.domain_records(EVERYWHERE)
    index.key_graph()
    index.term_counts(["orders"], "table", EVERYWHERE)
    index.records([hit.record_id for hit in lexical(index, ["orders"], "table", EVERYWHERE, 10)])
    index.records([hit.record_id for hit in nearest(index, vector(1.0, 0.0), "table", EVERYWHERE, 10)])


def _rebuild(index: SqliteIndex) -> None:
    """Two runs: what damage a write meets halfway is discarded, and the next run starts from nothing."""
    index.is_intact()
    index.is_unfinished(MODEL)
    try:
        fill(index, *_ENTRIES)
    except IndexWriteFailed:
        fill(index, *_ENTRIES)
