"""Divide the concurrent calls among the holders of a run."""

from __future__ import annotations

from collections.abc import Mapping


def fair_shares(wanted: Mapping[str, int], calls_at_once: int, turn: int) -> dict[str, int]:
    """The number of calls that each holder may run, `calls_at_once` in total.

    Max-min fair. Unwanted calls are spread as well, so that a new thread need not wait. The remainder rotates with
    `turn`.
    """
    names = sorted(wanted)
    first = turn % max(1, len(names))
    names = names[first:] + names[:first]
    shares = dict.fromkeys(names, 0)
    for _ in range(calls_at_once if names else 0):
        short = [name for name in names if shares[name] < wanted[name]]
        if short:
            taker = min(short, key=lambda name: shares[name])
        else:
            taker = min(names, key=lambda name: shares[name] - wanted[name])
        shares[taker] += 1
    return shares
