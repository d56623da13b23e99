"""The parts of the chat: collections published in the store, what reads files, and models that answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tribal.app.asking.configured_models import ConfiguredModels
from tribal.app.asking.embedders import LocalEmbedder, RemoteEmbedder, embeddings_readiness
from tribal.app.building import Building, Built
from tribal.app.parts import queue_of
from tribal.capabilities.chat.parts import CHAT_SHARE, ChatParts
from tribal.ports import Provider
from tribal.ports.models.chains import ModelAccount
from tribal_contracts.chat.settings import ChatSettings, CollectionEntry
from tribal_contracts.core.sections import find_section

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tribal.app.models import Models
    from tribal.app.project_text import ProjectText
    from tribal.ports import Embedder, ObjectStore
    from tribal.ports.passages import DocumentParser, PassageIndexes, TextEmbedder
    from tribal.settings.deployment import Deployment
    from tribal_contracts import CapabilitySettings
    from tribal_contracts.chat.jobs import UploadAddress


_ADDRESS_SECONDS = 900
"""How long an address for an upload is valid, and the longest delay of a message."""


def chat_parts(
    sections: Mapping[str, CapabilitySettings],
    models: Models,
    store: Provider[ObjectStore],
    embedder: Provider[Embedder],
    text: Callable[[], ProjectText],
    scratch: Path,
) -> ChatParts:
    """The parts of the chat.

    Args:
        sections: of the configuration.
        models: builds models and reads keys.
        store: holds the collections.
        embedder: the embedder in this process.
        text: reads the configuration, which says which databases are kept from models.
        scratch: a folder for files in progress, and for copies of indexes.
    """
    settings = find_section(sections, ChatSettings) or ChatSettings()
    return ChatParts(
        settings=settings,
        indexes=Provider(partial(_indexes, store, scratch)),
        parser=Provider(_parser),
        embedder=partial(_embedder, settings, models, embedder),
        models=ConfiguredModels(models, text),
        instructions=partial(_instructions, models),
        scratch=scratch,
    )


def _embedder(
    settings: ChatSettings,
    models: Models,
    local: Provider[Embedder],
    entry: CollectionEntry,
    account: str,
    usd: float,
) -> TextEmbedder:
    if entry.embedding is None:
        return LocalEmbedder(local())
    from tribal.models.known_models import embedding_facts
    from tribal.models.ledger import CHAT

    cap = settings.per_caller_day_usd if account.startswith(CHAT) else usd
    facts = embedding_facts(entry.embedding)
    return RemoteEmbedder(models, entry.embedding, facts, ModelAccount(account, cap, CHAT_SHARE), usd)


def _instructions(models: Models) -> str:
    from tribal.prompt_templates import CHATTING

    return models.templates(CHATTING).texts["chat_answer.md"]


def _indexes(store: Provider[ObjectStore], scratch: Path) -> PassageIndexes:
    from tribal.adapters.sqlite.passages.published import PublishedPassages

    return PublishedPassages(store(), scratch / "indexes")


def _parser() -> DocumentParser:
    from tribal.adapters.documents.parser import DocumentProcesses

    return DocumentProcesses()


def build(building: Building) -> Built:
    """Build the chat, which answers about the documentation where nothing is configured."""
    parts = chat_parts(
        building.sections,
        building.models,
        building.store,
        building.embedder,
        building.text,
        building.scratch("collections"),
    )
    deployment = building.deployment
    if deployment is not None and deployment.queue_url is not None:
        parts = replace(
            parts, launch=partial(_launch_job, deployment, building.store), address=partial(_upload_address, deployment)
        )
    return Built(parts=parts, readiness=lambda: [*embeddings_readiness(parts.settings, building.models)])


def _launch_job(deployment: Deployment, store: Provider[ObjectStore], collection: str, job_id: str) -> None:
    """Send a job of a collection to the queue of its function, unless the event of its upload does.

    One whose upload has not arrived is sent too, for the time when its address has expired.
    """
    from tribal.capabilities.chat.collections.files import CollectionFiles
    from tribal_contracts.chat.jobs import IngestTask

    job = CollectionFiles(store(), collection).job(job_id)
    if job is None or (job.arrived and job.removes is None):
        return
    task = IngestTask(collection=collection, job_id=job_id)
    queue_of(deployment).send([task.to_compact_json().decode()], 0 if job.arrived else _ADDRESS_SECONDS)


def _upload_address(deployment: Deployment, key: str, size_bytes: int, content_hash: str) -> UploadAddress:
    from tribal.adapters.aws.clients import aws_client
    from tribal.adapters.aws.upload_addresses import UploadAddresses

    place = deployment.bucket
    client = aws_client("s3", region=deployment.region)
    return UploadAddresses(client, place.bucket, place.prefix).address(key, size_bytes, content_hash)
