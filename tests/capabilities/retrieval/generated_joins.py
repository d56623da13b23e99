"""Join paths between tables drawn by seed, for running their SQL through `EXPLAIN`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from random import Random

from tribal.capabilities.retrieval.names import name_of
from tribal.ports import Application, Caller, IndexFilter
from tribal.tools.call import call_tool
from tribal_contracts import GetJoinPathOutput

_SEED = 20_261_121


def generated_joins(app: Application, count: int) -> Iterator[GetJoinPathOutput]:
    """At most `count` paths, each between different tables, with a random limit on the steps."""
    random = Random(_SEED)
    pairs = list(permutations([name_of(entry) for entry in app.index().tables(IndexFilter())], 2))
    random.shuffle(pairs)
    for source, target in pairs:
        if count == 0:
            return
        asked = {"source_table": source, "target_table": target, "max_hops": random.randint(1, 10)}
        answer = call_tool("get_join_path", asked, Caller("bench"), app)
        assert isinstance(answer, GetJoinPathOutput)
        if answer.path_found:
            count -= 1
            yield answer
