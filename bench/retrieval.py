"""How well do questions find their tables? On the public sets of questions; needs `TRIBAL_BENCH_DATA`.

With the folder of a model in `TRIBAL_BENCH_ONNX`, projects are indexed by it.

`python -m bench.retrieval [opensearch]`: the questions of each set, whose databases form one pool, without any of the
ranking signals in turn, and over OpenSearch; every table by its own name, exactly, by its words in any
order and with one letter wrong; and what people asked of real schemas.
"""

from __future__ import annotations

import json
import statistics
import string
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

from bench.harness import Bench, Row, Table, run, write_report
from bench.indexing import build_in_cluster
from bench.question_sets import Question, QuestionSet, opened, plain_name, question_sets, real_project
from bench.search import application
from tribal.capabilities.retrieval.names import name_of
from tribal.capabilities.retrieval.searching.candidates import find_candidates
from tribal.capabilities.retrieval.searching.ordering import rank_candidates
from tribal.capabilities.retrieval.searching.search import MAX_LIMIT
from tribal.capabilities.retrieval.toolbox import open_index
from tribal.capabilities.retrieval.tools import toolbox_of
from tribal.identity.scope import Scope
from tribal.naming import split_identifier
from tribal.ports import Application, Caller, IndexFilter
from tribal.ranking.weights import WEIGHTS, Weights
from tribal.tools.call import call_tool
from tribal_contracts import SearchTablesOutput, TableSearchResult

_CALLER = Caller("bench")
_SEED = 14
_LIMIT = 5
_SHORTEST_EDITED = 5
WITHOUT: dict[str, Weights] = {
    "words": replace(WEIGHTS, lexical=0.0),
    "the table's vector": replace(WEIGHTS, whole=0.0),
    "its nearest column": replace(WEIGHTS, column=0.0),
    "its name's vector": replace(WEIGHTS, name=0.0),
    "its name's letters": replace(WEIGHTS, letters=0.0),
    "keys": replace(WEIGHTS, propagation=0.0),
    "schemas": replace(WEIGHTS, schema=0.0),
    "all but words": replace(WEIGHTS, whole=0.0, column=0.0, name=0.0, letters=0.0, propagation=0.0, schema=0.0),
}
Rankings = Sequence[Sequence[str]]
"""Names of tables, best first, for each question."""


def tables(bench: Bench) -> Iterator[Table]:
    """Rate every set, then names and people's questions."""
    sets = question_sets(bench.data)
    rows, losses = list[Row](), list[Row]()
    for one in sets:
        with opened(one.project(bench)) as app:
            rows += _set_rows(one, app)
            losses.append(_without_signals(one, app))
        if "opensearch" in bench.arguments:
            build_in_cluster(one.project(bench), bench.cluster)
            app = application(one.project(bench), bench.cluster)
            rankings = [_ranking(question.text, app) for question in one.questions]
            rows.append({"set": f"{one.name}, OpenSearch", **_rates(one.questions, rankings)})
    yield Table("questions that find their tables", rows)
    yield Table("ALL@10 without one of the signals", losses)
    projects = {one.name: one.project(bench) for one in sets} | {"real": real_project(bench)}
    yield _names(projects)
    yield Table("tables that come first, or among five, for a column that only they have", _columns(projects))
    yield from _people(bench.data, projects["real"])


def _set_rows(one: QuestionSet, app: Application) -> Iterator[Row]:
    rankings = [_ranking(question.text, app) for question in one.questions]
    scoped = [_ranking(each.text, app, replace(_CALLER, scope=one.scope_of(each))) for each in one.questions]
    yield {
        "set": one.name,
        "tables": len(app.index().tables(IndexFilter())),
        "questions": len(rankings),
        **_rates(one.questions, rankings),
        "AUC": _relevance_auc(one, app),
    }
    yield {"set": f"{one.name}, scoped", **_rates(one.questions, scoped)}


def _search(
    text: str, app: Application, caller: Caller = _CALLER, limit: int = _LIMIT, database: str | None = None
) -> list[TableSearchResult]:
    arguments = {"query": text, "limit": limit} | ({"database": database} if database else {})
    answer = call_tool("search_tables", arguments, caller, app)
    assert isinstance(answer, SearchTablesOutput)
    return answer.tables


def _ranking(text: str, app: Application, caller: Caller = _CALLER) -> list[str]:
    return [plain_name(table.name) for table in _search(text, app, caller, MAX_LIMIT)]


def _rates(questions: Sequence[Question], rankings: Rankings) -> Row:
    pairs = [(question.tables, ranking) for question, ranking in zip(questions, rankings, strict=True)]
    firsts = [next((n for n, name in enumerate(ranking, 1) if name in wanted), None) for wanted, ranking in pairs]
    return {
        **{
            f"R@{most}": statistics.fmean(len(wanted & set(ranking[:most])) / len(wanted) for wanted, ranking in pairs)
            for most in (5, 10)
        },
        **{
            f"ALL@{most}": statistics.fmean(wanted <= set(ranking[:most]) for wanted, ranking in pairs)
            for most in (10, 15)
        },
        "MRR": statistics.fmean(1 / first if first else 0.0 for first in firsts),
    }


def _without_signals(one: QuestionSet, app: Application) -> Row:
    """Rank the candidates of the tool without each signal in turn, without reading any documents."""
    everywhere, toolbox = IndexFilter(), toolbox_of(_CALLER, app)
    index = open_index(toolbox)
    names = {entry.record_id: plain_name(name_of(entry)) for entry in index.tables}
    rankings: defaultdict[str, list[list[str]]] = defaultdict(list)
    for question in one.questions:
        found = find_candidates(question.text, everywhere, index, toolbox)
        for signal, weights in WITHOUT.items():
            order = rank_candidates(found, everywhere, index, replace(toolbox, weights=weights))
            rankings[signal].append([names[table] for table in order.ids[:MAX_LIMIT].tolist()])
    return {
        "set": one.name,
        **{signal: _rates(one.questions, some)["ALL@10"] for signal, some in rankings.items()},
    }


