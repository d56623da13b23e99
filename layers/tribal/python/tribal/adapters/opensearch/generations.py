"""Generations of an index: each is a separate OpenSearch index, and an alias points to the current one.

The alias `NAME` points to the generation that readers use, `NAME-next` to the one being written. Every generation also
has its own alias for writing, because a write through an alias can be kept from creating an index by mistake.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from opensearchpy import OpenSearch
from opensearchpy.exceptions import RequestError

from tribal.adapters.opensearch.layout import REPLICAS, index_body
from tribal.errors import IndexWriteFailed

_DIGITS = 6
_ATTEMPTS = 5
_COPY_SECONDS = 120
# The client would log each of these expected responses as a warning.
_MAY_BE_ABSENT = {"ignore": 404}


@dataclass(frozen=True, slots=True)
class Generations:
    """All generations of one index of a cluster. Raises the client's own errors.

    Args:
        client: client of the cluster.
        name: name of the index, and the alias for readers.
    """

    client: OpenSearch
    name: str

    @property
    def next_name(self) -> str:
        """The alias of the generation being written."""
        return f"{self.name}-next"

    def resolve(self, alias: str) -> str | None:
        """The generation that an alias points to."""
        found = self.client.indices.get_alias(name=alias, params=_MAY_BE_ABSENT)
        return None if "error" in found else str(min(found))

    def fitting(self, alias: str, about: dict[str, str]) -> str | None:
        """The generation that an alias points to, if it can be continued or copied."""
        found = self.resolve(alias)
        return found if found is not None and self._about(found) == about else None

    def begin(self, about: dict[str, str], dimensions: int, *, afresh: bool, in_place: bool) -> str:
        """The generation to write; of several concurrent callers, exactly one creates it.

        Args:
            about: metadata that a generation must match to be continued or copied.
            dimensions: length of a vector, fixed for the life of a generation.
            afresh: whether to start empty.
            in_place: whether the current generation itself may be written.
        """
        for _ in range(_ATTEMPTS):
            begun = self.resolve(self.next_name)
            if begun is not None and not afresh and self._about(begun) == about:
                return begun
            if begun is not None:
                self._delete(begun)
            present = self.resolve(self.name)
            usable = present is not None and not afresh and self._about(present) == about
            if present is not None and usable and in_place:
                # A process killed while copying leaves the write block in place.
                self._set_write_block(present, None)
                return present
            made = self._next_number()
            try:
                if present is not None and usable:
                    self._copy(present, made)
                else:
                    body = index_body(dimensions, about, [self.next_name, writing_alias(made)])
                    self.client.indices.create(index=made, body=body)
            except RequestError as exc:
                if exc.error != "resource_already_exists_exception":
                    raise
            else:
                return made
        raise IndexWriteFailed(f"the next generation of {self.name!r} is removed as often as it is begun; try again")

    def abandon(self) -> None:
        """Remove the generation being written."""
        begun = self.resolve(self.next_name)
        if begun is not None:
            self._delete(begun)

    def publish(self, generation: str) -> None:
        """Switch readers to the generation being written, atomically."""
        self.client.indices.put_settings(index=generation, body=REPLICAS)
        left = self.resolve(self.name)
        actions: list[dict[str, dict[str, str]]] = [
            {"add": {"index": generation, "alias": self.name}},
            {"remove": {"index": generation, "alias": self.next_name}},
        ]
        if left is not None:
            actions.append({"remove": {"index": left, "alias": self.name}})
        self.client.indices.update_aliases(body={"actions": actions})
        self.sweep(keep=left)

    def sweep(self, keep: str | None = None) -> None:
        """Remove the generations that no reader uses any more.

        The previous generation is kept until the next sweep, for readers that are still using it.
        """
        for name, aliases in self._all().items():
            if name != keep and set(aliases) <= {writing_alias(name)}:
                self._delete(name)

    def _all(self) -> dict[str, Any]:
        ours = re.compile(rf"{re.escape(self.name)}-\d{{{_DIGITS}}}\Z")
        found = self.client.indices.get_alias(index=f"{self.name}-*", params={"allow_no_indices": "true"})
        return {name: about["aliases"] for name, about in found.items() if ours.match(name)}

    def _next_number(self) -> str:
        numbers = [int(name[-_DIGITS:]) for name in self._all()]
        return f"{self.name}-{max(numbers, default=0) + 1:0{_DIGITS}}"

    def _about(self, generation: str) -> Any:
        found = self.client.indices.get_mapping(index=generation, params=_MAY_BE_ABSENT)
        return None if "error" in found else found[generation]["mappings"].get("_meta")

    def _copy(self, present: str, made: str) -> None:
        """Clone the current generation; on the same disk, the clone shares its files."""
        self._set_write_block(present, True)
        try:
            self.client.indices.clone(
                index=present,
                target=made,
                body={
                    "settings": {"index.blocks.write": None},
                    "aliases": {alias: {} for alias in (self.next_name, writing_alias(made))},
                },
                params={"wait_for_active_shards": "1", "request_timeout": _COPY_SECONDS},
            )
        finally:
            self._set_write_block(present, None)

    def _set_write_block(self, generation: str, value: bool | None) -> None:
        self.client.indices.put_settings(index=generation, body={"index.blocks.write": value})

    def _delete(self, generation: str) -> None:
        self.client.indices.delete(index=generation, params={"ignore_unavailable": "true"})


def writing_alias(generation: str) -> str:
    """The alias for writing to a generation."""
    return f"{generation}-write"
