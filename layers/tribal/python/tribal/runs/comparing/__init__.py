"""Compare the databases with the last run, without writing anything."""

from __future__ import annotations

from tribal.runs.comparing.compare import (
    Comparison,
    DatabaseChanges,
    DocumentChanges,
    compare_runs,
    compare_with_databases,
)

__all__ = ["Comparison", "DatabaseChanges", "DocumentChanges", "compare_runs", "compare_with_databases"]
