"""Slots are given in the order in which threads came for them."""

from __future__ import annotations

from tribal.models.slots import Slots, Turn


def test_who_came_first_is_served_first_and_who_goes_away_keeps_no_one_waiting() -> None:
    slots = Slots()
    first, second, third, fourth = (slots.want() for _ in range(4))
    assert not slots.take(first)
    slots.allow(1)
    assert not slots.take(second), "the free slot is for who came before"
    assert slots.take(first)
    assert not slots.take(second)
    slots.leave(first)
    assert not slots.take(third)
    slots.leave(second)
    assert slots.take(third), "the one before has gone"
    assert slots.wanted == 2
    slots.allow(2)
    assert slots.take(fourth)
    assert (slots.allow_at_most(1), slots.wanted) == (2, 2)


def test_as_many_are_near_as_may_be_served_at_once_and_always_the_first() -> None:
    slots = Slots()
    turns = [Turn(slots, slots.want()) for _ in range(4)]
    assert [turn.is_near for turn in turns] == [True, False, False, False]
    slots.allow(2)
    assert [turn.is_near for turn in turns] == [True, True, False, False]
    assert turns[0].take()
    assert [turn.is_near for turn in turns[1:]] == [True, True, False]
