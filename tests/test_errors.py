"""The code of an error depends on what happened, and on what was being done."""

from __future__ import annotations

import pickle
from typing import get_args

import pytest

from tests.cases import each_case
from tribal.errors import (
    AccessDenied,
    Activity,
    ConfigurationError,
    ConnectionLost,
    DatabaseError,
    DatabaseUnreachable,
    EmbeddingFailed,
    IndexNotReady,
    IndexWriteFailed,
    LeaseLost,
    LoginRefused,
    ManifestError,
    ObjectNotFound,
    PlanError,
    PreconditionFailed,
    RunInterrupted,
    SecretsUnavailable,
    StatementConflict,
    StatementTimedOut,
    StoreError,
    StoreUnwritable,
    TableGone,
    TribalError,
    doing,
)
from tribal.tools.error_classes import error_class_of, error_classes
from tribal_contracts import ERROR_CODES

ACTIVITIES: tuple[Activity, ...] = get_args(Activity)
NOW = "2026-01-01T00:00:00Z"


@each_case(
    ("cause", "codes"),
    [
        (ConfigurationError, {None: "PLAN_CONFIG_INVALID", "planning": "PLAN_CONFIG_INVALID"}),
        (DatabaseError, {"planning": "PLAN_DB_UNREACHABLE", "documenting": "DOC_TABLE_EXTRACTION_FAILED"}),
        (DatabaseUnreachable, {"planning": "PLAN_DB_UNREACHABLE", "documenting": "PLAN_DB_UNREACHABLE"}),
        (LoginRefused, {"planning": "PLAN_DB_UNREACHABLE", "documenting": "PLAN_DB_UNREACHABLE"}),
        (ConnectionLost, {"planning": "PLAN_DB_UNREACHABLE", "documenting": "DOC_DB_CONNECTION_LOST"}),
        (StatementTimedOut, {"planning": "PLAN_DB_UNREACHABLE", "documenting": "DOC_SAMPLING_TIMEOUT"}),
        (StatementConflict, {"planning": "PLAN_DB_UNREACHABLE", "documenting": "DOC_TABLE_EXTRACTION_FAILED"}),
        (AccessDenied, {"planning": "PLAN_DB_UNREACHABLE", "documenting": "DOC_SAMPLING_FAILED"}),
        (TableGone, {"documenting": "DOC_TABLE_GONE"}),
        *(
            (
                cause,
                {
                    None: "DOC_WRITE_FAILED",
                    "planning": "PLAN_WRITE_FAILED",
                    "documenting": "DOC_WRITE_FAILED",
                    "indexing": "IDX_DB_WRITE_FAILED",
                    "retrieving": "RET_INDEX_NOT_READY",
                },
            )
            for cause in (StoreError, StoreUnwritable, PreconditionFailed)
        ),
        (
            ObjectNotFound,
            {
                None: "DOC_PLAN_INVALID",
                "planning": "DOC_PLAN_INVALID",
                "documenting": "DOC_PLAN_INVALID",
                "indexing": "IDX_FILE_NOT_FOUND",
                "retrieving": "RET_INDEX_NOT_READY",
            },
        ),
        (SecretsUnavailable, dict.fromkeys((None, "indexing", "retrieving"), "ENV_SECRETS_UNAVAILABLE")),
        (LeaseLost, dict.fromkeys((None, "planning", "documenting", "indexing"), "DOC_RUN_LOCKED")),
        (RunInterrupted, dict.fromkeys((None, "planning", "documenting", "indexing"), "DOC_RUN_INTERRUPTED")),
        (PlanError, dict.fromkeys((None, "planning", "documenting"), "DOC_PLAN_INVALID")),
        (ManifestError, dict.fromkeys(("documenting", "indexing"), "IDX_MANIFEST_INVALID")),
        (IndexWriteFailed, {"indexing": "IDX_DB_WRITE_FAILED"}),
        (EmbeddingFailed, dict.fromkeys(("planning", "indexing", "retrieving"), "IDX_EMBEDDING_FAILED")),
        (IndexNotReady, {None: "RET_INDEX_NOT_READY", "retrieving": "RET_INDEX_NOT_READY"}),
    ],
)
def test_the_code_of_a_cause_depends_on_what_was_being_done(
    cause: type[TribalError], codes: dict[Activity | None, str]
) -> None:
    assert {activity: cause.code_for(activity) for activity in codes} == codes


def test_every_code_that_can_be_seen_is_registered_and_means_something_at_an_edge() -> None:
    seen = {kind.code_for(activity) for kind in error_classes() for activity in (None, *ACTIVITIES)}
    assert seen <= set(ERROR_CODES)
    assert all(error_class_of(code) != error_class_of("RET_INTERNAL") for code in seen - {"RET_INTERNAL"})


def test_a_code_belongs_to_the_class_that_has_it_by_default() -> None:
    for kind in error_classes():
        assert error_class_of(kind.default_code).default_code == kind.default_code


def test_an_error_gets_its_activity_from_the_innermost_block_that_names_one() -> None:
    @doing("indexing")
    def read() -> None:
        raise ObjectNotFound("not there")

    with pytest.raises(ObjectNotFound) as raised, doing("planning"):
        read()
    assert raised.value.code == "IDX_FILE_NOT_FOUND"
    assert raised.value.to_agent_error(NOW, "retrieving").code == "IDX_FILE_NOT_FOUND"


def test_an_error_without_an_activity_gets_one_where_it_is_caught() -> None:
    assert ConnectionLost("gone").to_agent_error(NOW, "planning").code == "PLAN_DB_UNREACHABLE"
    assert ConnectionLost("gone").to_agent_error(NOW).code == "DOC_DB_CONNECTION_LOST"


def test_a_code_that_is_given_outright_stays() -> None:
    with pytest.raises(PlanError) as raised, doing("planning"):
        raise PlanError("nothing", code="PLAN_EMPTY")
    assert raised.value.code == "PLAN_EMPTY"
    with pytest.raises(KeyError):
        PlanError("nothing", code="NO_SUCH_CODE")


def test_what_was_being_done_goes_with_an_error_from_process_to_process() -> None:
    with pytest.raises(StoreError) as raised, doing("planning"):
        raise StoreError("full", context={"free": 0})
    received = pickle.loads(pickle.dumps(raised.value))
    assert (received.code, received.message, received.context) == ("PLAN_WRITE_FAILED", "full", {"free": 0})


def test_secrets_that_cannot_be_had_are_worth_another_try() -> None:
    assert SecretsUnavailable.retryable
    assert not isinstance(SecretsUnavailable("no answer"), DatabaseError)


STATUSES = {
    "KNW_INPUT_INVALID": (400, 2),
    "KNW_ACCESS_DENIED": (403, 2),
    "KNW_NOT_FOUND": (404, 7),
    "KNW_NOTHING_PUBLISHED": (404, 7),
    "KNW_SOURCE_FAILED": (502, 5),
    "KNW_INTERNAL": (502, 5),
    "SYN_INPUT_INVALID": (400, 2),
    "SYN_ACCESS_DENIED": (403, 2),
    "SYN_LOCKED": (409, 4),
    "SYN_INTERNAL": (502, 5),
    "SYN_TIMED_OUT": (504, 5),
}
"""HTTP status and exit code of what a tool of knowledge or a sync may answer."""


@each_case("code", STATUSES)
def test_the_failures_of_knowledge_and_of_syncs_have_the_status_of_what_they_mean(code: str) -> None:
    told = error_class_of(code)
    assert (told.http_status, told.exit_code) == STATUSES[code]
