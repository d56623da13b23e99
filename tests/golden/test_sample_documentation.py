"""The committed documentation of the sample company is what the program writes today."""

from __future__ import annotations

from pathlib import Path

from demo.samples import differences, generate


def test_the_sample_documentation_is_up_to_date(tmp_path: Path, company_dsn: str) -> None:
    generate(company_dsn, tmp_path)
    assert differences(tmp_path / "docs") == [], "run `make samples` and look at the difference"
