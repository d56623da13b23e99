"""Generations of an index: each is a separate OpenSearch index, and an alias points to the current one.

The alias `NAME` points to the generation that readers use, `NAME-next` to the one being written. Every generation also
has its own alias for writing, because a write through an alias can be kept from creating an index by mistake.

A published generation is never written, and an unfinished one has a single writer: the process that resumes it clones
it and removes the original, so that a writer that was taken for dead can do no more harm.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from opensearchpy import OpenSearch

from tribal.adapters.opensearch.layout import PUBLISHED, index_body

_DIGITS = 6
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

    def unfinished(self, about: dict[str, str]) -> str | None:
        """The generation that an interrupted writer left, if it can be resumed."""
        return self._fitting(self.resolve(self.next_name), about)

    def begin(self, about: dict[str, str], dimensions: int, *, from_scratch: bool) -> str:
        """Make the next generation: a clone of the unfinished one, else of the published one, else an empty one.

        Args:
            about: metadata that a generation must match to be cloned.
            dimensions: length of a vector, fixed for the life of a generation.
            from_scratch: whether to start empty.
        """
        left, made = self.resolve(self.next_name), self._next_number()
        source = None if from_scratch else self._fitting(left, about) or self._fitting(self.resolve(self.name), about)
        if source is None:
            self.client.indices.create(index=made, body=index_body(dimensions, about, [writing_alias(made)]))
        else:
            self._clone(source, made)
        self._point({self.next_name: made})
        self._remove_unless_published(left)
        return made

    def abandon(self) -> None:
        """Remove the generation being written."""
        self._remove_unless_published(self.resolve(self.next_name))

    def publish(self, generation: str) -> None:
        """Switch readers to the generation being written, atomically."""
        self.client.indices.put_settings(index=generation, body=PUBLISHED)
        left = self.resolve(self.name)
        self._point({self.name: generation, self.next_name: None})
        self._sweep(keep=left)

    def _point(self, aliases: dict[str, str | None]) -> None:
        """Point each alias to one generation alone, or to none; all at once."""
        actions = [{"remove": {"index": f"{self.name}-*", "alias": alias}} for alias in aliases]
        actions += [{"add": {"index": made, "alias": alias}} for alias, made in aliases.items() if made is not None]
        self.client.indices.update_aliases(body={"actions": actions})

    def _sweep(self, keep: str | None) -> None:
        """Remove the generations without readers, except the one that some may still be using."""
        for name, aliases in self._all().items():
            if name != keep and set(aliases) <= {writing_alias(name)}:
                self._delete(name)

    def _remove_unless_published(self, generation: str | None) -> None:
        if generation is not None and generation != self.resolve(self.name):
            self._delete(generation)

    def _all(self) -> dict[str, Any]:
        ours = re.compile(rf"{re.escape(self.name)}-\d{{{_DIGITS}}}\Z")
        found = self.client.indices.get_alias(index=f"{self.name}-*", params={"allow_no_indices": "true"})
        return {name: about["aliases"] for name, about in found.items() if ours.match(name)}

    def _next_number(self) -> str:
        numbers = [int(name[-_DIGITS:]) for name in self._all()]
        return f"{self.name}-{max(numbers, default=0) + 1:0{_DIGITS}}"

    def _fitting(self, generation: str | None, about: dict[str, str]) -> str | None:
        if generation is None:
            return None
        found = self.client.indices.get_mapping(index=generation, params=_MAY_BE_ABSENT)
        return generation if "error" not in found and found[generation]["mappings"].get("_meta") == about else None

    def _clone(self, source: str, made: str) -> None:
        """Clone a generation and close it to writers; on the same disk, the clone shares its files."""
        self.client.indices.put_settings(index=source, body={"index.blocks.write": True})
        self.client.indices.clone(
            index=source,
            target=made,
            body={"settings": {"index.blocks.write": None}, "aliases": {writing_alias(made): {}}},
            params={"wait_for_active_shards": "1", "request_timeout": _COPY_SECONDS},
        )

    def _delete(self, generation: str) -> None:
        self.client.indices.delete(index=generation, params={"ignore_unavailable": "true"})


def writing_alias(generation: str) -> str:
    """The alias for writing to a generation."""
    return f"{generation}-write"
