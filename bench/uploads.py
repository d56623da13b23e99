"""How long does it take to read files that people upload, and what becomes of difficult ones?

`python -m bench.uploads` downloads the PDFs once: those in the source archives of pypdf and pikepdf, and the reference
manual of R (on Debian). Reading includes the start of a process for each file; cutting and redacting are those of an
upload, without embedding.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TypeVar

from bench.harness import Bench, BenchmarkFailed, Row, Table, percentile, run
from tests.adapters.documents.corpora import CorpusUnavailable, collected_pdfs, long_manual
from tests.adapters.documents.made_files import document_xml, docx, paragraphs
from tests.adapters.documents.test_pdf_corpora import LIMITS, status
from tribal.adapters.documents.parser import DocumentProcesses
from tribal.capabilities.chat.uploads.cutting import cut
from tribal.capabilities.chat.uploads.redacting import redacted
from tribal_contracts.chat.collections import FileKind

PARAGRAPHS = 10_000
_SENTENCE = "Refunds within 14 days need the receipt, later ones the signature of the head of the shop. "
Result = TypeVar("Result")


def tables(bench: Bench) -> Iterator[Table]:
    """Measure a long file of each type, then count what becomes of collected PDFs."""
    remarks = []
    rows = [_row(name, file, kind) for name, file, kind in _long_files(bench.new_folder("long"))]
    try:
        rows.insert(0, _row("reference manual of R", long_manual(), "pdf"))
    except CorpusUnavailable as error:
        remarks.append(f"without the reference manual of R: {error}")
    yield Table("long files", rows, remarks)
    try:
        files = collected_pdfs()
    except CorpusUnavailable as error:
        raise BenchmarkFailed(str(error)) from error
    timed = [_timed(partial(status, file)) for file in files]
    seconds = [each for each, _ in timed]
    yield Table(
        f"{len(files)} collected PDFs",
        [{"status": name, "files": count} for name, count in sorted(Counter(each for _, each in timed).items())],
        [f"median {percentile(seconds, 0.5):.2f} s, slowest {max(seconds):.2f} s per file"],
    )


def _long_files(folder: Path) -> Iterator[tuple[str, Path, FileKind]]:
    texts = [_SENTENCE * 3] * PARAGRAPHS
    made: dict[FileKind, bytes] = {
        "docx": docx(document_xml(paragraphs(*texts))),
        "html": "".join(f"<p>{text}" for text in texts).encode(),
        "txt": "\n\n".join(texts).encode(),
    }
    for kind, data in made.items():
        file = folder / f"long.{kind}"
        file.write_bytes(data)
        yield f"{PARAGRAPHS:,} paragraphs as {kind}", file, kind


def _row(name: str, file: Path, kind: FileKind) -> Row:
    reading, pages = _timed(lambda: list(DocumentProcesses().pages(file, kind, LIMITS)))
    redacting, redactions = _timed(lambda: [redacted(page) for page in pages])
    cutting, passages = _timed(lambda: [each for page, _ in redactions for each in cut(page)])
    return {
        "file": name,
        "MB": file.stat().st_size / 1024**2,
        "pages": len(pages),
        "passages": len(passages),
        "reading s": reading,
        "redacting s": redacting,
        "cutting s": cutting,
        "redacted": sum(count for _, count in redactions),
    }


def _timed(work: Callable[[], Result]) -> tuple[float, Result]:
    began = time.perf_counter()
    result = work()
    return time.perf_counter() - began, result


if __name__ == "__main__":
    sys.exit(run("uploads", tables))
