"""Runs several searches in one request, all or nothing, against one state of an index."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from opensearchpy import OpenSearch
from opensearchpy.exceptions import NotFoundError, OpenSearchException, TransportError

from tribal.adapters.opensearch.queries import PAGE, Body, scan
from tribal.adapters.opensearch.state import OtherVersion, State, read_state, state_query
from tribal.errors import IndexAbsent, IndexNotReady

ATTEMPTS = 3
"""Tries of one search; with the client's timeout, they bound how long a question can take."""
_PAUSE_SECONDS = 0.1
_PASSING = frozenset({429, 502, 503, 504})
_PARAMS = {
    "filter_path": "responses.status,responses.error.type,responses.error.reason,responses.aggregations,"
    "responses.hits.total,responses.hits.hits._id,responses.hits.hits._seq_no,responses.hits.hits._primary_term,responses.hits.hits._source,"
    "responses.hits.hits.fields,responses.hits.hits.sort,responses.hits.hits.matched_queries"
}
_ABSENT = "index_not_found_exception"


class Reader:
    """Sends searches to the index that an alias currently points to.

    Args:
        client: client of the cluster.
        pause: sleeps before a search is retried after a transient failure.
    """

    def __init__(self, client: OpenSearch, pause: Callable[[float], None] = time.sleep) -> None:
        self._client = client
        self._pause = pause
        # A fixed preference always reads the same copy of the shard: another may be one refresh behind.
        self._preference = secrets.token_hex(8)

    def ask(self, alias: str, *bodies: Body) -> tuple[State, list[Any]]:
        """The state of a finished index, with the search results for that state.

        Raises:
            IndexNotReady: when there is no finished index, or it cannot be reached.
        """
        found, *answers = self.search(alias, state_query(), *bodies)
        try:
            state = read_state(found)
        except OtherVersion:
            raise IndexNotReady(
                f"the index {alias!r} was built by another version of this program; index again to rebuild it"
            ) from None
        if state is None:
            raise IndexNotReady(f"the index {alias!r} is not finished yet; wait for indexing to end, or index again")
        return state, answers

    def search(self, alias: str, *bodies: Body) -> list[Any]:
        """Run searches, retrying transient failures a few times.

        Raises:
            IndexAbsent: when the index does not exist.
            IndexNotReady: when one of them failed.
        """
        head = {"index": alias, "allow_partial_search_results": False, "preference": self._preference}
        first = json.dumps(head, separators=(",", ":"))
        request = "".join(f"{first}\n{json.dumps(body, separators=(',', ':'))}\n" for body in bodies)
        reason = ""
        for attempt in range(ATTEMPTS):
            if attempt:
                self._pause(_PAUSE_SECONDS * attempt)
            try:
                answers: list[Any] = self._client.msearch(body=request, params=_PARAMS)["responses"]
            except NotFoundError:
                raise _absent(alias) from None
            except TransportError as exc:
                reason = str(exc)[:300]
                if isinstance(exc.status_code, int) and exc.status_code not in _PASSING:
                    break
                continue
            except OpenSearchException as exc:
                reason = str(exc)[:300]
                break
            failed = [answer for answer in answers if "error" in answer]
            if not failed:
                for answer in answers:
                    # Empty values are left out of the response.
                    answer.setdefault("hits", {}).setdefault("hits", [])
                return answers
            kind = str(failed[0]["error"].get("type"))
            if kind == _ABSENT and attempt:
                # Check twice: the index behind an alias may be removed between resolving and searching.
                raise _absent(alias)
            reason = f"{kind}: {str(failed[0]['error'].get('reason'))[:200]}"
            if kind != _ABSENT and failed[0].get("status") not in _PASSING:
                break
        raise IndexNotReady(f"the index {alias!r} cannot be searched ({reason}); try again, or check the domain")

    def hits(self, generation: str, query: Body, fields: Sequence[str]) -> Iterator[Any]:
        """Every matching document of a generation, ordered by `id` and fetched in pages.

        Raises:
            IndexAbsent: when the index does not exist.
            IndexNotReady: when it cannot be read.
        """
        after: Sequence[Any] | None = None
        while True:
            (page,) = self.search(generation, scan(query, fields, after))
            hits = page["hits"]["hits"]
            yield from hits
            if len(hits) < PAGE:
                return
            after = hits[-1]["sort"]


def _absent(alias: str) -> IndexAbsent:
    return IndexAbsent(f"there is no index {alias!r} in the search domain; document a database, then index it")
