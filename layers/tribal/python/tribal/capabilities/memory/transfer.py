"""Exports memories from one store and imports them into another, as JSON lines with one memory each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from tribal.capabilities.memory.change import MOST_MEMORIES
from tribal.capabilities.memory.content import masked_content, masked_labels
from tribal.capabilities.memory.errors import MemoryInputInvalid, MemorySpaceFull
from tribal.capabilities.memory.pointers import is_pointer
from tribal.capabilities.memory.records import all_memories, memory_id, save, space_of
from tribal.capabilities.memory.repository import Repository
from tribal.errors import TribalError
from tribal.ports import ObjectStore
from tribal.ports.remembering.identity import Space
from tribal.ports.remembering.selection import MemorySelection
from tribal_contracts.memory import MAX_TAGS, MemoryRecord

_AT_ONCE = 200
_TAGS_OF_BOTH = 2 * MAX_TAGS
"""An existing memory keeps its own tags in addition to the imported ones."""
_NAMED_LINES = 20


@dataclass(frozen=True, slots=True)
class ImportResult:
    """How many imported memories are new, and how many existed already."""

    added: int
    known: int


def export_memories(store: ObjectStore, layers: Collection[str] = ()) -> Iterator[bytes]:
    """One line for each memory of these layers, or of all, in the order of their objects.

    Raises:
        MemoryStoreFailed: when one cannot be read.
    """
    for record in all_memories(store):
        # Pointers are written by syncs, and the other store has its own.
        if (not layers or record.layer in layers) and not is_pointer(record):
            yield record.to_compact_json() + b"\n"


def import_memories(lines: Iterable[bytes], repository: Repository) -> ImportResult:
    """Import the memories of an export: all of them, or none if one is invalid.

    Existing memories stay unchanged, except that tags are merged.

    Raises:
        MemoryInputInvalid: naming the lines that are not memories, or contain a secret.
        MemorySpaceFull: when a space would exceed its limit.
    """
    spaces = _read(lines)
    for space, records in spaces.items():
        there = {each.record.memory_id for each in repository.index.of_spaces(MemorySelection((space,)))}
        if len(there | records.keys()) > MOST_MEMORIES:
            raise MemorySpaceFull(
                f"nothing was imported: a space of the layer {space.layer!r} would have more than {MOST_MEMORIES:,}"
            )
    added = 0
    for space, records in spaces.items():
        named = list(records)
        for start in range(0, len(named), _AT_ONCE):
            some = named[start : start + _AT_ONCE]
            with repository.changing(space, some, "import"):
                added += sum(save(repository.store, space, records[name], _TAGS_OF_BOTH)[1] for name in some)
    return ImportResult(added, sum(map(len, spaces.values())) - added)


def _read(lines: Iterable[bytes]) -> Mapping[Space, Mapping[str, MemoryRecord]]:
    """Parse the memories, by space and id."""
    spaces: defaultdict[Space, dict[str, MemoryRecord]] = defaultdict(dict)
    faults: list[str] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = _admitted(MemoryRecord.from_json(line))
        except ValidationError:
            faults.append(f"line {number} is not a memory in the format of `tribal memory export`")
        except TribalError as error:
            faults.append(f"line {number}: {error.message}")
        else:
            spaces[space_of(record)][record.memory_id] = record
    if faults:
        raise MemoryInputInvalid(_faults_text(faults))
    return spaces


def _admitted(record: MemoryRecord) -> MemoryRecord:
    """The memory masked for this store.

    Raises:
        MemoryInputInvalid: when it contains a secret, or its id does not match.
    """
    space = space_of(record)
    if record.memory_id != memory_id(space, record.content):
        raise MemoryInputInvalid("its memoryId does not match its content, layer and identifiers")
    content, _ = masked_content(record.content, record.layer)
    tags, metadata, _ = masked_labels(record.tags, record.metadata, record.layer)
    changed = {"memory_id": memory_id(space, content), "content": content, "tags": tags, "metadata": metadata}
    return record.model_copy(update=changed)


def _faults_text(faults: Sequence[str]) -> str:
    more = len(faults) - _NAMED_LINES
    named = [*faults[:_NAMED_LINES], *([f"and {more:,} more lines"] if more > 0 else [])]
    return "nothing was imported: " + "; ".join(named)
