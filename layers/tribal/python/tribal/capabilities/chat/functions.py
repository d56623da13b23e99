"""The chat's functions in AWS and their permissions. Data only."""

from __future__ import annotations

from tribal.ports.capability import AlarmSpec, AuditSpec, ChartSpec, FunctionSpec, FunctionUse, Measure, QueueSpec

CHAT, UPLOADS, INGESTER = "chat", "uploads", "ingester"
STREAM = "POST /api/chat/stream"
_BUDGET = "progress/budget.json"
_CONFIGURATION = "config/*"
"""Which databases are kept from models, and the project's own prompts."""
_RECORD, _MANIFEST = "collections/*/collection.json", "collections/*/manifest.json"
_INDEX, _JOBS = "collections/*/index/*", "collections/*/jobs/*"
_UPLOADS, _ALL = "collections/*/uploads/*", "collections/*"
_AUDIT = "audit/chat/*"

_LOADS_CHAT = """
from tribal.adapters.sqlite.passages.published import PublishedPassages
from tribal.capabilities.chat.asking.chat import Chat
from tribal.capabilities.chat.laws.integrity import integrity
assert not {"openai", "anthropic", "pypdfium2", "mammoth"} & {*sys.modules}
integrity("a", [], "catalog", ["a+"])
"""
_LOADS_UPLOADS = """
from tribal.adapters.aws.queue import SqsQueue
from tribal.adapters.aws.upload_addresses import UploadAddresses
from tribal.capabilities.chat.uploads.uploads import Uploads
from tribal.edges.http.chat.forms import UploadForm
assert not {"openai", "anthropic", "pypdfium2", "mammoth"} & {*sys.modules}
SqsQueue(aws_client("sqs"), "url")
"""
_LOADS_INGESTER = """
from tribal.adapters.aws.queue import SqsQueue
from tribal.adapters.documents.parser import DocumentProcesses
from tribal.adapters.sqlite.passages.published import PublishedPassages
import subprocess
DocumentProcesses()
assert not {"openai", "anthropic", "pypdfium2", "mammoth"} & {*sys.modules}
from tribal.adapters.documents import docx, html, pdf, text
SqsQueue(aws_client("sqs"), "url")
"""

FUNCTIONS = (
    FunctionSpec(
        name=CHAT,
        package="chat",
        layers=("deps-policies",),
        layers_with_models=("deps-chat",),
        fault_metric="ChatFaults",
        memory_mb=2_048,
        storage_mb=2_048,
        timeout_seconds=150,
        needs_section=True,
        routes=(STREAM,),
        streams="streaming",
    ),
    FunctionSpec(
        name=UPLOADS,
        package="uploads",
        layers=("deps-uploads",),
        fault_metric="UploadFaults",
        memory_mb=1_024,
        needs_section=True,
        searches=False,
        routes=(
            "POST /api/admin/upload",
            "GET /api/admin/etl/jobs",
            "GET /api/admin/etl/status/{job_id}",
            "GET /api/admin/collections",
            "GET /api/admin/collections/{name}",
            "DELETE /api/admin/collections/{name}/sources/{source_id}",
        ),
        takes=("multipart/form-data",),
        sends_to=INGESTER,
    ),
    FunctionSpec(
        name=INGESTER,
        package="ingester",
        layers=("deps-documents", "deps-vectors"),
        memory_mb=3_008,
        storage_mb=4_096,
        timeout_seconds=900,
        needs_section=True,
        searches=False,
        # The uploads of one collection take turns.
        queue=QueueSpec(created=_UPLOADS, at_once=4),
    ),
)

USES = (
    FunctionUse(function="retriever", tools=("ask",)),
    FunctionUse(
        function=CHAT,
        asks=("guidance", "policies"),
        tools=("ask",),
        reads=("docs/definitions.json", _MANIFEST, _INDEX),
        models=("every_model",),
        servers=("embeddings",),
        reads_with_models=(_CONFIGURATION, _BUDGET),
        writes_with_models=(_BUDGET,),
        keeps_with={"audit": (_AUDIT,)},
        loads=_LOADS_CHAT,
    ),
    FunctionUse(
        function=UPLOADS,
        asks_index=False,
        reads=(_RECORD, _MANIFEST, _JOBS),
        writes=(_MANIFEST, _JOBS, _UPLOADS),
        loads=_LOADS_UPLOADS,
    ),
    FunctionUse(
        function=INGESTER,
        asks_index=False,
        reads=(_ALL,),
        writes=(_ALL,),
        versions=(_ALL,),
        servers=("embeddings",),
        reads_with_models=(_BUDGET,),
        writes_with_models=(_BUDGET,),
        loads=_LOADS_INGESTER,
    ),
)

AUDITS = (AuditSpec(prefix="audit/chat/", days="audit_days"),)


def _counts(function: str, *names: str) -> tuple[Measure, ...]:
    return tuple(Measure(function=function, name=name) for name in names)


_JOBS_ENDED = _counts(INGESTER, "JobsCompleted", "JobsPartial", "JobsFailed")
_CHAT_FAULTS, _UPLOAD_FAULTS = _counts(CHAT, "ChatFaults"), _counts(UPLOADS, "UploadFaults")
_DEAD = Measure(function=INGESTER, of="dead letters")

# A refusal by a law is no failure, and a client that disconnects neither.
ALARMS = (
    AlarmSpec(
        name="ingester-dead-letters", measures=(_DEAD,), says="Messages could not be handled; see docs/operating.md"
    ),
    AlarmSpec(
        name="ingester-behind",
        measures=(Measure(function=INGESTER, of="oldest message"),),
        threshold=3_600,
        says="Uploads have been waiting for an hour",
    ),
    AlarmSpec(name="uploads-failed", measures=_JOBS_ENDED[-1:], says="An upload failed; `tribal jobs` says why"),
    AlarmSpec(name="chat-faults", measures=_CHAT_FAULTS, says="Questions could not be answered; see docs/operating.md"),
    AlarmSpec(
        name="upload-faults", measures=_UPLOAD_FAULTS, says="Uploads could not be accepted; see docs/operating.md"
    ),
)
CHARTS = (
    ChartSpec(title="Uploads", measures=(*_JOBS_ENDED, Measure(function=INGESTER, of="queue"), _DEAD, *_UPLOAD_FAULTS)),
    ChartSpec(
        title="Answers",
        measures=(
            *_counts(CHAT, "Answers", "StreamsCutOff", "AnswersFailed"),
            *(Measure(function=CHAT, name="Refusals", where=("law", law)) for law in ("scope", "integrity")),
            *_CHAT_FAULTS,
        ),
    ),
    ChartSpec(
        title="Daily spending in USD",
        measures=tuple(
            Measure(function=CHAT, name="SpentUsd", where=("account", account), statistic="Maximum")
            for account in ("chat", "upload", "session", "run", "all")
        ),
    ),
)
