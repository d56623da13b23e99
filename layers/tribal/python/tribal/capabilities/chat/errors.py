"""Errors of the chat and of uploads."""

from __future__ import annotations

from tribal.errors import (
    EXIT_INTERNAL,
    EXIT_LOCKED,
    EXIT_USAGE,
    NotFound,
    RightMissing,
    ToolInputInvalid,
    TooManyRequests,
    TribalError,
)


class QuestionInvalid(ToolInputInvalid):
    """The question or the conversation before it is invalid."""

    default_code = "CHAT_QUESTION_INVALID"


class CollectionNotFound(NotFound):
    """The collection does not exist, or the caller may not see it."""

    default_code = "CHAT_COLLECTION_NOT_FOUND"


class CollectionMismatch(TribalError):
    """The collection was not embedded with the configured model and number of dimensions."""

    default_code = "CHAT_COLLECTION_MISMATCH"
    exit_code = EXIT_USAGE
    http_status = 409


class AnswerNotFound(NotFound):
    """The stored answer does not exist, or belongs to another caller."""

    default_code = "CHAT_ANSWER_NOT_FOUND"


class ChatBusy(TooManyRequests):
    """The caller asks too often or has too many answers running. Retryable after `retry_seconds`."""

    default_code = "CHAT_BUSY"
    exit_code = EXIT_LOCKED


class ChatForbidden(RightMissing):
    """The caller lacks the right to do this with the collection."""

    default_code = "CHAT_ACCESS_DENIED"


class ChatFailed(TribalError):
    """An answer or an upload failed unexpectedly."""

    default_code = "CHAT_INTERNAL"
    exit_code = EXIT_INTERNAL
    retryable = True


class UploadRefused(TribalError):
    """An upload, or a file in it, has a type that is not supported."""

    default_code = "UPL_TYPE_REFUSED"
    exit_code = EXIT_USAGE
    http_status = 400


class UploadTooLarge(UploadRefused):
    """An upload is larger than allowed."""

    default_code = "UPL_TOO_LARGE"
    http_status = 413


class UploadLimitExceeded(UploadRefused):
    """An upload exceeds a limit. The message names the limit and its setting."""

    default_code = "UPL_LIMIT_EXCEEDED"


class UploadUnreadable(UploadRefused):
    """An upload cannot be read."""

    default_code = "UPL_FILE_UNREADABLE"


class JobNotFound(NotFound):
    """The job does not exist, or the caller may not see it."""

    default_code = "UPL_JOB_NOT_FOUND"
