"""What is measured over OpenSearch, as programs of their own.

`python -m bench.opensearch_steps build PROJECT ADDRESS` builds the whole index of a documented project anew.
`python -m bench.opensearch_steps watch ADDRESS` asks one question after the other until its input ends, and prints how
long each took and how many were not answered or had an empty answer.
"""

from __future__ import annotations

import itertools
import json
import sys
import threading
import time
from pathlib import Path

from bench.searching import QUESTIONS, application_at, opened, questions
from tribal.adapters.local.folder import FolderStore
from tribal.adapters.wordllama.embedder import WordLlamaEmbedder
from tribal.indexing import index_documents
from tribal.ports import Caller, SearchIndex
from tribal.runs.clock import SystemClock
from tribal.runs.sinks import SilentSink
from tribal.tools.call import call_tool
from tribal_contracts import SearchTablesOutput


def build(project: Path, index: SearchIndex) -> None:
    """Index everything that is documented there, whatever the index holds.

    Raises:
        SystemExit: when a file was not taken in.
    """
    progress = index_documents(
        store=FolderStore(project),
        index=index,
        embedder=WordLlamaEmbedder(),
        clock=SystemClock(None),
        sink=SilentSink(),
        pool_stopping=lambda: False,
        force=True,
    )
    if progress.status != "completed":
        raise SystemExit(f"indexing {project} is {progress.status}: {progress.errors}")


def watch(place: str) -> None:
    """Ask without a pause until the input ends."""
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
        build(Path(arguments[0]), opened(arguments[1]))
    else:
        watch(arguments[0])
