"""Waves of units for the state machine's Map, and how many units run at once."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter

from tribal.identity import locations
from tribal.planning import ComposedPlan
from tribal.planning.units.work_units import concurrency_limit
from tribal.ports import Application, Options
from tribal.store import put_record
from tribal_contracts import ComposedRun, RunOutline, UnitCounts, UnitItem, Wave

TABLES_A_CALL = 2
"""Tables in progress per concurrent call; a judgement: the next are sampled while the model answers."""
_TABLES_A_CALL_OF_FUNCTIONS = 4
"""The same for functions, which take seconds to start: units that start together end together and leave calls idle.

Measured in November 2026: 2.7 tables per call take 1.12 of the least time, 4.1 and 5.3 take 1.07.
"""


def waves_of(outline: RunOutline) -> Iterator[list[str]]:
    """Units in waves, each depending only on earlier ones and ordered by priority; one wave without dependencies."""
    order = {unit.id: position for position, unit in enumerate(outline.units)}
    sorter = TopologicalSorter(
        {unit.id: [other for other in unit.depends_on if other in order] for unit in outline.units}
    )
    sorter.prepare()
    while sorter.is_active():
        wave = sorted(sorter.get_ready(), key=order.__getitem__)
        yield wave
        sorter.done(*wave)


_WITHOUT_WORK = "units-without-work"
"""In place of a unit's id: the counts of all units that are not called, whose tables are unchanged."""


@dataclass(frozen=True, slots=True)
class WaveCutter:
    """Writes the waves of a run to its store."""

    run_id: str
    app: Application

    def cut(self, outline: RunOutline, composed: ComposedPlan) -> ComposedRun:
        """Write one file per wave, without units that have nothing to document."""
        options = self.app.options()
        networks = {entry.name: entry.network for entry in options.databases}
        tables = self._tables_to_ask(composed, options)
        databases = {unit.id: unit.database for unit in outline.units}
        idle = {
            unit.id: len(unit.tables)
            for unit in composed.plan.work_units
            if unit.id in databases and unit.has_work is False and not options.documenting.force
        }
        waves, widths = [], [composed.plan.summary.recommended_parallelism]
        for number, wave in enumerate(waves_of(outline), start=1):
            ids = [unit_id for unit_id in wave if unit_id not in idle]
            if not ids:
                continue
            if options.model is not None:
                ids = interleaved(ids, tables)
                enough = _TABLES_A_CALL_OF_FUNCTIONS * options.model.parallel_calls
                wanted = units_needed([tables[unit_id] for unit_id in ids], enough)
                widths.append(self._within_connection_limits(wanted, [databases[unit_id] for unit_id in ids]))
            items = [UnitItem(unit_id=unit_id, network=networks[databases[unit_id]]) for unit_id in ids]
            key = locations.run_wave_file(self.run_id, number)
            self.app.store().put(key, json.dumps([item.model_dump(mode="json") for item in items]).encode())
            waves.append(Wave(key=key, units=len(items)))
        if idle:
            counts = UnitCounts(documented=0, unchanged=sum(idle.values()), failed=0)
            put_record(self.app.store(), locations.run_counts_file(self.run_id, _WITHOUT_WORK), counts)
        return ComposedRun(units=sum(wave.units for wave in waves), waves=waves, units_at_once=max(widths))

    def _within_connection_limits(self, wanted: int, databases: Sequence[str]) -> int:
        """At most `wanted` units, within the connection limits of the servers that are sampled."""
        options = self.app.options()
        by_name = {entry.name: entry for entry in options.databases}
        sampled = [
            entry
            for entry in map(by_name.__getitem__, databases)
            if options.documenting.for_entry(entry).rows_to_sample > 0
        ]
        return concurrency_limit(wanted, sampled, self.app.run.server_of)

    @staticmethod
    def _tables_to_ask(composed: ComposedPlan, options: Options) -> dict[str, int]:
        """The most tables of each unit to ask the model about; 1 for units without a model, which end soon."""
        by_name = {entry.name: entry for entry in options.databases}
        return {
            unit.id: max(1, sum(spec.has_work is not False for spec in unit.tables))
            if options.described_by_model(by_name[unit.database])
            else 1
            for unit in composed.plan.work_units
        }


def interleaved(units: Sequence[str], tables: Mapping[str, int]) -> list[str]:
    """Alternate units with many and with few tables, so that concurrent units have about the same number in total."""
    largest_first = sorted(units, key=lambda unit: -tables[unit])
    half = (len(largest_first) + 1) // 2
    many, few = largest_first[:half], largest_first[half:][::-1]
    by_turns = [unit for pair in zip(many, few, strict=False) for unit in pair]
    return by_turns + many[len(few) :]


def units_needed(tables: Sequence[int], enough: int) -> int:
    """The least number of concurrent units that always have enough tables in total.

    Args:
        tables: number of tables per unit, in the order in which the units start.
        enough: how many tables should be in progress, as long as that many are left.
    """
    widest, end, in_progress = 1, 0, 0
    for start, first in enumerate(tables):
        while in_progress < enough and end < len(tables):
            in_progress += tables[end]
            end += 1
        if in_progress < enough:
            return max(widest, end - start)
        widest = max(widest, end - start)
        in_progress -= first
    return widest
