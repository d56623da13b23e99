"""Document work units, and finish a documenting run."""

from __future__ import annotations

from tribal.documenting.finish.finish import FinishResult, finish
from tribal.documenting.lint import LintReport, lint
from tribal.documenting.progress import (
    fold_progress,
    forget_earlier_plan,
    overall_status,
    pending_progress,
    read_units,
)
from tribal.documenting.quoting import TablePreview, asks_model, preview_table, quoted_plan
from tribal.documenting.staleness import SERVER_UNAVAILABLE, WAITING, WorkInspector
from tribal.documenting.todo import TodoList, todo
from tribal.documenting.units.document_unit import document_unit
from tribal.documenting.units.sampling import PERMISSION_DENIED

__all__ = [
    "PERMISSION_DENIED",
    "SERVER_UNAVAILABLE",
    "WAITING",
    "FinishResult",
    "LintReport",
    "TablePreview",
    "TodoList",
    "WorkInspector",
    "asks_model",
    "document_unit",
    "finish",
    "fold_progress",
    "forget_earlier_plan",
    "lint",
    "overall_status",
    "pending_progress",
    "preview_table",
    "quoted_plan",
    "read_units",
    "todo",
]
