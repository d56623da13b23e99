"""A stand-in for Snowflake on a real port, for the fixture `snowflake`."""

from tests.fakes.snowflake.catalog import Column, ForeignKey, Index, Key
from tests.fakes.snowflake.server import FakeSnowflake

__all__ = ["Column", "FakeSnowflake", "ForeignKey", "Index", "Key"]
