"""How many invented names, values and numbers do the checks of a model's sentences find, and what do they drop wrongly?

`python -m bench.grounding`; needs `TRIBAL_BENCH_DATA`. Sentences with something planted, which the question about the
table does not show, are checked as those of a model are. Then sentences that people wrote, each against the question
about its own table: what is dropped is written to a file, to be read. They are also checked under the names of other
schemas, of which they say nothing, so that whatever is dropped there is dropped wrongly.
"""

from __future__ import annotations

import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from bench.harness import TRIBAL, Bench, Row, Table, measure, run, write_report
from bench.question_sets import SAME_AS_ANOTHER, loadable, read_lines, schema_files
from tribal.describing.model.answers import judge_of
from tribal.describing.model.questions import Prompting, Question, table_questions
from tribal.identity.locations import PLAN_FILE
from tribal.identity.table_names import TableIdentity
from tribal.naming import segment_all, split_identifier
from tribal.ports import TableContext, TableDescription
from tribal.prompt_templates import load_prompts
from tribal.text_checks import KnownNames
from tribal.text_checks.sentences import split_sentences
from tribal_contracts import CatalogNames, CatalogSlice, Description, DocumentationPlan, ModelSettings

HUMAN = ("adventureworks", "omop_cdm54")
"""Schemas with descriptions by people."""
PLANTED = 400
"""Sentences of a class and schema."""
_SEED = 15
_BLANK = Description(text="", source="derived", confidence=0.0)
_FRAMES = (
    "Each row belongs to one entry of {}.",
    "What a colleague enters here is carried over from {} at night.",
    "Holds the details of {} for one period.",
    "One row for each {} of a customer.",
)
_WITH_ARTICLE = (
    "It depends on the {} of the customer.",
    "What the {} was before it changed.",
    "Holds the details of a {} for one period.",
    "It is carried over from the {} at night.",
)
_NUMBERS = ("48,213", "17", "three", "12 percent", "$5", "fifteen thousand", "10 to 20", "1998", "a dozen", "0.5")
_VALUES = ("shipped", "pending", "gold", "standard", "open")


@dataclass(frozen=True, slots=True)
class TableQuestion:
    """A table, and the question that asks for all of it."""

    context: TableContext
    question: Question


@dataclass(frozen=True, slots=True)
class Schema:
    """A schema whose tables are asked about."""

    name: str
    tables: Sequence[TableQuestion]
    known: KnownNames
    human: Path
    """Descriptions by people, where there are any."""


def tables(bench: Bench) -> Iterator[Table]:
    """Check planted sentences, then human ones."""
    schemas = [load_schema(bench, *each) for each in schema_files(bench.data).items() if each[0] != SAME_AS_ANOTHER]
    found: dict[str, dict[str, float]] = {}
    for schema in schemas:
        for kind, sentences in _planted(schema).items():
            hits = [bool(judge_of(table.question, schema.known).broken_rule(text)) for table, text in sentences]
            found.setdefault(kind, {})[schema.name] = fmean(hits)
    yield Table("share of planted sentences that is found", [{"planted": kind, **of} for kind, of in found.items()])
    yield from _human([schema for schema in schemas if schema.name in HUMAN], schemas)


def load_schema(
    bench: Bench, name: str, file: Path, prepare: Callable[[TableContext], TableContext] = lambda context: context
) -> Schema:
    """Plan over a schema and build the question about each table, from what `prepare` leaves of its context."""
    contexts = _contexts(bench, name, file)
    names = CatalogNames(
        schema_version="1.0",
        database=contexts[0].database,
        tables=sorted({context.table.table_name for context in contexts}),
        columns=sorted({column.name for context in contexts for column in context.table.columns}),
    )
    # A question that shows the table as any does; sentences are judged by what it shows.
    questions = []
    for context in contexts:
        blank = TableDescription(_BLANK, {column.name: _BLANK for column in context.table.columns})
        questions.append(TableQuestion(context, table_questions(prepare(context), blank, _asking())[0]))
    return Schema(name, questions, KnownNames.of(names), file.with_name("descriptions.jsonl"))


def _contexts(bench: Bench, name: str, file: Path) -> list[TableContext]:
    """The tables of a schema as documenting gets them, without samples."""
    project, database = bench.new_folder(f"planned-{name}"), f"planned_{name}"
    bench.server.ensure_database(database, loadable(file))
    measure([TRIBAL, "plan", bench.server.dsn(database), "--project", project], folder=bench.folder)
    plan = DocumentationPlan.from_json((project / PLAN_FILE).read_bytes())
    found = [context for unit in plan.work_units for context in _of_slice(project / str(unit.slice_file), unit.domain)]
    return sorted(found, key=lambda context: (context.table.schema_name, context.table.table_name))


def _of_slice(file: Path, domain: str) -> Iterator[TableContext]:
    part = CatalogSlice.from_json(file.read_bytes())
    for table in part.tables:
        own = str(TableIdentity(part.database, table.schema_name, table.table_name))
        yield TableContext(
            database=part.database,
            database_type=part.type,
            domain=domain,
            table=table,
            row_count=-1,
            incoming=tuple(key for key in part.incoming if key.table == own),
            neighbours=part.neighbours,
            samples={},
            inferred_keys=tuple(key for key in part.inferred_keys if own in (key.from_table, key.to_table)),
        )


