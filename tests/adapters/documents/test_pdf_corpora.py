"""PDFs that others collected because they are difficult: each ends as it should, within its limits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.adapters.documents.corpora import CorpusUnavailable, collected_pdfs
from tests.plugins.skips import skip_or_fail
from tribal.adapters.documents.parser import DocumentProcesses
from tribal.capabilities.chat.uploads.cutting import cut
from tribal.ports.passages import ParseLimits, ParsingFailed

LIMITS = ParseLimits(pages=5_000, seconds=60, memory_mb=1_000)


def status(file: Path) -> str:
    """What becomes of a file."""
    try:
        pages = list(DocumentProcesses().pages(file, "pdf", LIMITS))
    except ParsingFailed as failed:
        return failed.problem
    return "indexed" if any(map(cut, pages)) else "no_text"


@pytest.mark.verify
def test_each_collected_pdf_is_indexed_without_text_encrypted_or_unreadable(
    record_property: Callable[[str, object], None],
) -> None:
    try:
        files = collected_pdfs()
    except CorpusUnavailable as error:
        skip_or_fail(str(error))
    counts = Counter(map(status, files))
    record_property("statuses", dict(counts))
    assert set(counts) == {"indexed", "no_text", "encrypted", "unreadable"}, counts
    assert counts.total() == len(files) > 130
    assert counts["indexed"] > 75, counts
