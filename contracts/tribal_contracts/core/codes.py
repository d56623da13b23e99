"""Every `AgentError.code`, with its default severity and whether the operation can be retried."""

from __future__ import annotations

from typing import NamedTuple

from pydantic import JsonValue

from tribal_contracts.core.shape import AgentError, ErrorSeverity


class CodeDefaults(NamedTuple):
    """How an error with this code is reported, unless the reporter overrides it."""

    severity: ErrorSeverity
    recoverable: bool
    meaning: str


ERROR_CODES: dict[str, CodeDefaults] = {
    "PLAN_CONFIG_NOT_FOUND": CodeDefaults("fatal", False, "There is no configuration and no DSN was given."),
    "PLAN_CONFIG_INVALID": CodeDefaults("fatal", False, "The configuration is not valid."),
    "PLAN_DB_UNREACHABLE": CodeDefaults("error", True, "A database did not answer or refused the login."),
    "PLAN_SERVER_UNAVAILABLE": CodeDefaults(
        "error", True, "A server had no free connection, or refused several times."
    ),
    "PLAN_SCHEMA_UNREADABLE": CodeDefaults("warning", True, "A schema exists but may not be read."),
    "PLAN_TABLE_LOCKED": CodeDefaults("warning", True, "A table was locked; not all of it could be read."),
    "PLAN_TABLE_CHANGED": CodeDefaults("warning", True, "A table was changed or dropped while it was read."),
    "PLAN_DEFINITION_BROKEN": CodeDefaults("warning", True, "The server fails to render a definition of a table."),
    "PLAN_TEXT_UNREADABLE": CodeDefaults("warning", True, "Text of a database is not valid in any known encoding."),
    "PLAN_FILTER_UNMATCHED": CodeDefaults("warning", False, "A pattern of the configuration matches nothing."),
    "PLAN_DOMAIN_INFERENCE_FAILED": CodeDefaults("warning", True, "Domains were assigned by schema alone."),
    "PLAN_WRITE_FAILED": CodeDefaults("fatal", True, "The store refused the plan."),
    "PLAN_VERSION_MISMATCH": CodeDefaults("fatal", False, "The plan is of a version that this program cannot read."),
    "PLAN_MISSING_FIELD": CodeDefaults("fatal", False, "The plan lacks a required field."),
    "PLAN_EDIT_UNDONE": CodeDefaults("warning", False, "An edit of the plan contradicts a pin or names no table."),
    "PLAN_INTERNAL": CodeDefaults("error", True, "Planning a database failed in a way that it did not foresee."),
    "PLAN_EMPTY": CodeDefaults("fatal", False, "There is nothing to document."),
    "WORK_UNIT_INVALID": CodeDefaults(
        "error", False, "A work unit contradicts itself or another, or no unit is what was selected."
    ),
    "WORK_UNIT_EMPTY": CodeDefaults("error", False, "A work unit has no table."),
    "DOC_PLAN_NOT_FOUND": CodeDefaults("fatal", False, "There is no plan yet."),
    "DOC_PLAN_INVALID": CodeDefaults("fatal", False, "The plan cannot be read."),
    "DOC_PLAN_STALE": CodeDefaults("fatal", False, "The configuration changed after the plan was made."),
    "DOC_RUN_LOCKED": CodeDefaults("fatal", True, "Another run holds the lease."),
    "DOC_RUN_INTERRUPTED": CodeDefaults("error", True, "The run was stopped before it ended; the next one resumes it."),
    "DOC_UNIT_PENDING": CodeDefaults("warning", True, "A work unit has not been documented yet."),
    "DOC_UNIT_FAILED": CodeDefaults("error", True, "A work unit could not be documented to its end."),
    "DOC_DOMAIN_FAILED": CodeDefaults("error", True, "The pages of a domain could not be written."),
    "DOC_DB_CONNECTION_LOST": CodeDefaults("error", True, "The connection broke while documenting."),
    "DOC_SERVER_UNAVAILABLE": CodeDefaults("warning", True, "The server was not asked for samples; the next run asks."),
    "DOC_TABLE_GONE": CodeDefaults("warning", False, "The table was dropped after planning."),
    "DOC_TABLE_EXTRACTION_FAILED": CodeDefaults("error", True, "A table could not be documented."),
    "DOC_SAMPLING_TIMEOUT": CodeDefaults("warning", True, "Sampling took too long; the table has no samples."),
    "DOC_SAMPLING_FAILED": CodeDefaults("warning", True, "Sampling failed; the table has no samples."),
    "DOC_ANNOTATIONS_INVALID": CodeDefaults("error", False, "An annotations file cannot be read."),
    "DOC_QUERY_INVALID": CodeDefaults("error", False, "A file with a verified query cannot be used."),
    "DOC_LLM_FAILED": CodeDefaults("warning", True, "The model failed; the rules described the table."),
    "DOC_BUDGET_EXHAUSTED": CodeDefaults("warning", True, "The budget is spent; the rules described the rest."),
    "DOC_WRITE_FAILED": CodeDefaults("fatal", True, "The store refused a document."),
    "IDX_MANIFEST_NOT_FOUND": CodeDefaults("fatal", False, "Nothing has been documented yet."),
    "IDX_MANIFEST_INVALID": CodeDefaults("fatal", False, "The manifest cannot be read."),
    "MANIFEST_VERSION_MISMATCH": CodeDefaults("fatal", False, "The manifest is of an unknown version."),
    "MANIFEST_INCOMPLETE": CodeDefaults("fatal", False, "The manifest lists no file."),
    "MANIFEST_FILE_MISSING": CodeDefaults("fatal", True, "A file of the manifest is not there."),
    "MANIFEST_HASH_MISMATCH": CodeDefaults("fatal", True, "A file differs from the one in the manifest."),
    "IDX_FILE_NOT_FOUND": CodeDefaults("error", True, "A file vanished while indexing."),
    "IDX_FILE_INVALID": CodeDefaults("error", False, "A file is there but cannot be parsed."),
    "IDX_EMBEDDING_FAILED": CodeDefaults("warning", True, "The index was built without vectors."),
    "IDX_DB_WRITE_FAILED": CodeDefaults("fatal", True, "The index refused a write."),
    "ENV_UNREACHABLE": CodeDefaults("error", True, "A deployed environment did not answer."),
    "ENV_ACCESS_DENIED": CodeDefaults("error", False, "A deployed environment refused the caller."),
    "ENV_SECRETS_UNAVAILABLE": CodeDefaults("error", True, "The store of secrets did not answer."),
    "RET_INDEX_NOT_READY": CodeDefaults("error", True, "There is no usable index yet."),
    "RET_INDEX_STALE": CodeDefaults("warning", True, "The index is older than a day."),
    "RET_QUERY_INVALID": CodeDefaults("error", False, "The input of a tool is out of its range."),
    "RET_ACCESS_DENIED": CodeDefaults("error", False, "The caller lacks the right that a tool needs."),
    "RET_TABLE_NOT_FOUND": CodeDefaults("error", False, "No table of that name is documented."),
    "RET_COLUMN_NOT_FOUND": CodeDefaults("error", False, "The table has no column of that name."),
    "RET_DOMAIN_NOT_FOUND": CodeDefaults("error", False, "No domain of that name is documented."),
    "RET_DATABASE_NOT_FOUND": CodeDefaults("error", False, "No database of that name is documented."),
    "RET_BUDGET_EXCEEDED": CodeDefaults("error", False, "One item alone is larger than an answer may be."),
    "RET_ANSWER_PARTIAL": CodeDefaults("warning", False, "A part of the answer is left out; the message says which."),
    "RET_JOIN_INFERRED": CodeDefaults("warning", False, "A join follows names and types, for no key is declared."),
    "RET_JOIN_AMBIGUOUS": CodeDefaults("warning", False, "A join may not be the one that is meant."),
    "RET_JOIN_CROSS_DATABASE": CodeDefaults("warning", False, "Tables of two databases are not joined."),
    "RET_NOTHING_RELEVANT": CodeDefaults("warning", False, "No table is about what was asked."),
    "RET_WORDS_UNMATCHED": CodeDefaults("warning", False, "No table has some words of the question."),
    "RET_INTERNAL": CodeDefaults("error", True, "The tool failed in a way that it did not foresee."),
    "MEM_INPUT_INVALID": CodeDefaults("error", False, "The input of a tool of memory is not valid."),
    "MEM_IDENTIFIER_MISSING": CodeDefaults("error", False, "A layer was named that the caller has no identifier for."),
    "MEM_CONTENT_REFUSED": CodeDefaults("error", False, "What was to be remembered holds a secret."),
    "MEM_SPACE_FULL": CodeDefaults("error", False, "A space holds as many memories as it may."),
    "MEM_NOT_FOUND": CodeDefaults("error", False, "There is no such memory."),
    "MEM_ACCESS_DENIED": CodeDefaults("error", False, "The caller may not do that with this layer or memory."),
    "MEM_CONFLICT": CodeDefaults("error", True, "Another process changed a memory at the same time."),
    "MEM_RATE_LIMITED": CodeDefaults("error", True, "The caller writes memories too often."),
    "MEM_STORE_FAILED": CodeDefaults("error", True, "The store of memories did not answer, or refused."),
    "MEM_TIMED_OUT": CodeDefaults("error", True, "The store of memories took too long."),
    "MEM_INTERNAL": CodeDefaults("error", True, "A tool of memory failed in a way that it did not foresee."),
    "KNW_PATTERN_INVALID": CodeDefaults("error", False, "A pattern of a constraint cannot be evaluated."),
    "KNW_ITEM_UNUSABLE": CodeDefaults("error", False, "A file of knowledge is not a valid item."),
    "KNW_NOTHING_PUBLISHED": CodeDefaults("error", False, "No knowledge was synced yet."),
    "KNW_INPUT_INVALID": CodeDefaults("error", False, "The input of a tool of knowledge is not valid."),
    "KNW_NOT_FOUND": CodeDefaults("error", False, "There is no such item of knowledge."),
    "KNW_SOURCE_FAILED": CodeDefaults("error", True, "Where knowledge is kept cannot be read."),
    "KNW_ACCESS_DENIED": CodeDefaults("error", False, "The caller has no right to use knowledge."),
    "KNW_INTERNAL": CodeDefaults("error", True, "A tool of knowledge failed in a way that it did not foresee."),
    "INT_HYPOTHESIS_INVALID": CodeDefaults("error", False, "A hypothesis, or how to examine it, is not valid."),
    "INT_EXAM_INVALID": CodeDefaults("error", False, "A file of questions cannot be used."),
    "INT_SESSION_NOT_FOUND": CodeDefaults("error", False, "There is no such session."),
    "INT_SESSIONS_BUSY": CodeDefaults("error", True, "Another process runs the session, or too many are running."),
    "INT_SESSION_ENDED": CodeDefaults("error", False, "The session has ended and cannot be resumed."),
    "INT_SESSION_INVALID": CodeDefaults("error", False, "The file of a session is damaged, or breaks a rule."),
    "INT_WITNESS_UNREACHABLE": CodeDefaults("error", True, "The witness did not answer."),
    "INT_DETECTIVE_UNREACHABLE": CodeDefaults("error", True, "No provider of a detective answered."),
    "INT_BUDGET_EXHAUSTED": CodeDefaults("error", False, "The money for a session, an exam or the day is spent."),
    "INT_CONFIG_INVALID": CodeDefaults("error", False, "The configuration of interrogation cannot be used."),
    "INT_ACCESS_DENIED": CodeDefaults("error", False, "The caller has no right to interrogate."),
    "INT_INTERNAL": CodeDefaults("error", True, "A session failed in a way that it did not foresee."),
    "CHAT_QUESTION_INVALID": CodeDefaults("error", False, "A question, or the conversation before it, is not valid."),
    "CHAT_COLLECTION_NOT_FOUND": CodeDefaults("error", False, "There is no such collection."),
    "CHAT_COLLECTION_MISMATCH": CodeDefaults(
        "error", False, "A collection has vectors of another model or dimension than is configured."
    ),
    "CHAT_ANSWER_NOT_FOUND": CodeDefaults("error", False, "There is no such stored answer."),
    "CHAT_MODEL_NOT_ALLOWED": CodeDefaults("error", False, "A collection lists a model that it may not use."),
    "CHAT_MODEL_FAILED": CodeDefaults("error", True, "No model answered; the answer is from the documents alone."),
    "CHAT_LAW_FAILED": CodeDefaults("error", True, "A law could not be evaluated, so the question was refused."),
    "CHAT_BUSY": CodeDefaults("error", True, "A caller asks too often, or has too many answers running."),
    "CHAT_ACCESS_DENIED": CodeDefaults("error", False, "The caller may not do that with this collection."),
    "CHAT_INTERNAL": CodeDefaults("error", True, "An answer or an upload failed unexpectedly."),
    "UPL_TYPE_REFUSED": CodeDefaults("error", False, "A file is of a type that is not read."),
    "UPL_TOO_LARGE": CodeDefaults("error", False, "An upload is larger than allowed."),
    "UPL_LIMIT_EXCEEDED": CodeDefaults("error", False, "An upload exceeds a limit; the message names it."),
    "UPL_FILE_UNREADABLE": CodeDefaults("error", False, "An upload cannot be read."),
    "UPL_JOB_NOT_FOUND": CodeDefaults("error", False, "There is no such upload."),
    "CON_REPOSITORY_NOT_ALLOWED": CodeDefaults("error", False, "A repository is not configured for contributions."),
    "CON_ISSUE_UNSUITABLE": CodeDefaults("error", False, "A repository or an issue does not allow the change."),
    "CON_HANDOFF_INVALID": CodeDefaults("error", False, "A hand-off is missing, damaged, or of another cycle."),
    "CON_CYCLE_LOCKED": CodeDefaults("error", True, "Another process prepares a contribution."),
    "CON_FORGE_UNREACHABLE": CodeDefaults("error", True, "The forge did not answer."),
    "CON_FORGE_REFUSED": CodeDefaults("error", False, "A repository cannot be read or written."),
    "CON_RATE_LIMITED": CodeDefaults("error", True, "The forge limits how often it may be asked."),
    "CON_PATCH_INVALID": CodeDefaults("error", False, "A change contains something that may not be published."),
    "CON_CHECK_FAILED": CodeDefaults("error", False, "A check of a change failed."),
    "CON_SANDBOX_MISSING": CodeDefaults("error", False, "There is no sandbox in which checks could run."),
    "CON_APPROVAL_MISSING": CodeDefaults("error", False, "A contribution was not approved."),
    "CON_APPROVAL_STALE": CodeDefaults("error", False, "An approval has expired, or is for something else."),
    "CON_LIMIT_EXCEEDED": CodeDefaults("error", False, "A limit of contributions is reached; the message names it."),
    "CON_AGENT_TIMEOUT": CodeDefaults("error", True, "A step of a contribution took too long."),
    "CON_ACCESS_DENIED": CodeDefaults("error", False, "The caller may not do that with this contribution."),
    "CON_CYCLE_UNKNOWN": CodeDefaults("error", False, "There is no such contribution."),
    "CON_INTERNAL": CodeDefaults("error", True, "A contribution failed in a way that it did not foresee."),
    "PRO_INPUT_INVALID": CodeDefaults("error", False, "A proposal of a description is not valid."),
    "PRO_CONTENT_REFUSED": CodeDefaults("error", False, "A proposed description holds a secret or personal data."),
    "PRO_LIMIT_EXCEEDED": CodeDefaults("error", False, "A caller has as many open proposals as allowed."),
    "PRO_NOT_FOUND": CodeDefaults("error", False, "There is no such proposal."),
    "PRO_CLOSED": CodeDefaults("error", False, "A proposal was accepted, rejected or withdrawn before."),
    "PRO_ACCESS_DENIED": CodeDefaults("error", False, "The caller has no right to propose descriptions."),
    "PRO_INTERNAL": CodeDefaults("error", True, "A proposal failed in a way that it did not foresee."),
    "SYN_INPUT_INVALID": CodeDefaults("error", False, "The input of a tool that syncs is not valid."),
    "SYN_ACCESS_DENIED": CodeDefaults("error", False, "The caller has no right to sync."),
    "SYN_LOCKED": CodeDefaults("error", True, "Another sync is running."),
    "SYN_TIMED_OUT": CodeDefaults("error", True, "A sync is not done yet; the next one resumes it."),
    "SYN_INTERNAL": CodeDefaults("error", True, "A sync failed in a way that it did not foresee."),
    "HTTP_REQUEST_INVALID": CodeDefaults("error", False, "A request is not as the server reads them."),
    "HTTP_CALLER_UNKNOWN": CodeDefaults("error", False, "A request has no valid token."),
    "HTTP_ORIGIN_REFUSED": CodeDefaults("error", False, "A request comes from a page of another site."),
    "HTTP_IDENTIFIER_REFUSED": CodeDefaults(
        "error", False, "A request sets an identifier that only the server may set."
    ),
    "HTTP_HOST_REFUSED": CodeDefaults("error", False, "A request is addressed to a name that is not the server's."),
    "HTTP_NOT_FOUND": CodeDefaults("error", False, "There is nothing at the path of a request."),
    "HTTP_METHOD_REFUSED": CodeDefaults("error", False, "The path of a request has no such method."),
    "HTTP_NOT_ACCEPTABLE": CodeDefaults("error", False, "A request accepts no type of answer that there is."),
    "HTTP_TYPE_UNSUPPORTED": CodeDefaults("error", False, "The body of a request is of a type that is not read."),
    "HTTP_BODY_TOO_LARGE": CodeDefaults("error", False, "The body of a request is too large."),
    "HTTP_TOO_SLOW": CodeDefaults("error", True, "A request did not arrive in time."),
    "HTTP_TOO_MANY_REQUESTS": CodeDefaults("error", True, "A caller asks too often."),
    "HTTP_OUTDATED": CodeDefaults("error", False, "What a correction would change was changed in the meantime."),
    "HTTP_BUSY": CodeDefaults("error", True, "The server has too much to do already."),
}


def agent_error(code: str, message: str, *, timestamp: str, context: dict[str, JsonValue] | None = None) -> AgentError:
    """Create an error of a registered code with the code's defaults.

    Raises:
        KeyError: when the code is not registered.
    """
    defaults = ERROR_CODES[code]
    return AgentError(
        code=code,
        message=message,
        severity=defaults.severity,
        timestamp=timestamp,
        context=context,
        recoverable=defaults.recoverable,
    )
