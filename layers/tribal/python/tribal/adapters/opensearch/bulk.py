"""Bulk writes: each document succeeds or fails on its own, and throttled ones are sent again."""

from __future__ import annotations

import json
import random
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from opensearchpy import OpenSearch
from opensearchpy.exceptions import OpenSearchException, TransportError

from tribal.errors import IndexWriteFailed

_REQUEST_BYTES = 4 << 20
"""Size limit of a request; small AWS domains refuse more than 10 MiB."""
_REQUEST_DOCUMENTS = 1_000
_IN_FLIGHT = 2
"""Concurrent requests: the domain writes one while the next is in transit."""
_ATTEMPTS = 7
_FIRST_PAUSE_SECONDS = 0.2
_LONGEST_PAUSE_SECONDS = 10.0
_BUSY = frozenset({429, 502, 503, 504})
_REASONS_SHOWN = 3
_REASON_CHARS = 200


@dataclass(frozen=True, slots=True)
class Action:
    """A write of one document, or its deletion if `document` is `None`."""

    document_id: str
    document: dict[str, Any] | None
    seen: tuple[int, int] | None = None
    """Sequence number and primary term of the document to delete; one that was written since is left alone."""

    def lines(self) -> bytes:
        """The action in the format of a bulk request."""
        head: dict[str, Any] = {"_id": self.document_id}
        if self.seen is not None:
            head |= {"if_seq_no": self.seen[0], "if_primary_term": self.seen[1]}
        if self.document is None:
            return line({"delete": head})
        return line({"index": head}) + line(self.document)


class _SerializedAction(NamedTuple):
    """An action with its lines, serialized once however often they are sent."""

    action: Action
    lines: bytes


class BulkWriter:
    """Writes to the index behind an alias; never creates one.

    Args:
        client: client of the cluster.
        pause: sleeps between attempts, for up to ten seconds.
    """

    def __init__(self, client: OpenSearch, pause: Callable[[float], None] = time.sleep) -> None:
        self._client = client
        self._pause = pause

    def write(self, alias: str, actions: Sequence[Action]) -> None:
        """Perform every action.

        Raises:
            IndexWriteFailed: when one was refused permanently, or still throttled after the last attempt.
        """
        with ThreadPoolExecutor(_IN_FLIGHT) as pool:
            deque(pool.map(partial(self._write_batch, alias), _batches(actions)), maxlen=0)

    def _write_batch(self, alias: str, batch: list[_SerializedAction]) -> None:
        reasons: list[str] = []
        for attempt in range(_ATTEMPTS):
            if attempt:
                longest = min(_FIRST_PAUSE_SECONDS * 2**attempt, _LONGEST_PAUSE_SECONDS)
                self._pause(longest * random.uniform(0.5, 1.0))  # noqa: S311 - jitter, not cryptography
            batch, reasons = self._send(alias, batch)
            if not batch:
                return
        raise IndexWriteFailed(
            f"the index was too busy for {len(batch)} document(s) ({_shown(reasons)}); retry later, or use a larger "
            "instance, and index again"
        )

    def _send(self, alias: str, batch: list[_SerializedAction]) -> tuple[list[_SerializedAction], list[str]]:
        """Send one request; returns the actions to send again and why."""
        try:
            answer = self._client.bulk(
                body=b"".join(written.lines for written in batch),
                index=alias,
                params={"require_alias": "true", "filter_path": "errors,items.*.status,items.*.error"},
            )
        except TransportError as exc:
            if exc.status_code in _BUSY or not isinstance(exc.status_code, int):
                return batch, [str(exc)]
            raise IndexWriteFailed(f"the index refused {len(batch)} document(s): {_cut(str(exc))}") from exc
        except OpenSearchException as exc:
            raise IndexWriteFailed(f"the index cannot be written: {_cut(str(exc))}") from exc
        again: list[_SerializedAction] = []
        busy: list[str] = []
        refused: list[str] = []
        for written, item in zip(batch, answer["items"], strict=True):
            (result,) = item.values()
            status = result["status"]
            if status in _BUSY:
                again.append(written)
                busy.append(_reason(result))
            elif status >= 300 and not _is_done(written.action, result):
                refused.append(_reason(result))
        if refused:
            raise IndexWriteFailed(
                f"the index refused {len(refused)} of {len(batch)} document(s): {_shown(refused)}; index again, or "
                "rebuild the index if its layout is outdated"
            )
        return again, busy


def _is_done(action: Action, result: dict[str, Any]) -> bool:
    """Whether there is nothing to delete: the document is gone, or was written since it was seen."""
    gone = result["status"] == 404 and "error" not in result
    return action.document is None and (gone or result["status"] == 409)


def _batches(actions: Sequence[Action]) -> Iterator[list[_SerializedAction]]:
    batch: list[_SerializedAction] = []
    size = 0
    for action in actions:
        written = _SerializedAction(action, action.lines())
        if batch and (size + len(written.lines) > _REQUEST_BYTES or len(batch) == _REQUEST_DOCUMENTS):
            yield batch
            batch, size = [], 0
        batch.append(written)
        size += len(written.lines)
    if batch:
        yield batch


def line(value: Mapping[str, Any]) -> bytes:
    """A line of a bulk or multi-search request."""
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


def _reason(result: dict[str, Any]) -> str:
    error = result.get("error", {})
    return f"{error.get('type', result['status'])}: {error.get('reason', '')}"


def _shown(reasons: Sequence[str]) -> str:
    return "; ".join(_cut(reason) for reason in list(dict.fromkeys(reasons))[:_REASONS_SHOWN])


def _cut(text: str) -> str:
    return text if len(text) <= _REASON_CHARS else text[:_REASON_CHARS] + "..."
