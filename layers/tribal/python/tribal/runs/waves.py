"""The waves of units that a state machine's Map documents, and how many of them at once."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter

from tribal.identity import locations
from tribal.planning import ComposedPlan
from tribal.planning.concurrency import concurrency_limit
from tribal.ports import Application, Options
from tribal_contracts import ComposedRun, RunOutline, UnitItem, Wave

TABLES_A_CALL = 2
"""Tables of units under way for each call at once, by judgement: the next are sampled while the model answers."""
_TABLES_A_CALL_OF_FUNCTIONS = 4
"""The same of functions, which take seconds to start: units that began together end together, and calls lie idle.

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


@dataclass(frozen=True, slots=True)
class WaveCutter:
    """Writes the waves of a run to its store."""

    run_id: str
    app: Application

    def cut(self, outline: RunOutline, composed: ComposedPlan) -> ComposedRun:
        """Write one file a wave, without units that have nothing to document."""
        options = self.app.options()
        networks = {entry.name: entry.network for entry in options.databases}
        tables = self._tables_to_ask(composed, options)
        idle = {unit.id for unit in composed.plan.work_units if unit.has_work is False}
        databases = {unit.id: unit.database for unit in outline.units}
        waves, widths = [], [composed.plan.summary.recommended_parallelism]
        for number, wave in enumerate(waves_of(outline), start=1):
            ids = [unit_id for unit_id in wave if options.documenting.force or unit_id not in idle]
            if not ids:
                continue
            if options.model is not None:
                ids = mixed(ids, tables)
                enough = _TABLES_A_CALL_OF_FUNCTIONS * options.model.calls_at_once
                wanted = feeding([tables[unit_id] for unit_id in ids], enough)
                widths.append(self._connectable(wanted, [databases[unit_id] for unit_id in ids]))
            items = [UnitItem(unit_id=unit_id, network=networks[databases[unit_id]]) for unit_id in ids]
            key = locations.run_wave_file(self.run_id, number)
            self.app.store().put(key, json.dumps([item.model_dump(mode="json") for item in items]).encode())
            waves.append(Wave(key=key, units=len(items)))
        return ComposedRun(units=sum(wave.units for wave in waves), waves=waves, units_at_once=max(widths))

    def _connectable(self, wanted: int, databases: Sequence[str]) -> int:
        """At most `wanted`, as far as the servers take the connections of units that are sampled."""
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
        """How many tables of each unit the model is asked about, at the most; 1 where it is not, as those end soon."""
        by_name = {entry.name: entry for entry in options.databases}
        return {
            unit.id: max(1, sum(spec.has_work is not False for spec in unit.tables))
            if options.described_by_model(by_name[unit.database])
            else 1
            for unit in composed.plan.work_units
        }


def mixed(units: Sequence[str], tables: Mapping[str, int]) -> list[str]:
    """Units of many tables and of few by turns, so that those under way together have about the same number."""
    largest_first = sorted(units, key=lambda unit: -tables[unit])
    half = (len(largest_first) + 1) // 2
    many, few = largest_first[:half], largest_first[half:][::-1]
    by_turns = [unit for pair in zip(many, few, strict=False) for unit in pair]
    return by_turns + many[len(few) :]


def feeding(tables: Sequence[int], enough: int) -> int:
    """The least number of units of which, wherever one looks, consecutive ones have enough tables together.

    Args:
        tables: of each unit, in the order in which the units begin.
        enough: how many tables are to be under way, as long as there are so many left.
    """
    widest, end, under_way = 1, 0, 0
    for start, first in enumerate(tables):
        while under_way < enough and end < len(tables):
            under_way += tables[end]
            end += 1
        if under_way < enough:
            return max(widest, end - start)
        widest = max(widest, end - start)
        under_way -= first
    return widest
