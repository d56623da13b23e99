"""How many slots each caller gets."""

from __future__ import annotations

import asyncio
from collections.abc import Hashable

from tests.cases import each_case
from tribal.edges.mcp.caller_slots import CallerSlots


def entered(*callers: Hashable, threads: int) -> list[Hashable]:
    """The callers who enter at once; afterwards all others get in too."""

    async def run() -> list[Hashable]:
        slots, may_end = CallerSlots(threads), asyncio.Event()
        inside: list[Hashable] = []

        async def hold(caller: Hashable) -> None:
            async with slots.of(caller):
                inside.append(caller)
                await may_end.wait()

        tasks = [asyncio.create_task(hold(each)) for each in callers]
        for _ in range(5):
            await asyncio.sleep(0)
        at_first = [*inside]
        may_end.set()
        await asyncio.gather(*tasks)
        assert sorted(map(str, inside)) == sorted(map(str, callers))
        return at_first

    return asyncio.run(run())


@each_case(("threads", "most"), [(1, 1), (2, 1), (4, 2), (5, 2)])
def test_a_caller_gets_half_of_the_threads_and_at_least_one(threads: int, most: int) -> None:
    assert entered("a", "a", "a", "b", threads=threads) == ["a"] * most + ["b"]


def test_callers_without_a_token_are_told_apart_by_their_address() -> None:
    near, far = ("anonymous", "127.0.0.1"), ("anonymous", "192.0.2.1")
    assert entered(near, near, far, threads=2) == [near, far]


def test_who_gives_up_waiting_leaves_nothing_behind() -> None:
    async def run() -> None:
        slots = CallerSlots(2)

        async def enter() -> None:
            async with slots.of("a"):
                pass

        async with slots.of("a"):
            waiting = asyncio.create_task(enter())
            await asyncio.sleep(0)
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
        await asyncio.wait_for(enter(), timeout=10)

    asyncio.run(run())
