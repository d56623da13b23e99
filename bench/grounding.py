"""How well invented names, values and figures are found in prose, what is dropped wrongly, and how large requests are.

Sentences with a planted name are judged as those of a model are. Human descriptions are only judged, each against the
question about its own table: no question shows any of them. What is dropped of them is written to a file, to be read.
"""

from __future__ import annotations

import json
import os
import random
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from statistics import mean

from bench.descriptions import DATA_VARIABLE
from bench.slices import planned_tables
from servers.postgres import EmbeddedServer
from tribal.describing import RulesDescriber
from tribal.describing.model.grounding import KnownNames
from tribal.describing.model.grounding.judging import Judge
from tribal.describing.model.grounding.sentences import split_sentences
from tribal.describing.model.questions import Asking, Question, load_prompts, table_questions
from tribal.describing.model.questions.escaping import data_json
from tribal.naming import segment_all, split_identifier
from tribal.ports import TableContext, TableDescription
from tribal_contracts import CatalogNames, Description, ModelSettings

DROPPED = Path(".bench") / "dropped.md"
HUMAN = "adventureworks"
SIZES = "adventureworks_flat"
PLANTED_IN = (HUMAN, "omop_cdm54", "pagila")
PLANTED = 400
"""Sentences of a class and schema."""
_SEED = 15
_BLANK = Description(text="", source="derived", confidence=0.0)

# FACTS of November 2026: 40 lines of regular expressions over adventureworks.
FLOORS = {
    "identifier by form": 1.0,
    "quoted value": 1.0,
    "figure": 1.0,
    "table of several words": 0.97,
    "the X table": 0.95,
    "the X column": 0.92,
    "column in plain words": 0.35,
    "table of one word": 0.0,
    "bare value word": 0.0,
}
FLOOR_FALSE_DROPS = 0.08
_FRAMES = (
    "Each row belongs to one entry of {}.",
    "What a colleague enters here is carried over from {} at night.",
    "Holds the details of {} for one period.",
    "One row for each {} of a customer.",
)
_FIGURES = ("48,213", "17", "three", "12 percent", "$5", "fifteen thousand", "10 to 20", "1998", "a dozen", "0.5")


@dataclass(frozen=True, slots=True)
class Table:
    """A table, and the question that asks for all of it."""

    context: TableContext
    question: Question


@dataclass(slots=True)
class Grounding:
    """What was found of each class of planted sentences, and what was dropped of human ones."""

    found: dict[str, tuple[int, int]] = field(default_factory=dict)
    """By schema and class: found and planted."""
    human: Counter[str] = field(default_factory=Counter)
    """Human sentences by the rule that drops them; kept ones under an empty rule."""
    part_tokens: list[int] = field(default_factory=list)
    whole_tokens: list[int] = field(default_factory=list)
    prefix_bytes: int = 0


def report(server: EmbeddedServer, scratch: Path, tribal: Path) -> Grounding:
    """Plant sentences, judge human ones, and measure requests.

    Raises:
        CommandFailedError: when `tribal plan` fails.
    """
    data = Path(os.environ[DATA_VARIABLE])
    grounding = Grounding()
    for name in PLANTED_IN:
        contexts = planned_tables(server, name, data / "ddl" / name / "schema_nocomments.sql", scratch, tribal)
        tables = [Table(context, _about_all(context)) for context in contexts]
        known = KnownNames.of(names_of(contexts))
        human = data / "ddl" / name / "descriptions.jsonl"
        for kind, sentences in planted(tables, _readable(human)).items():
            hits = sum(bool(Judge(table.question, known).broken_rule(text)) for table, text in sentences)
            grounding.found[f"{name}: {kind}"] = (hits, len(sentences))
        if name == HUMAN:
            _judge_people(tables, known, human, grounding)
    _measure(planned_tables(server, SIZES, data / "ddl" / SIZES / "schema_nocomments.sql", scratch, tribal), grounding)
    return grounding


def names_of(contexts: Sequence[TableContext]) -> CatalogNames:
    """The names of all tables and columns."""
    return CatalogNames(
        schema_version="1.0",
        database=contexts[0].database,
        tables=sorted({context.table.table_name for context in contexts}),
        columns=sorted({column.name for context in contexts for column in context.table.columns}),
    )


def _asking() -> Asking:
    settings = ModelSettings(provider="anthropic", name="claude-haiku-5-5", api_key_secret="key")
    return Asking(load_prompts(), settings, "anthropic/claude-haiku-5-5")


def _about_all(context: TableContext) -> Question:
    """A question that shows the table as any does; sentences are judged by what it shows."""
    blank = TableDescription(_BLANK, {column.name: _BLANK for column in context.table.columns})
    return table_questions(context, blank, _asking())[0]


def _readable(human: Path) -> Mapping[str, str]:
    """How people write names that lie in lower case, such as `StateProvince`, by that."""
    text = human.read_text(encoding="utf-8") if human.exists() else ""
    return {word.lower(): word for word in re.findall(r"\b(?:[A-Z][a-z]+){2,}\b", text)}