def _relevance_auc(one: QuestionSet, app: Application) -> float | None:
    """Probability that an answerable question's top score exceeds an unanswerable one's; only for sets with such."""
    if not one.unanswerable:
        return None

    def certainty(question: Question) -> float:
        found = _search(question.text, app, limit=1)
        return found[0].relevance_score if found else 0.0

    answerable, others = list(map(certainty, one.questions)), list(map(certainty, one.unanswerable))
    wins = sum((good > bad) + 0.5 * (good == bad) for good in answerable for bad in others)
    return wins / (len(answerable) * len(others))


def _names(projects: Mapping[str, Path]) -> Table:
    """Search for every table by its name, with its schema as scope."""
    rows, misses = list[Row](), list[str]()
    for name, project in projects.items():
        searched, first = Counter[str](), Counter[str]()
        with opened(project) as app:
            for entry in app.index().tables(IndexFilter()):
                caller = replace(_CALLER, scope=Scope(schemas=frozenset({(entry.database, entry.schema)})))
                for kind, query in _name_queries(entry.table).items():
                    found = [table.name for table in _search(query, app, caller)]
                    searched[kind] += 1
                    first[kind] += found[:1] == [name_of(entry)]
                    if found[:1] != [name_of(entry)]:
                        misses.append(
                            f"- {kind}: `{query}` is `{name_of(entry)}`, found {', '.join(found) or 'nothing'}"
                        )
        rows.append(
            {"set": name, **{kind: f"{first[kind]} of {searched[kind]}" for kind in ("exact", "words", "edit")}}
        )
    return Table("tables that come first for their own name", rows, [write_report("missed-names", sorted(misses))])


def _columns(projects: Mapping[str, Path]) -> list[Row]:
    """Search for every column name that one table of the project has, unless a table is named like it."""
    rows = list[Row]()
    for name, project in projects.items():
        tables = [json.loads(file.read_bytes()) for file in project.glob("docs/*/*/*.json")]
        tables = [table for table in tables if "columns" in table]
        holders = dict[str, set[str]]()
        for table in tables:
            for column in table["columns"]:
                holders.setdefault(column["name"].lower(), set()).add(table["name"])
        for table in tables:
            holders.pop(table["table"].lower(), None)
        with opened(project) as app:
            ranks = [_rank(column, *owners, app=app) for column, owners in holders.items() if len(owners) == 1]
        rows.append({"set": name, "columns": len(ranks), "first": _share(ranks, 1), "in five": _share(ranks, 5)})
    return rows


def _rank(text: str, wanted: str, *, app: Application) -> int:
    """The place of a table among the first five, from 1; 0 if it is not among them."""
    found = [table.name for table in _search(text, app, limit=5)]
    return found.index(wanted) + 1 if wanted in found else 0


def _share(ranks: Sequence[int], most: int) -> float:
    return sum(0 < rank <= most for rank in ranks) / len(ranks)


def _name_queries(table: str) -> Mapping[str, str]:
    """The ways in which a table is searched for by its name; each name draws by a seed of its own."""
    random = Random(f"{_SEED} {table}")
    found = {"exact": table}
    words = split_identifier(table)
    if len(words) > 1:
        found["words"] = " ".join(random.sample(words, len(words)))
    if sum(letter.isalpha() for letter in table) >= _SHORTEST_EDITED:
        found["edit"] = _edited(table, random)
    return found


def _edited(name: str, random: Random) -> str:
    """The name with one letter swapped with the next one, left out, added or changed."""
    place = random.choice([place for place, letter in enumerate(name) if letter.isalpha()])
    before, letter, after = name[:place], name[place], name[place + 1 :]
    other = random.choice([each for each in string.ascii_lowercase if each != letter.lower()])
    ways = [after, other + letter + after, other + after]
    if after[:1].isalpha() and after[:1] != letter:
        ways.append(after[:1] + letter + after[1:])
    return before + random.choice(ways)


def _people(data: Path, project: Path) -> Iterator[Table]:
    """The questions of `real/questions.tsv` and `real2`; any of the tables listed for one is right."""
    files = sorted(data.glob("real*/questions.tsv"))
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines() if line]
    questions = [tuple(line.split("\t")[:3]) for line in lines]
    rows, missed = list[Row](), list[str]()
    with opened(project) as app:
        for pool in ("its own database", "all databases"):
            counts: Counter[str] = Counter()
            for database, text, right in questions:
                only = database if pool == "its own database" else None
                found = _search(text, app, database=only)
                hits = [_is_right(table, database, right.split("|")) for table in found]
                likely = bool(found) and found[0].relevance_score > 0.5
                first = hits[:1] == [True]
                counts.update(first=first, five=any(hits), sure=first and likely, unsure=not first and not likely)
                missed += [] if any(hits) else [f"missed in {pool}: {text}"]
            rows.append(
                {
                    "pool": pool,
                    "questions": len(questions),
                    "first": counts["first"],
                    "among five": counts["five"],
                    "right above .5": f"{counts['sure']} of {counts['first']}",
                    "wrong not above .5": f"{counts['unsure']} of {len(questions) - counts['first']}",
                }
            )
    yield Table("questions of people about real schemas", rows, missed)


def _is_right(table: TableSearchResult, database: str, right: Sequence[str]) -> bool:
    return table.database == database and not {table.table, f"{table.schema_}.{table.table}"}.isdisjoint(right)


if __name__ == "__main__":
    sys.exit(run("retrieval", tables))