def _asking() -> Prompting:
    settings = ModelSettings(provider="anthropic", name="claude-haiku-5-5", api_key_secret="key")
    return Prompting(load_prompts(), settings, "anthropic/claude-haiku-5-5")


def _planted(schema: Schema) -> dict[str, list[tuple[TableQuestion, str]]]:
    """Sentences with something that the question does not show, by class, drawn by seed."""
    draw = random.Random(_SEED)
    readable = _readable(schema.human)

    def words(name: str) -> list[str]:
        return segment_all(split_identifier(readable.get(name, name)))

    def unshown(table: TableQuestion, names: Sequence[str]) -> str:
        own = {name.lower() for name in (*table.question.shown.own, *table.question.shown.others)}
        return draw.choice([name for name in names if name.lower() not in own])

    names = sorted({table.context.table.table_name for table in schema.tables})
    columns = sorted({column.name for table in schema.tables for column in table.context.table.columns})
    pools = {
        "several": [name for name in names if len(words(name)) > 1],
        "tables": names,
        "columns": columns,
        "columns of one": [name for name in columns if len(words(name)) == 1],
        "columns of several": [name for name in columns if len(words(name)) > 1],
        "identifiers": [name for name in (*names, *columns) if len(words(name)) > 1],
    }
    kinds: dict[str, tuple[str, Callable[[list[str]], str]]] = {
        "identifier by form": ("identifiers", lambda w: draw.choice(_forms(w))),
        "quoted value": ("", lambda _: draw.choice(("'{}'", '"{}"', "\u201c{}\u201d")).format(draw.choice(_VALUES))),
        "number": ("", lambda _: draw.choice(_NUMBERS)),
        "table of several words": ("several", " ".join),
        "the X table": ("tables", lambda w: f"the {' '.join(w)} table"),
        "the X column": ("columns", lambda w: f"the {' '.join(w)} {draw.choice(('column', 'field'))}"),
        "column of several words": ("columns of several", " ".join),
        "column of one word": ("columns of one", " ".join),
        "column of one word with article": ("columns of one", " ".join),
    }
    found: dict[str, list[tuple[TableQuestion, str]]] = {}
    for kind, (pool, written) in kinds.items():
        frames = _WITH_ARTICLE if kind.endswith("article") else _FRAMES
        for _ in range(PLANTED if not pool or pools[pool] else 0):
            table = draw.choice(schema.tables)
            name = words(unshown(table, pools[pool])) if pool else []
            found.setdefault(kind, []).append((table, draw.choice(frames).format(written(name))))
    return found


def _readable(human: Path) -> Mapping[str, str]:
    """How people write names that are in lower case in the schema, such as `StateProvince`, by that."""
    text = human.read_text(encoding="utf-8") if human.exists() else ""
    return {word.lower(): word for word in re.findall(r"\b(?:[A-Z][a-z]+){2,}\b", text)}


def _forms(words: list[str]) -> list[str]:
    """An identifier of these words, in the ways that people write one."""
    snake, camel = "_".join(words), "".join(word.title() for word in words)
    return [snake, snake.upper(), camel, camel[:1].lower() + camel[1:], f"dbo.{snake}", f"[{camel}]", f"`{snake}`"]


def _human(described: Sequence[Schema], schemas: Sequence[Schema]) -> Iterator[Table]:
    rows, lines = list[Row](), list[str]()
    others: dict[str, Counter[str]] = {}
    for schema in described:
        rules: Counter[str] = Counter()
        for table, sentence in _human_sentences(schema):
            rule = judge_of(table.question, schema.known).broken_rule(sentence)
            rules[rule or "kept"] += 1
            if rule:
                lines.append(f"- {rule}: {schema.name}: {table.context.table.table_name}: {sentence}")
            if not judge_of(table.question, None).broken_rule(sentence):
                for other in schemas:
                    if other is not schema:
                        dropped = bool(judge_of(table.question, other.known).broken_rule(sentence))
                        others.setdefault(other.name, Counter()).update(sentences=1, dropped=dropped)
        rows.append({"schema": schema.name, **dict(rules.most_common())})
    yield Table(
        "sentences of people by the rule that drops them", rows, [write_report("dropped-sentences", sorted(lines))]
    )
    yield Table(
        "sentences of people under names of other schemas", [{"names of": name, **of} for name, of in others.items()]
    )


def _human_sentences(schema: Schema) -> Iterator[tuple[TableQuestion, str]]:
    by_name = {f"{t.context.table.schema_name}.{t.context.table.table_name}": t for t in schema.tables}
    for record in read_lines(schema.human):
        if table := by_name.get(record["table"]):
            for sentence in split_sentences(record["description"]):
                yield table, with_handles(sentence, table.question)


def with_handles(sentence: str, question: Question) -> str:
    """The sentence with a handle in the place of each identifier that was shown: people know of none."""
    handles = {handle.parts[-1].lower(): f"[{key}]" for key, handle in question.handles.items()}
    dotted = re.compile(r"\b([A-Z]\w+)\.([A-Z]\w+)\b")
    sentence = dotted.sub(lambda found: handles.get(found[1].lower(), found.group()), sentence)
    return re.sub(r"\b(?:[A-Z][a-z]+){2,}\b", lambda found: handles.get(found.group().lower(), found.group()), sentence)


if __name__ == "__main__":
    sys.exit(run("grounding", tables))
