"""Where ids stand among others, for thousands at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Positions:
    """Looks up ids, each of which stands once and in any order.

    Args:
        ids: N int64.
    """

    def __init__(self, ids: NDArray[Any]) -> None:
        self._order = np.argsort(ids)
        self._ordered = ids[self._order]

    def of(self, wanted: NDArray[Any]) -> NDArray[Any]:
        """The position of each wanted id, -1 for one that is not there."""
        if not len(self._ordered):
            return np.full(len(wanted), -1)
        places = np.minimum(np.searchsorted(self._ordered, wanted), len(self._ordered) - 1)
        found: NDArray[Any] = np.where(self._ordered[places] == wanted, self._order[places], -1)
        return found
