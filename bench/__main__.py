"""Measure what changes with the code. `make bench` runs the benchmarks in the first list, `python -m bench.NAME` one.

startup         How long do commands take to start, and on a small database?
runs            How long do runs over 100, 1,000 and 5,000 tables take, and how much memory?
search          How fast are searches, over SQLite and over OpenSearch?
first_request   How long do callers of the deployed retriever wait for the first answer of a new instance?
snowflake       How long does planning a large Snowflake database take, and how many queries?
model_runs      How much longer than necessary does a run with a slow model take?
masking         How often does masking miss or overreach where no pattern decides?
memory          Do questions find what was remembered, and how fast?
knowledge       Are SQL and decision records read right, and how fast are queries, checks and syncs?

With `TRIBAL_BENCH_DATA`, a folder of public schemas and questions (see `bench.question_sets`):

retrieval       How well do questions find their tables?
context         Does one call hold what SQL for a question needs, and how fast?
joins           Are tables joined as people join them, and does the SQL run?
keys            How many undeclared keys are inferred, and how many of them are right?
domains         Do the domains of a plan agree with those that people draw?
descriptions    How much do the rules say about real schemas, and is it true?
sql_checks      Does `check_sql` report errors where PostgreSQL does, and does it notice queries that were made wrong?
grounding       What do the checks of a model's sentences find, and what do they drop wrongly?
chat            Which questions do the laws of the chat refuse, and how fast does it answer?
human_comments  How many comments of people would lose a sentence to these checks?

Only by their own command:

local_models    How much of what a small model on this machine writes is published, and what does a table take?
first_value     How long does it take from installing the wheel to the first right answer, and what is unused?
compare OTHER   Is this checkout slower than another one? Both are measured in turns.
indexing        How long does it take to build and update an index, in SQLite and in OpenSearch?
passages        How fast are collections of 100,000 passages built, opened and searched?
uploads         How long does it take to read files that people upload, and what becomes of difficult ones?
page            How fast is the page of 1,000 and 5,000 tables in headless Chromium?
serving         How many searches a second does `tribal serve` answer, how fast, and does its memory grow?
deployed        What does a deployed run over 10,000 tables need, on a stand-in for AWS? Or: `make bench-aws`.

Each prints tables and writes them to `.bench/NAME.json`. `--quick` leaves out 5,000 tables. The docstring of each
module says what it does and which arguments it takes.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module

from bench.harness import DATA_VARIABLE, open_bench, record

WITHOUT_DATA = "startup runs search first_request snowflake model_runs masking memory knowledge".split()
WITH_DATA = "retrieval context joins keys domains descriptions sql_checks grounding chat human_comments".split()
_QUICK = {"runs": ["100", "1000"], "search": ["100", "1000"]}


def main(arguments: Sequence[str]) -> int:
    """Run the benchmarks one after the other; returns 1 if one of them failed."""
    if arguments not in ([], ["--quick"]):
        print(__doc__)
        return 0 if arguments == ["--help"] else 2
    names = [*WITHOUT_DATA, *(WITH_DATA if os.environ.get(DATA_VARIABLE) else ())]
    codes = []
    with open_bench() as bench:
        for name in names:
            bench.arguments = _QUICK.get(name, ()) if arguments else ()
            codes.append(record(name, import_module(f"bench.{name}").tables, bench))
    if len(names) == len(WITHOUT_DATA):
        print(f"without {', '.join(WITH_DATA)}: set {DATA_VARIABLE} to a folder of public schemas and questions")
    return max(codes)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
