"""Does one call hold what SQL for a question needs? Needs `TRIBAL_BENCH_DATA`.

`python -m bench.context [QUESTIONS]`: how often the context of 2,000 tokens has every table and every column of the
gold SQL of bird_mini and defog; and, for a JSON file of questions (`database`, `question`, and the `columns`, `values`
and `joins` that the right SQL needs), in how many the context has all of them; and how fast it is over 1,000 tables.
"""

from __future__ import annotations

import json
import re
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench.generated import documented_project
from bench.harness import Bench, Row, Table, percentile, run, write_report
from bench.question_sets import QuestionSet, ensure_project, opened, plain_name, question_sets, read_lines, schema_files
from bench.search import questions
from tribal.ports import Application, Caller
from tribal.sql.references import StatementReferences
from tribal.sql.statements.script import references_in
from tribal.tools.call import call_tool
from tribal_contracts import GetQueryContextOutput
from tribal_demo import COMPANY_SQL

_CALLER = Caller("bench")
_SETS = ("bird_mini", "defog")
_MAX_TOKENS = 2_000
_MANY, _TIMED = 1_000, 200
_BLOCK = re.compile(r"CREATE (?:TABLE|VIEW) (?P<name>[^\n]+) \($(?P<body>.*?)^\);", re.DOTALL | re.MULTILINE)


def tables(bench: Bench) -> Iterator[Table]:
    """Rate the sets, then the questions of a file."""
    rows = list[Row]()
    for one in question_sets(bench.data):
        if one.name in _SETS:
            rows += _set_rows(one, bench)
    yield Table(f"contexts of {_MAX_TOKENS:,} tokens that have everything of the gold SQL", rows)
    for file in bench.arguments:
        yield _needs(json.loads(Path(file).read_text()), bench)
    yield Table(f"contexts over {_MANY:,} tables", [_times(bench)])


def _times(bench: Bench) -> Row:
    with opened(documented_project(bench, _MANY)) as app:
        _context({"question": "orders"}, _CALLER, app)
        seconds = []
        for question in questions(_TIMED):
            began = time.perf_counter()
            _context({"question": question}, _CALLER, app)
            seconds.append(time.perf_counter() - began)
    return {
        "questions": _TIMED,
        "p50 ms": 1_000 * statistics.median(seconds),
        "p95 ms": 1_000 * percentile(seconds, 0.95),
    }


def _set_rows(one: QuestionSet, bench: Bench) -> Iterator[Row]:
    records = read_lines(one.folder / "questions.jsonl")
    with opened(one.project(bench)) as app:
        for scoped in (False, True):
            has_tables, has_columns, sizes, seconds = [], [], [], []
            for question, record in zip(one.questions, records, strict=True):
                caller = replace(_CALLER, scope=one.scope_of(question)) if scoped else _CALLER
                began = time.perf_counter()
                answer = _context({"question": question.text}, caller, app)
                seconds.append(time.perf_counter() - began)
                sizes.append(len(answer.text.encode()) / 4)
                shown = {plain_name(each.table) for each in answer.tables}
                has_tables.append(question.tables <= shown)
                columns = _gold_columns(str(record.get("sql_postgres") or record["sql"]))
                written = _words("\n".join(found["body"] for found in _BLOCK.finditer(answer.text)))
                has_columns.append(has_tables[-1] and columns <= written)
            yield {
                "set": f"{one.name}, scoped" if scoped else one.name,
                "questions": len(has_tables),
                "all tables": statistics.fmean(has_tables),
                "all columns": statistics.fmean(has_columns),
                "tokens": statistics.fmean(sizes),
                "p95 ms": 1_000 * percentile(seconds, 0.95),
            }


def _gold_columns(sql: str) -> set[str]:
    """Names of the columns that the first alternative of a gold statement names, in lower case."""
    plain = re.sub(r"\{([^{},]*)[^{}]*\}", r"\1", sql).split(";")[0]
    found: StatementReferences = references_in(plain, "postgres")
    return {column.name.lower() for column in found.columns if column.table is not None}


def _words(text: str) -> set[str]:
    return {(quoted or word).lower() for quoted, word in re.findall(r'"([^"]+)"|(\w+)', text)}


def _context(arguments: dict[str, Any], caller: Caller, app: Application) -> GetQueryContextOutput:
    answer = call_tool("get_query_context", {"max_tokens": _MAX_TOKENS, **arguments}, caller, app)
    assert isinstance(answer, GetQueryContextOutput), answer
    return answer


def _needs(asked: Sequence[dict[str, Any]], bench: Bench) -> Table:
    schemas = {**schema_files(bench.data), "company": COMPANY_SQL}
    lines, complete = list[str](), 0
    for name in dict.fromkeys(str(each["database"]) for each in asked):
        with opened(ensure_project(bench, f"context-{name}", {name: schemas[name]})) as app:
            for each in asked:
                if each["database"] == name:
                    lacks = list(_lacking(each, _context({"question": each["question"]}, _CALLER, app)))
                    complete += not lacks
                    lines.append(f"- {name}: {each['question']}: {', '.join(lacks) or 'has everything'}")
    row = {"questions": len(asked), "with everything": complete}
    return Table("questions whose context has all that is needed", [row], [write_report("context", lines)])


def _lacking(question: dict[str, Any], answer: GetQueryContextOutput) -> Iterator[str]:
    """What a context lacks of the columns, values and joins that the right SQL needs."""
    blocks = {found["name"]: found["body"] for found in _BLOCK.finditer(answer.text)}
    for column in question["columns"]:
        table, _, name = column.rpartition(".")
        if name.lower() not in _words(blocks.get(table, "")):
            yield column
    for value in question["values"]:
        place, _, text = value.partition(":")
        table, _, name = place.rpartition(".")
        line = next((line for line in blocks.get(table, "").splitlines() if line.split()[:1] == [name]), "")
        if text.lower() not in line.lower():
            yield f"value {value}"
    for one, other in question["joins"]:
        if not any(_is_join(each.sql, one, other) for each in answer.joins):
            yield f"join {one} = {other}"


def _is_join(sql: str, one: str, other: str) -> bool:
    """Whether a join compares the columns of two tables, which are written `schema.table.column+column`."""
    pairs = zip(*(end.rpartition(".")[2].split("+") for end in (one, other)), strict=True)
    tables = [end.rpartition(".")[0] for end in (one, other)]
    words = _words(sql)
    return all(table in sql for table in tables) and all({*pair} <= words for pair in pairs)


if __name__ == "__main__":
    sys.exit(run("context", tables))
