"""The measured steps over OpenSearch, as separate programs.

`python -m bench.opensearch_steps build PROJECT ADDRESS` rebuilds the whole index of a documented project.
`python -m bench.opensearch_steps watch ADDRESS` asks one question after another until its input ends, and prints how
long each took and how many failed or got an empty answer.
"""

from __future__ import annotations

import itertools
import json
import sys
import threading
import time
from pathlib import Path

from bench.searching import INDEX, QUESTIONS, application_at, questions
from tribal.adapters.local.folder import FolderStore
from tribal.adapters.opensearch.client import opensearch_client
from tribal.adapters.opensearch.writer import OpenSearchIndexWriter
from tribal.adapters.wordllama.embedder import WordLlamaEmbedder
from tribal.indexing import IndexingContext, IndexingRequest, index_documents
from tribal.ports import Caller, StopToken
from tribal.runs.clock import SystemClock
from tribal.runs.sinks import SilentSink
from tribal.tools.call import call_tool
from tribal_contracts import SearchTablesOutput


def build(project: Path, address: str) -> None:
    """Rebuild the project's index in the cluster at an address.

    Raises:
        SystemExit: when a file was not indexed.
    """
    index = OpenSearchIndexWriter(opensearch_client(address), INDEX)
    parts = FolderStore(project), index, WordLlamaEmbedder(), SystemClock(None), SilentSink()
    progress = index_documents(IndexingContext(*parts, stop=StopToken()), IndexingRequest(force=True))
    if progress.status != "completed":
        raise SystemExit(f"indexing {project} is {progress.status}: {progress.errors}")


def watch(place: str) -> None:
    """Ask questions without a pause until the input ends."""
    app, ended = application_at(place), threading.Event()

    def listen() -> None:
        sys.stdin.read()
        ended.set()

    threading.Thread(target=listen, daemon=True).start()
    seconds, failed, empty = [], 0, 0
    for question in itertools.cycle(questions(QUESTIONS)):
        began = time.perf_counter()
        answer = call_tool("search_tables", {"query": question}, Caller("bench"), app)
        seconds.append(time.perf_counter() - began)
        assert isinstance(answer, SearchTablesOutput)
        failed += not answer.success
        empty += answer.success and not answer.tables
        if len(seconds) == 1:
            print("asking", flush=True)
        if ended.is_set():
            break
    print(json.dumps({"seconds": seconds, "failed": failed, "empty": empty}))


if __name__ == "__main__":
    step, *arguments = sys.argv[1:]
    if step == "build":
        build(Path(arguments[0]), arguments[1])
    else:
        watch(arguments[0])