def planted(tables: Sequence[Table], readable: Mapping[str, str]) -> dict[str, list[tuple[Table, str]]]:
    """Sentences with something that the question does not show, by class, drawn by seed."""
    draw = random.Random(_SEED)

    def words(name: str) -> list[str]:
        return segment_all(split_identifier(readable.get(name, name)))

    def strange(table: Table, names: Sequence[str]) -> str:
        own = {name.lower() for name in (*table.question.shown.own, *table.question.shown.others)}
        return draw.choice([name for name in names if name.lower() not in own])

    every = sorted({table.context.table.table_name for table in tables})
    columns = sorted({column.name for table in tables for column in table.context.table.columns})
    pools = {
        "several": [name for name in every if len(words(name)) > 1],
        "one": [name for name in every if len(words(name)) == 1],
        "tables": every,
        "columns": columns,
        "identifiers": [name for name in (*every, *columns) if len(words(name)) > 1],
    }
    values = ("shipped", "pending", "gold", "standard", "open")
    kinds: dict[str, tuple[str, Callable[[list[str]], str]]] = {
        "identifier by form": ("identifiers", lambda w: draw.choice(_forms(w))),
        "quoted value": ("", lambda _: draw.choice(("'{}'", '"{}"', "\u201c{}\u201d")).format(draw.choice(values))),
        "figure": ("", lambda _: draw.choice(_FIGURES)),
        "table of several words": ("several", " ".join),
        "the X table": ("tables", lambda w: f"the {' '.join(w)} table"),
        "the X column": ("columns", lambda w: f"the {' '.join(w)} {draw.choice(('column', 'field'))}"),
        "column in plain words": ("columns", " ".join),
        "table of one word": ("one", " ".join),
        "bare value word": ("", lambda _: draw.choice(values)),
    }
    found: dict[str, list[tuple[Table, str]]] = {}
    for kind, (pool, written) in kinds.items():
        if pool and not pools[pool]:
            continue
        for _ in range(PLANTED):
            table = draw.choice(tables)
            name = words(strange(table, pools[pool])) if pool else []
            found.setdefault(kind, []).append((table, draw.choice(_FRAMES).format(written(name))))
    return found


def _forms(words: list[str]) -> list[str]:
    """An identifier of these words, in the ways that people write one."""
    snake, camel = "_".join(words), "".join(word.title() for word in words)
    return [snake, snake.upper(), camel, camel[:1].lower() + camel[1:], f"dbo.{snake}", f"[{camel}]", f"`{snake}`"]


def _judge_people(tables: Sequence[Table], known: KnownNames, human: Path, grounding: Grounding) -> None:
    by_name = {f"{t.context.table.schema_name}.{t.context.table.table_name}": t for t in tables}
    lines = []
    for record in map(json.loads, human.read_text(encoding="utf-8").splitlines()):
        table = by_name.get(record["table"])
        for sentence in split_sentences(record["description"]) if table else ():
            assert table is not None
            rule = Judge(table.question, known).broken_rule(_with_handles(sentence, table.question))
            grounding.human[rule] += 1
            if rule:
                lines.append(f"- {rule}: {record['table']}.{record['column'] or ''}: {sentence}")
    DROPPED.parent.mkdir(exist_ok=True)
    DROPPED.write_text("\n".join(sorted(lines)) + "\n", encoding="utf-8")


def _with_handles(sentence: str, question: Question) -> str:
    """The sentence with a handle in the place of each identifier that was shown: people know of none."""
    handles = {handle.parts[-1].lower(): f"[{key}]" for key, handle in question.handles.items()}
    dotted = re.compile(r"\b([A-Z]\w+)\.([A-Z]\w+)\b")
    sentence = dotted.sub(lambda found: handles.get(found[1].lower(), found.group()), sentence)
    return re.sub(r"\b(?:[A-Z][a-z]+){2,}\b", lambda found: handles.get(found.group().lower(), found.group()), sentence)


def tokens(text: str) -> int:
    """The named estimator: a third of the bytes, rounded up."""
    return ceil(len(text.encode()) / 3)


def whole_input(question: Question) -> str:
    """All that a request shows to the model, as it is sent."""
    return question.request_prefix + data_json(question.schema) + question.request_part


def _measure(contexts: Sequence[TableContext], grounding: Grounding) -> None:
    rules, asking = RulesDescriber(), _asking()
    for context in contexts:
        for question in table_questions(context, rules.describe_table(context), asking):
            grounding.prefix_bytes = len(question.request_prefix.encode())
            grounding.part_tokens.append(tokens(question.request_part))
            grounding.whole_tokens.append(tokens(whole_input(question)))


def print_grounding(grounding: Grounding) -> None:
    """Print the floors, then each share, and the sizes of requests."""
    print("grounding: floors, 40 lines of regular expressions over adventureworks: " + _floors())
    for kind, (found, total) in grounding.found.items():
        print(f"  {kind:<42}{found:>5} of {total} ({found / total:.3f})")
    total = grounding.human.total()
    by_names = grounding.human["name"] + grounding.human["identifier"]
    print(
        f"  human sentences of {HUMAN}: {total}; dropped by names: {by_names} ({by_names / total:.3f}),"
        f" of these {grounding.human['identifier']} by form; all: {dict(grounding.human.most_common())}"
    )
    part, whole = grounding.part_tokens, grounding.whole_tokens
    print(
        f"  requests about {SIZES}: {len(part)}; table part {mean(part):.0f} tokens on average, at most {max(part)};"
        f" whole input {mean(whole):.0f}, at most {max(whole)}; prefix {grounding.prefix_bytes} bytes"
    )
    print(f"  human sentences that were dropped, to be read: {DROPPED}")


def _floors() -> str:
    shares = ", ".join(f"{kind} {floor:.2f}" for kind, floor in FLOORS.items())
    return f"{shares}; false drops by names {FLOOR_FALSE_DROPS:.2f}"
