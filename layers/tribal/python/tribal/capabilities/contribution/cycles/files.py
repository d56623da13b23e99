"""The files of contributions in the object store.

A cycle's files are in its folder. Files with the specification's names in `contribution/` are copies of those of the
running cycle.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import ValidationError

from tribal.capabilities.contribution.errors import CycleUnknown, HandoffInvalid
from tribal.errors import ObjectDamaged, ObjectNotFound
from tribal.ports import ObjectStore
from tribal.store import RecordFile, put_if_changed, put_record, put_record_if_changed, read_record
from tribal.store.sealing import require_seal
from tribal_contracts.contribution import HANDOFFS
from tribal_contracts.contribution.cycles import Approval, CycleRecord, SwarmStatus
from tribal_contracts.contribution.handoffs import AgentName, Handoff

FOLDER = "contribution/"
LEASE = "contribution"
"""The lease of the process that prepares or publishes."""
STATUS_FILE = f"{FOLDER}swarm-status.json"


@dataclass(frozen=True, slots=True)
class ContributionFiles:
    """Reads and writes cycles, their hand-offs and approvals."""

    store: ObjectStore

    def numbers(self) -> list[int]:
        """The number of every cycle, in order."""
        keys = self.store.keys(f"{FOLDER}cycles/")
        names = {key.removeprefix(f"{FOLDER}cycles/").split("/")[0] for key in keys if key.endswith("/cycle.json")}
        return sorted(int(name) for name in names if name.isdigit())

    def records(self) -> list[CycleRecord]:
        """The record of every cycle, in order.

        Raises:
            HandoffInvalid: when one is damaged.
        """
        return [self.record(number) for number in self.numbers()]

    def record_file(self, cycle: int) -> RecordFile[CycleRecord]:
        """The file of a cycle's record."""
        return RecordFile(self.store, f"{_folder(cycle)}cycle.json", CycleRecord)

    def record(self, cycle: int) -> CycleRecord:
        """The record of a cycle.

        Raises:
            CycleUnknown: when there is no such cycle.
            HandoffInvalid: when it is damaged.
        """
        try:
            return self.record_file(cycle).read().record
        except ObjectNotFound as error:
            raise unknown_cycle(cycle) from error
        except ObjectDamaged as error:
            raise _invalid(f"{_folder(cycle)}cycle.json", error.message) from error

    def handoffs(self, cycle: int) -> dict[AgentName, Handoff]:
        """The hand-offs of a cycle by agent.

        Raises:
            HandoffInvalid: when one is damaged, or of another cycle.
        """
        found = {agent: self._handoff(cycle, agent) for agent in HANDOFFS}
        return {agent: each for agent, each in found.items() if each is not None}

    def put_handoff(self, agent: AgentName, handoff: Handoff) -> None:
        """Write a hand-off to its cycle's folder, then its copy."""
        name, kind = HANDOFFS[agent]
        kind.from_json(handoff.to_json())
        put_record(self.store, f"{_folder(handoff.cycle)}{name}.json", handoff)
        put_record(self.store, f"{FOLDER}{name}.json", handoff)

    def discard_failed(self, cycle: int, agent: AgentName) -> None:
        """Remove the hand-off of an agent that failed, so that it is run again."""
        found = self._handoff(cycle, agent)
        if found is not None and found.errors:
            self.store.delete(f"{_folder(cycle)}{HANDOFFS[agent][0]}.json")

    def show_running(self, handoffs: Mapping[AgentName, Handoff]) -> None:
        """Make the copies in `contribution/` those of the newest cycle."""
        for agent, (name, _) in HANDOFFS.items():
            if agent in handoffs:
                put_record_if_changed(self.store, f"{FOLDER}{name}.json", handoffs[agent])
            else:
                self.store.delete(f"{FOLDER}{name}.json")

    def put_patch(self, cycle: int, patch: str) -> None:
        """Write the diff of a cycle, for people and `git apply`."""
        put_if_changed(self.store, f"{_folder(cycle)}patch.diff", patch.encode())

    def approval(self, cycle: int, number: int) -> Approval | None:
        """An approval of a cycle; `None` if it does not exist or is damaged, so that it has to be given again."""
        return read_record(self.store, f"{_folder(cycle)}approvals/{number}.json", Approval)

    def put_approval(self, approval: Approval) -> None:
        """Write an approval; the latest is also `approval.json`."""
        folder = _folder(approval.cycle)
        put_record(self.store, f"{folder}approvals/{approval.number}.json", approval)
        put_record(self.store, f"{folder}approval.json", approval)

    def status(self) -> SwarmStatus | None:
        """The status as it was written last; `None` if it does not exist or is damaged."""
        return read_record(self.store, STATUS_FILE, SwarmStatus)

    def put_status(self, status: SwarmStatus) -> None:
        """Write the status, unless it is the same."""
        put_record_if_changed(self.store, STATUS_FILE, status)

    def swarm_id(self, records: list[CycleRecord]) -> str:
        """The id of this store, created once."""
        if records:
            return records[-1].swarm_id
        status = self.status()
        return status.swarm_id if status is not None else str(uuid.uuid4())

    def _handoff(self, cycle: int, agent: AgentName) -> Handoff | None:
        name, kind = HANDOFFS[agent]
        key = f"{_folder(cycle)}{name}.json"
        try:
            data = self.store.get(key).data
            require_seal(key, data)
            found = kind.from_json(data)
        except ObjectNotFound:
            return None
        except (ObjectDamaged, ValidationError) as error:
            raise _invalid(key, "it is damaged") from error
        if found.cycle != cycle:
            raise _invalid(key, f"it belongs to cycle {found.cycle}")
        return found


def unknown_cycle(cycle: int) -> CycleUnknown:
    """The error for a cycle that is missing or hidden: the same words for both."""
    return CycleUnknown(f"there is no contribution {cycle}; `tribal contribute status` lists those that you may see")


def _folder(cycle: int) -> str:
    return f"{FOLDER}cycles/{cycle}/"


def _invalid(key: str, why: str) -> HandoffInvalid:
    return HandoffInvalid(f"{key} cannot be used: {why}; restore it from a backup, or abort the contribution")
