"""Distinct values of arrays without `numpy.unique`, which imports `numpy.ma`: 50 ms of CPU time in a short command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def distinct(*arrays: NDArray[Any]) -> NDArray[Any]:
    """The values of all arrays, without duplicates, in ascending order."""
    values: NDArray[Any] = np.sort(np.concatenate(arrays))
    found: NDArray[Any] = values[_is_first(values)]
    return found


def first_positions(values: NDArray[Any]) -> NDArray[Any]:
    """The position of the first occurrence of each value, in ascending order of position."""
    by_value = np.argsort(values, kind="stable")
    return np.sort(by_value[_is_first(values[by_value])])


def _is_first(ordered: NDArray[Any]) -> NDArray[Any]:
    found = np.ones(len(ordered), bool)
    found[1:] = ordered[1:] != ordered[:-1]
    return found
