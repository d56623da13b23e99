"""Rates what users of nine products would ask of their databases, written before their schemas were looked at.

From a shell: `python -m bench.products FOLDER`. The folder holds `<product>.sql` for each product that is to be asked,
made by `pg_dump --schema-only --no-owner --no-privileges` of a database that the product's own set-up has made;
docs/performance.md names them. Each is a project of its own. Any of the tables listed for a question is right.
Questions of `us` were written, and have been read since, by those who chose how tables are ranked; those of `others` by
writers who did not know the search.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import fields
from pathlib import Path

from bench.evaluation import ensure_project
from bench.measure import CommandFailedError
from bench.real_questions import AskedQuestion, AskedScore, asked_score, first_tables, print_scores
from servers.postgres import EmbeddedServerError
from tribal.app.local import local_application
from tribal.settings import load_settings

QUESTIONS = Path(__file__).with_name("products.tsv")
Questions = Mapping[str, Sequence[AskedQuestion]]
"""Questions by who wrote them."""


def main(arguments: Sequence[str]) -> int:
    """Ask, and print a line for each writer and product; returns the exit code."""
    if len(arguments) != 1:
        print("bench.products: name the folder of schemas", file=sys.stderr)
        return 2
    questions = by_product()
    schemas = {name: Path(arguments[0]) / f"{name}.sql" for name in questions}
    schemas = {name: schema for name, schema in schemas.items() if schema.exists()}
    if not schemas:
        print(f"bench.products: {arguments[0]!r} has none of {', '.join(questions)} as .sql", file=sys.stderr)
        return 2
    tribal = Path(sys.executable).parent / "tribal"
    by_writer: defaultdict[str, list[AskedScore]] = defaultdict(list)
    try:
        for name, schema in schemas.items():
            for writer, score in _scores(name, schema, questions[name], tribal):
                by_writer[writer].append(score)
    except (CommandFailedError, EmbeddedServerError) as error:
        print(f"bench.products: FAILED: {error}", file=sys.stderr)
        return 1
    print_scores([line for writer, scores in by_writer.items() for line in (*scores, _together(writer, scores))])
    return 0


def by_product() -> Mapping[str, Questions]:
    """The questions of each product."""
    found: dict[str, dict[str, list[AskedQuestion]]] = {}
    for line in QUESTIONS.read_text(encoding="utf-8").splitlines():
        writer, product, text, tables = line.split("\t")
        question = AskedQuestion(product, text, frozenset(tables.split("|")))
        found.setdefault(product, {}).setdefault(writer, []).append(question)
    return found


def _scores(name: str, schema: Path, questions: Questions, tribal: Path) -> Iterator[tuple[str, AskedScore]]:
    project = ensure_project(f"product-{name}", name, schema, tribal)
    with closing(local_application(load_settings(project=project))) as app:
        for writer, some in questions.items():
            answers = [(question, first_tables(question.text, app, {})) for question in some]
            yield writer, asked_score(f"{name}, by {writer}", answers)


def _together(writer: str, scores: Sequence[AskedScore]) -> AskedScore:
    counted = [each.name for each in fields(AskedScore) if each.name not in ("name", "missed")]
    sums = {name: sum(getattr(score, name) for score in scores) for name in counted}
    missed = tuple(text for score in scores for text in score.missed)
    return AskedScore(name=f"all by {writer}", **sums, missed=missed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
