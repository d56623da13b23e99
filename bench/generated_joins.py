"""Join paths between tables picked at random but repeatably, for running their SQL through `EXPLAIN`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from random import Random

from tribal.ports import Application, Caller, IndexFilter
from tribal.retrieval.names import name_of
from tribal.tools.call import call_tool
from tribal_contracts import GetJoinPathOutput

_SEED = 20_261_121


def generated_joins(app: Application, count: int) -> Iterator[GetJoinPathOutput]:
    """At most so many paths of an index, each between other tables and of up to as many hops as chance allows."""
    randomly = Random(_SEED)
    pairs = list(permutations([name_of(entry) for entry in app.index().tables(IndexFilter())], 2))
    randomly.shuffle(pairs)
    for source, target in pairs:
        if count == 0:
            return
        asked = {"source_table": source, "target_table": target, "max_hops": randomly.randint(1, 10)}
        answer = call_tool("get_join_path", asked, Caller("bench"), app)
        assert isinstance(answer, GetJoinPathOutput)
        if answer.path_found:
            count -= 1
            yield answer
