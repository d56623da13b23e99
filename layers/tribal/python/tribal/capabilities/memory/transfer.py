"""Carries memories from one store to another as lines of JSON, a memory each, as the objects have them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from tribal.capabilities.memory.change import MOST_MEMORIES
from tribal.capabilities.memory.content import admitted, admitted_labels
from tribal.capabilities.memory.errors import MemoryInputInvalid, MemorySpaceFull
from tribal.capabilities.memory.pointers import is_pointer
from tribal.capabilities.memory.records import every, keep, memory_id, space_of
from tribal.capabilities.memory.repository import Repository
from tribal.errors import TribalError
from tribal.ports import ObjectStore
from tribal.ports.remembering.identity import Space
from tribal.ports.remembering.selection import MemorySelection
from tribal_contracts.memory import MAX_TAGS, MemoryRecord

_AT_ONCE = 200
_TAGS_OF_BOTH = 2 * MAX_TAGS
"""A memory that is there already keeps its own tags beside the imported ones."""
_NAMED_LINES = 20


@dataclass(frozen=True, slots=True)
class Imported:
    """How many memories an import found new, and how many were there already."""

    added: int
    known: int


def exported(store: ObjectStore, layers: Collection[str] = ()) -> Iterator[bytes]:
    """A line for each memory of these layers, or of all, in the order of their objects.

    Raises:
        MemoryStoreFailed: when one cannot be read.
    """
    for record in every(store):
        # Pointers follow what they point to, which the other store has its own of.
        if (not layers or record.layer in layers) and not is_pointer(record):
            yield record.to_compact_json() + b"\n"


def imported(lines: Iterable[bytes], repository: Repository) -> Imported:
    """Write the memories of an export, all or, where one of them cannot be taken, none.

    What is there already keeps all but its tags, which are merged.

    Raises:
        MemoryInputInvalid: naming the lines that are no memory, or hold a secret.
        MemorySpaceFull: when a space would have more than it takes.
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
                added += sum(keep(repository.store, space, records[name], _TAGS_OF_BOTH)[1] for name in some)
    return Imported(added, sum(map(len, spaces.values())) - added)


def _read(lines: Iterable[bytes]) -> Mapping[Space, Mapping[str, MemoryRecord]]:
    """The memories of the lines by space and id."""
    spaces: defaultdict[Space, dict[str, MemoryRecord]] = defaultdict(dict)
    faults: list[str] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = _admitted(MemoryRecord.from_json(line))
        except ValidationError:
            faults.append(f"line {number} is no memory as `tribal memory export` writes it")
        except TribalError as error:
            faults.append(f"line {number}: {error.message}")
        else:
            spaces[space_of(record)][record.memory_id] = record
    if faults:
        raise MemoryInputInvalid(_told(faults))
    return spaces


def _admitted(record: MemoryRecord) -> MemoryRecord:
    """The memory as this store may keep it.

    Raises:
        MemoryInputInvalid: when it holds a secret, or its id is another's.
    """
    space = space_of(record)
    if record.memory_id != memory_id(space, record.content):
        raise MemoryInputInvalid("its memoryId is not that of its words, layer and identifiers")
    content, _ = admitted(record.content, record.layer)
    tags, metadata, _ = admitted_labels(record.tags, record.metadata, record.layer)
    changed = {"memory_id": memory_id(space, content), "content": content, "tags": tags, "metadata": metadata}
    return record.model_copy(update=changed)


def _told(faults: Sequence[str]) -> str:
    more = len(faults) - _NAMED_LINES
    named = [*faults[:_NAMED_LINES], *([f"and {more:,} lines more"] if more > 0 else [])]
    return "nothing was imported: " + "; ".join(named)
