"""The outline of a table is the same, whether it is made from the catalog or read from the table's document."""

from __future__ import annotations

from pathlib import Path

from tests.plugins.postgres import FreshDatabase, OpenCatalog
from tests.tribal_command import run_tribal
from tribal.catalog.outline import TableOutline, outline_of
