"""Test doubles that fulfil the contracts of their ports."""

from __future__ import annotations

from tests.fakes.application import OurLease, application, application_of, application_over, options, run_with
from tests.fakes.fixed_clock import FixedClock
from tests.fakes.memory_store import MemoryStore
from tests.fakes.recording_sink import RecordingSink

__all__ = [
    "FixedClock",
    "MemoryStore",
    "OurLease",
    "RecordingSink",
    "application",
    "application_of",
    "application_over",
    "options",
    "run_with",
]
