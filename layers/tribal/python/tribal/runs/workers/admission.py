"""Start enough work units to keep a model busy."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from tribal.runs.waves import TABLES_A_CALL

if TYPE_CHECKING:
    from tribal.ports import Options, StopToken
    from tribal.runs.workers.units import DocumentUnit
    from tribal_contracts import RunOutline, UnitResult

_LOOK_SECONDS = 0.5


class UnitAdmission:
    """Admits units up to `units_at_once`; with a model, admits more while few tables are in progress.

    Units may have few tables, and each concurrent call needs one. Connections to a server stay within their limit,
    however many units wait for them.

    Args:
        document: documents a unit. options: of the run. outline: has the units' numbers of tables. stop: ends waiting.
    """

    def __init__(self, document: DocumentUnit, options: Options, outline: RunOutline, stop: StopToken) -> None:
        self._document = document
        self._most_units = options.planning.units_at_once
        self._enough_tables = TABLES_A_CALL * options.model.parallel_calls if options.model is not None else 0
        self._tables = {
            unit.id: unit.tables if unit.tables_to_document is None else unit.tables_to_document
            for unit in outline.units
        }
        self._stop = stop
        self._change = threading.Condition()
        self._units_admitted = 0
        self._tables_admitted = 0

    @property
    def at_once(self) -> int:
        """The most units that are ever admitted at once."""
        return max(self._most_units, self._enough_tables)

    def document(self, unit_id: str, /, *, postpone: bool = True) -> UnitResult:
        """Document a unit as soon as it is admitted; see `DocumentUnit`."""
        tables = self._tables[unit_id]
        with self._change:
            while self._units_admitted >= self._most_units and self._tables_admitted >= self._enough_tables:
                self._stop.check()
                self._change.wait(_LOOK_SECONDS)
            self._count(1, tables)
        try:
            return self._document(unit_id, postpone=postpone)
        finally:
            with self._change:
                self._count(-1, -tables)
                self._change.notify_all()

    def _count(self, units: int, tables: int) -> None:
        self._units_admitted += units
        self._tables_admitted += tables
