"""A stand-in for Claude on a real port, for the fixture `claude`."""

from tests.fakes.claude.server import KEY, Call, FakeClaude

__all__ = ["KEY", "Call", "FakeClaude"]
