"""The committed documentation of the sample company, and answers from it, are what the program writes today."""

from __future__ import annotations

from pathlib import Path

from tests.golden.answers import answers_page
from tests.golden.samples import ANSWERS, UNCOMMENTED, differences, generate, generate_uncommented, without_comments
from tribal_demo.server.postgres import EmbeddedServer


def test_the_sample_documentation_is_up_to_date(tmp_path: Path, company_dsn: str) -> None:
    generate(company_dsn, tmp_path)
    assert differences(tmp_path / "docs") == [], "run `make samples` and look at the difference"
    assert answers_page(tmp_path) == ANSWERS.read_text(encoding="utf-8"), "run `make samples` and read the answers"


def test_that_of_the_sample_without_comments_is_too(tmp_path: Path, postgres_server: EmbeddedServer) -> None:
    script = tmp_path / "uncommented.sql"
    script.write_text(without_comments(), encoding="utf-8")
    postgres_server.ensure_database("uncommented", script)
    generate_uncommented(postgres_server.dsn("uncommented"), tmp_path)
    assert differences(tmp_path / "docs", UNCOMMENTED) == [], "run `make samples` and look at the difference"
    pages = [path.read_text(encoding="utf-8") for path in (tmp_path / "docs").rglob("*.md")]
    assert not any("From the comment" in page for page in pages)
