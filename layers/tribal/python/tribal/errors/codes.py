"""The code of each error that callers see."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

Activity = Literal["planning", "documenting", "indexing", "retrieving"]
"""What the program was doing when an error occurred; reading a catalog counts as planning."""

# For each class, by its name, its default code, and codes for particular activities. A class that is not listed uses
# its nearest listed base class.
CODES: dict[str, tuple[str, Mapping[Activity, str]]] = {
    "TribalError": ("RET_INTERNAL", {}),
    "ConfigurationError": ("PLAN_CONFIG_INVALID", {}),
    "ConfigurationNotFound": ("PLAN_CONFIG_NOT_FOUND", {}),
    "SelectionUnknown": ("WORK_UNIT_INVALID", {}),
    "DatabaseError": ("DOC_TABLE_EXTRACTION_FAILED", {"planning": "PLAN_DB_UNREACHABLE"}),
    "DatabaseUnreachable": ("PLAN_DB_UNREACHABLE", {}),
    "ServerUnavailable": ("PLAN_SERVER_UNAVAILABLE", {"documenting": "DOC_SERVER_UNAVAILABLE"}),
    "LoginRefused": ("PLAN_DB_UNREACHABLE", {}),
    "ConnectionLost": ("DOC_DB_CONNECTION_LOST", {"planning": "PLAN_DB_UNREACHABLE"}),
    "StatementTimedOut": ("DOC_SAMPLING_TIMEOUT", {"planning": "PLAN_DB_UNREACHABLE"}),
    "TableGone": ("DOC_TABLE_GONE", {}),
    "AccessDenied": ("DOC_SAMPLING_FAILED", {"planning": "PLAN_DB_UNREACHABLE"}),
    "StoreError": (
        "DOC_WRITE_FAILED",
        {"planning": "PLAN_WRITE_FAILED", "indexing": "IDX_DB_WRITE_FAILED", "retrieving": "RET_INDEX_NOT_READY"},
    ),
    # Unless indexing or retrieving, an object looked up by key is part of a plan.
    "ObjectNotFound": ("DOC_PLAN_INVALID", {"indexing": "IDX_FILE_NOT_FOUND", "retrieving": "RET_INDEX_NOT_READY"}),
    "ObjectDamaged": ("DOC_PLAN_INVALID", {"indexing": "IDX_FILE_INVALID", "retrieving": "RET_INDEX_NOT_READY"}),
    "SecretsUnavailable": ("ENV_SECRETS_UNAVAILABLE", {}),
    "RunError": ("DOC_RUN_LOCKED", {}),
    "RunInterrupted": ("DOC_RUN_INTERRUPTED", {}),
    "PlanError": ("DOC_PLAN_INVALID", {}),
    "ManifestError": ("IDX_MANIFEST_INVALID", {}),
    "IndexNotReady": ("RET_INDEX_NOT_READY", {}),
    "IndexWriteFailed": ("IDX_DB_WRITE_FAILED", {}),
    "EmbeddingFailed": ("IDX_EMBEDDING_FAILED", {}),
    "DeploymentError": ("ENV_UNREACHABLE", {}),
    "DeploymentRefused": ("ENV_ACCESS_DENIED", {}),
    "ToolInputInvalid": ("RET_QUERY_INVALID", {}),
    "AnswerTooLong": ("RET_BUDGET_EXCEEDED", {}),
    "RightMissing": ("RET_ACCESS_DENIED", {}),
    "MemoryRefused": ("MEM_INTERNAL", {}),
    "MemoryInputInvalid": ("MEM_INPUT_INVALID", {}),
    "IdentifierMissing": ("MEM_IDENTIFIER_MISSING", {}),
    "MemoryContentRefused": ("MEM_CONTENT_REFUSED", {}),
    "MemorySpaceFull": ("MEM_SPACE_FULL", {}),
    "MemoryForbidden": ("MEM_ACCESS_DENIED", {}),
    "MemoryConflict": ("MEM_CONFLICT", {}),
    "MemoryRateLimited": ("MEM_RATE_LIMITED", {}),
    "MemoryStoreFailed": ("MEM_STORE_FAILED", {}),
    "MemoryTimedOut": ("MEM_TIMED_OUT", {}),
    "MemoryNotFound": ("MEM_NOT_FOUND", {}),
    "PatternInvalid": ("KNW_PATTERN_INVALID", {}),
    "NothingPublished": ("KNW_NOTHING_PUBLISHED", {}),
    "KnowledgeInputInvalid": ("KNW_INPUT_INVALID", {}),
    "KnowledgeNotFound": ("KNW_NOT_FOUND", {}),
    "SourceFailed": ("KNW_SOURCE_FAILED", {}),
    "ItemUnusable": ("KNW_ITEM_UNUSABLE", {}),
    "KnowledgeForbidden": ("KNW_ACCESS_DENIED", {}),
    "KnowledgeFailed": ("KNW_INTERNAL", {}),
    "SyncForbidden": ("SYN_ACCESS_DENIED", {}),
    "SyncFailed": ("SYN_INTERNAL", {}),
    "SyncInputInvalid": ("SYN_INPUT_INVALID", {}),
    "SyncLocked": ("SYN_LOCKED", {}),
    "SyncTimedOut": ("SYN_TIMED_OUT", {}),
    "RequestRefused": ("HTTP_REQUEST_INVALID", {}),
    "CallerUnknown": ("HTTP_CALLER_UNKNOWN", {}),
    "OriginRefused": ("HTTP_ORIGIN_REFUSED", {}),
    "IdentifierRefused": ("HTTP_IDENTIFIER_REFUSED", {}),
    "HostRefused": ("HTTP_HOST_REFUSED", {}),
    "PathUnknown": ("HTTP_NOT_FOUND", {}),
    "MethodRefused": ("HTTP_METHOD_REFUSED", {}),
    "AnswerTypeRefused": ("HTTP_NOT_ACCEPTABLE", {}),
    "BodyTypeRefused": ("HTTP_TYPE_UNSUPPORTED", {}),
    "BodyTooLarge": ("HTTP_BODY_TOO_LARGE", {}),
    "RequestTooSlow": ("HTTP_TOO_SLOW", {}),
    "TooManyRequests": ("HTTP_TOO_MANY_REQUESTS", {}),
    "CorrectionOutdated": ("HTTP_OUTDATED", {}),
    "ServerBusy": ("HTTP_BUSY", {}),
    "TableNotFound": ("RET_TABLE_NOT_FOUND", {}),
    "DomainNotFound": ("RET_DOMAIN_NOT_FOUND", {}),
    "DatabaseNotFound": ("RET_DATABASE_NOT_FOUND", {}),
}


def code_of(cause: type[Exception], activity: Activity | None = None) -> str:
    """The code for an error class raised during an activity, from the one table."""
    usual, particular = next(CODES[kind.__name__] for kind in cause.__mro__ if kind.__name__ in CODES)
    return particular.get(activity, usual) if activity else usual
