"""How many comments that people wrote would lose a sentence if a model had written them, and by which rule?

`python -m bench.human_comments`; needs `TRIBAL_BENCH_DATA`. Takes the comments of the sample company and the human
descriptions of the public schemas. Each is judged as the answer to the question about its own table, whose data has no
comments; an identifier in it is replaced by its handle, which people do not know. What is dropped is written to a file.

Then how many texts that are not about their subject are dropped: comments of other schemas, drawn by seed and judged as
if they described a table or a column.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from bench.grounding import HUMAN, Schema, TableQuestion, load_schema, with_handles
from bench.harness import Bench, Row, Table, run, write_report
from bench.question_sets import read_lines, schema_files
from tribal.describing.model.answers import judge_of
from tribal.describing.model.evidence import AnswerEvidence
from tribal.ports import TableContext
from tribal.text_checks import UNSUPPORTED, split_sentences
from tribal_demo import COMPANY_SQL

_PAIRS = 1_000
"""Texts attached to a table or column of another schema."""
_SEED = 71

Comments = Mapping[tuple[str, str], str]
"""By table with its schema, and column; empty for the table itself."""


def tables(bench: Bench) -> Iterator[Table]:
    """Judge every comment."""
    company = load_schema(bench, "company", COMPANY_SQL, prepare=without_comments)
    sources = [(company, _of_catalog(company))]
    files = schema_files(bench.data)
    sources += [(schema, _of_file(schema)) for schema in (load_schema(bench, name, files[name]) for name in HUMAN)]
    rows, rules, lines = list[Row](), Counter[tuple[str, str]](), list[str]()
    for schema, comments in sources:
        found = {key: _dropped(schema, *key, text) for key, text in comments.items()}
        losing = sum(map(bool, found.values()))
        rows.append({"schema": schema.name, "comments": len(found), "lose a sentence": losing})
        for (table, column), dropped in found.items():
            rules.update((schema.name, rule) for rule, _ in dropped)
            lines += [f"- {rule}: {schema.name}: {table} {column}: {sentence}" for rule, sentence in dropped]
    total = {"schema": "all"} | {
        key: sum(int(str(row[key])) for row in rows) for key in ("comments", "lose a sentence")
    }
    rows = [{**row, "share": int(str(row["lose a sentence"])) / int(str(row["comments"]))} for row in (*rows, total)]
    yield Table("comments of people that lose a sentence", rows)
    names = [schema.name for schema, _ in sources]
    yield Table(
        "sentences by the rule that drops them",
        [
            {"rule": rule, **{name: rules[name, rule] for name in names}}
            for rule in sorted({rule for _, rule in rules}, key=lambda rule: -sum(rules[name, rule] for name in names))
        ],
        [write_report("human-comments", sorted(lines))],
    )
    yield Table("texts of other tables that are dropped", [_mismatched(sources, kind) for kind in ("table", "column")])


def without_comments(context: TableContext) -> TableContext:
    """The context of the same table in a database without comments."""
    table = context.table
    columns = [column.model_copy(update={"comment": None}) for column in table.columns]
    neighbours = {name: each.model_copy(update={"comment": None}) for name, each in context.neighbours.items()}
    bare = table.model_copy(update={"comment": None, "columns": columns})
    return replace(context, table=bare, neighbours=neighbours)


def _of_catalog(schema: Schema) -> Comments:
    found: dict[tuple[str, str], str] = {}
    for each in schema.tables:
        table = each.context.table
        commented = [("", table.comment), *((column.name, column.comment) for column in table.columns)]
        found |= {(_name(each), column): text for column, text in commented if text}
    return found


def _of_file(schema: Schema) -> Comments:
    known = {_name(each) for each in schema.tables}
    records = read_lines(schema.human)
    return {(one["table"], one["column"] or ""): one["description"] for one in records if one["table"] in known}


def _name(each: TableQuestion) -> str:
    return f"{each.context.table.schema_name}.{each.context.table.table_name}"


def _dropped(schema: Schema, table: str, column: str, text: str) -> list[tuple[str, str]]:
    """The sentences that a comment loses, each after its rule; a comment without evidence loses all that are left."""
    question = next(each.question for each in schema.tables if _name(each) == table)
    judge = judge_of(question, schema.known)
    sentences = [with_handles(sentence, question) for sentence in split_sentences(text)]
    found = [(rule, sentence) for sentence in sentences if (rule := judge.broken_rule(sentence))]
    left = " ".join(sentence for sentence in sentences if not judge.broken_rule(sentence))
    is_unsupported = AnswerEvidence(question, schema.known).is_unsupported(left, column)
    return [*found, (UNSUPPORTED, left)] if is_unsupported else found


def _mismatched(sources: Sequence[tuple[Schema, Comments]], kind: str) -> Row:
    """How many comments are dropped if they describe a table or column of another schema, by the rule that does it.

    Column comments are attached to columns, table comments to tables. Other rules drop some of them by chance.
    """
    draw, dropped = random.Random(_SEED), Counter[str]()
    texts = [
        (schema, text)
        for schema, comments in sources
        for (_, column), text in comments.items()
        if _kind(column) == kind
    ]
    subjects = [
        (schema, _name(each), column)
        for schema, _ in sources
        for each in schema.tables
        for column in ("", *(column.name for column in each.context.table.columns))
        if _kind(column) == kind
    ]
    for _ in range(_PAIRS):
        schema, table, column = draw.choice(subjects)
        text = draw.choice([text for other, text in texts if other is not schema])
        found = _dropped(schema, table, column, text)
        if any(rule == UNSUPPORTED for rule, _ in found):
            dropped[UNSUPPORTED] += 1
        elif found:
            dropped["all" if len(found) == len(split_sentences(text)) else "some"] += 1
    shares = {key: dropped[key] / _PAIRS for key in (UNSUPPORTED, "all", "some")}
    return {
        "texts of a": kind,
        "pairs": _PAIRS,
        UNSUPPORTED: shares[UNSUPPORTED],
        "all sentences by other rules": shares["all"],
        "some sentences by other rules": shares["some"],
    }


def _kind(column: str) -> str:
    return "column" if column else "table"


if __name__ == "__main__":
    sys.exit(run("human_comments", tables))
