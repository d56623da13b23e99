"""`make attack`: tries every area with a seed of its own, prints the table, and with `--write` keeps it in the docs."""

from __future__ import annotations

import argparse
import re
import secrets
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from tests import ROOT
from tests.attack.areas import AREAS
from tests.attack.outcome import Attack, Outcome

PAGE = ROOT / "docs" / "security.md"
_HEAD = (
    "| area | classes within goal | attempts | succeeded | closest to its goal | seed |",
    "|---|---:|---:|---:|---|---:|",
)
_ROW = re.compile(r"^\| (?P<area>[^|]+) \| \d+ of \d+ \|.*\|$", re.MULTILINE)
_TABLE = re.compile(r"(?<=<!-- attack -->\n).*?(?=<!-- end of attack -->)", re.DOTALL)


def main(arguments: Sequence[str] | None = None) -> int:
    """Attack, print, and say in the last line how it ended; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.attack", description=__doc__)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(1_000_000), help="default: a new one")
    parser.add_argument("--effort", type=float, default=1.0, help="share of the tries that are made (default: all)")
    parser.add_argument("--area", action="append", choices=sorted(AREAS), help="only this one; may be repeated")
    parser.add_argument(
        "--write", action="store_true", help=f"update the rows of these areas in {PAGE.relative_to(ROOT)}"
    )
    options = parser.parse_args(arguments)
    print(f"seed {options.seed}", flush=True)
    rows: list[tuple[str, Outcome]] = []
    for area in options.area or AREAS:
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="tribal-attack-") as scratch:
            for outcome in AREAS[area](Attack(options.seed, options.effort, Path(scratch))):
                print(f"{'held  ' if outcome.holds else 'BROKEN'} {area}: {outcome}", flush=True)
                rows.append((area, outcome))
        print(f"       {area} took {time.monotonic() - began:.0f} s", flush=True)
    if options.write:
        PAGE.write_text(with_rows(PAGE.read_text("utf-8"), rows, options.seed), "utf-8")
    broken = sum(not outcome.holds for _, outcome in rows)
    print(f"make attack: {'FAILED: ' if broken else ''}{len(rows) - broken} of {len(rows)} classes held")
    return 1 if broken else 0


def with_rows(page: str, rows: Iterable[tuple[str, Outcome]], seed: int) -> str:
    """The page with new rows for these areas; other areas keep their last measurement."""
    lines = {row["area"]: row[0] for row in _ROW.finditer(page.partition("<!-- attack -->")[2])}
    measured: dict[str, list[Outcome]] = {}
    for area, outcome in rows:
        measured.setdefault(area, []).append(outcome)
    lines |= {area: _line(area, outcomes, seed) for area, outcomes in measured.items()}
    table = "\n".join(["", *_HEAD, *(lines[area] for area in AREAS if area in lines), "", ""])
    return _TABLE.sub(lambda _: table, page, count=1)


def _line(area: str, outcomes: Sequence[Outcome], seed: int) -> str:
    """The row of an area, with the class that comes closest to its goal or misses it by most."""
    worst = max(outcomes, key=lambda each: (not each.holds, each.failed / max(each.goal * each.tried, 1.0)))
    closest = (
        f"{worst.name}: {worst.failed / worst.tried:.1%}, goal {worst.goal:.0%}" if worst.failed else "none succeeded"
    )
    held = sum(each.holds for each in outcomes)
    tried, failed = sum(each.tried for each in outcomes), sum(each.failed for each in outcomes)
    return f"| {area} | {held} of {len(outcomes)} | {tried:,} | {failed:,} | {closest} | {seed} |"


if __name__ == "__main__":
    sys.exit(main())
