"""Does `check_sql` report an error exactly where PostgreSQL does, and does it notice queries that were made wrong?

The queries are the gold SQL of the sets `bird_mini` and `defog` under `TRIBAL_BENCH_DATA`, and a few over the sample
company. `EXPLAIN` decides which of them PostgreSQL refuses. Queries that it plans are then changed at random places,
with a fixed seed; a change is caught if the check has a finding that it does not have for the query as it was.
"""

from __future__ import annotations

import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import unquote, urlsplit

from pg8000.exceptions import DatabaseError
from pg8000.native import Connection, identifier

from bench.harness import Bench, Row, Table, run, write_report
from bench.question_sets import QuestionSet, ensure_project, opened, read_lines
from bench.sql_check_queries import COMPOSITE_KEYS, VALUES
from tribal.capabilities.retrieval.checking.indexed_tables import indexed_tables
from tribal.capabilities.retrieval.toolbox import open_index
from tribal.capabilities.retrieval.tools import toolbox_of
from tribal.ports.caller import Caller
from tribal.sql.checking.check import check
from tribal.sql.checking.findings import Checked
from tribal.sql.checking.known import KnownTable, KnownTables
from tribal.sql.parsing import exp, parse_query
from tribal_demo import COMPANY_SQL

SEED = 51
MUTATIONS = {"wrong column": 60, "wrong table": 40, "wrong key": 50, "dropped condition": 25, "value": 25}
MOST_ALTERNATIVES = 4
_CHOICE = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True, slots=True)
class Query:
    """A query, and the tables that it is about."""

    name: str
    sql: str
    known: KnownTables
    explain: Callable[[str], str | None]
    """PostgreSQL's error; `None` if it plans the query."""

    def check(self, sql: str | None = None) -> Checked:
        """Check the query, or another one over the same tables."""
        return check(self.sql if sql is None else sql, self.known)


def tables(bench: Bench) -> Iterator[Table]:
    """Yield agreement with EXPLAIN, findings in queries that are right, and how many mutations are caught."""
    sets = {"bird_mini": _bird(bench), "defog": _defog(bench)}
    lines: list[str] = []
    planned: list[Query] = []
    yield Table("errors of check_sql and of EXPLAIN", [_agreement(name, each, lines) for name, each in sets.items()])
    for queries in sets.values():
        planned += [query for query in queries if query.explain(query.sql) is None and query.check().is_valid]
    company = _company(bench)
    yield Table("findings in queries that PostgreSQL plans", [*_findings(planned), *_findings(company, "company")])
    yield Table("mutations", list(_mutations(planned, company, lines)), [write_report("sql_checks", lines)])


def alternatives(sql: str) -> list[str]:
    """The queries that a text of defog means: each of several, with each choice in braces, and with all."""
    found: list[str] = []
    for statement in filter(str.strip, sql.split(";")):
        choice = next((each[1] for each in _CHOICE.finditer(statement) if each[1].strip()), None)
        options = [each.strip() for each in choice.split(",")][:MOST_ALTERNATIVES] if choice else []
        chosen = [*options, choice] if choice else [""]
        # Not a pattern: a choice may hold a backslash.
        found += (_CHOICE.sub(each.replace("\\", r"\\"), statement).strip() for each in chosen)
    return found


def _bird(bench: Bench) -> list[Query]:
    questions = QuestionSet(bench.data / "bird_mini")
    project = questions.project(bench)
    source = _Source(project, bench.server.dsn(questions.database))
    return [
        source.query(one["id"], one["sql_postgres"].strip().rstrip(";"), one["scope"].split(".")[1])
        for one in read_lines(questions.folder / "questions.jsonl")
    ]


def _defog(bench: Bench) -> list[Query]:
    files = {f"defog_{file.stem}": file for file in sorted((bench.data / "defog" / "ddl").glob("*.sql"))}
    project = ensure_project(bench, "defog-ddl", files)
    sources = {name: _Source(project, bench.server.dsn(name)) for name in files}
    return [
        sources[f"defog_{one['scope'].split('.')[1]}"].query(f"{one['id']}.{number}", sql, "public")
        for one in read_lines(bench.data / "defog" / "questions.jsonl")
        for number, sql in enumerate(alternatives(one["sql"]))
    ]


def _company(bench: Bench) -> list[Query]:
    project = ensure_project(bench, "company", {"company": COMPANY_SQL})
    source = _Source(project, bench.server.dsn("company"))
    return [source.query(f"company_{place}", sql, None) for place, sql in enumerate((*COMPOSITE_KEYS, *VALUES))]


class _Source:
    """A documented database, and the server that it is on."""

    def __init__(self, project: Path, dsn: str) -> None:
        self._dsn = dsn
        self._connection: Connection | None = None
        database = urlsplit(dsn).path.removeprefix("/")
        with opened(project) as app, app.index().reading():
            toolbox = toolbox_of(Caller("bench"), app)
            known = indexed_tables(database, open_index(toolbox), toolbox)
            # Loaded here, because the index closes.
            known.prepare(known.names)
            found = [table for name in known.names if (table := known.table(name)) is not None]
            keys = known.keys()
        by_name = {(each.schema, each.table): each for each in found}
        self._known = replace(known, load=lambda names: {name: by_name[name] for name in names}, keys=lambda: keys)

    def query(self, name: str, sql: str, schema: str | None) -> Query:
        known = replace(self._known, search_path=(schema,) if schema else ())
        return Query(name, sql, known, lambda text: self._explain(text, schema))

    def _explain(self, sql: str, schema: str | None) -> str | None:
        if self._connection is None:
            parts = urlsplit(self._dsn)
            self._connection = Connection(
                unquote(parts.username or ""),
                password=unquote(parts.password or ""),
                host=parts.hostname,
                port=parts.port,
                database=unquote(parts.path.removeprefix("/")),
            )
        self._connection.run("BEGIN")
        try:
            if schema is not None:
                self._connection.run(f"SET LOCAL search_path = {identifier(schema)}")
            self._connection.run(f"EXPLAIN {sql}")
        except DatabaseError as error:
            details = error.args[0]
            return str(details.get("M") if isinstance(details, Mapping) else details)
        finally:
            self._connection.run("ROLLBACK")
        return None


def _agreement(name: str, queries: Sequence[Query], lines: list[str]) -> Row:
    kinds: Counter[tuple[bool, bool]] = Counter()
    for query in queries:
        error, checked = query.explain(query.sql), query.check()
        kinds[error is not None, not checked.is_valid] += 1
        if (error is None) != checked.is_valid:
            codes = [f"{each.code}: {each.message}" for each in checked.findings if each.is_error]
            lines += [f"## {name} {query.name}", f"PostgreSQL: {error or 'plans it'}; check: {codes}", query.sql, ""]
    return {
        "set": name,
        "queries": len(queries),
        "refused by both": kinds[True, True],
        "by none": kinds[False, False],
        "by EXPLAIN only": kinds[True, False],
        "by check only": kinds[False, True],
        "agree %": 100 * (kinds[True, True] + kinds[False, False]) / len(queries),
    }


def _findings(queries: Sequence[Query], name: str = "bird_mini and defog") -> Iterator[Row]:
    counts = Counter(code for query in queries for code in {each.code for each in query.check().findings})
    for code, number in sorted(counts.items()):
        yield {"set": name, "code": code, "queries": number, "of": len(queries)}


def _mutations(planned: Sequence[Query], company: Sequence[Query], lines: list[str]) -> Iterator[Row]:
    composite, valued = company[: len(COMPOSITE_KEYS)], company[len(COMPOSITE_KEYS) :]
    joined = [*planned, *composite]
    kinds: dict[str, tuple[Sequence[Query], Callable[[Query, random.Random], str | None]]] = {
        "wrong column": (joined, _wrong_column),
        "wrong table": (joined, _wrong_table),
        "wrong key": (joined, _wrong_key),
        "dropped condition": (composite, _dropped_condition),
        "value": (valued, _wrong_value),
    }
    total = caught_in_total = 0
    for kind, (queries, mutate) in kinds.items():
        chance, seen, codes, caught = random.Random(f"{SEED} {kind}"), set[str](), Counter[str](), 0
        for _ in range(100 * MUTATIONS[kind]):
            query = chance.choice(queries)
            sql = mutate(query, chance)
            if sql is None or sql in seen or sql == query.sql:
                continue
            seen.add(sql)
            before = {(each.code, each.message) for each in query.check().findings}
            new = [each for each in query.check(sql).findings if (each.code, each.message) not in before]
            caught += bool(new)
            codes.update({each.code for each in new})
            if not new:
                lines += [f"## not caught: {kind}, {query.name}", "was:", query.sql, "is:", sql, ""]
            if len(seen) == MUTATIONS[kind]:
                break
        total, caught_in_total = total + len(seen), caught_in_total + caught
        found = ", ".join(f"{code} {number}" for code, number in codes.most_common())
        yield {"kind": kind, "mutations": len(seen), "caught": caught, "%": 100 * caught / len(seen), "by": found}
    yield {"kind": "all", "mutations": total, "caught": caught_in_total, "%": 100 * caught_in_total / total}


def _wrong_column(query: Query, chance: random.Random) -> str | None:
    """A column's name misspelt, or replaced by that of a column that none of the query's tables has."""
    tree = parse_query(query.sql, "postgres")
    found = [each.this for each in tree.find_all(exp.Column) if "start" in each.this.meta]
    used = {column.name for table in _tables_of(query) for column in table.columns}
    others = sorted({column.name for table in _all_tables(query) for column in table.columns} - used)
    if not found:
        return None
    node = chance.choice(found)
    misspelt = node.name[:-1] + ("x" if node.name[-1] != "x" else "y")
    return _replaced(query.sql, node, chance.choice([misspelt, *(chance.sample(others, 1) if others else [])]))


def _wrong_table(query: Query, chance: random.Random) -> str | None:
    """A table replaced by another one of its schema."""
    tree = parse_query(query.sql, "postgres")
    names = {table.table: table.schema for table in _tables_of(query)}
    found = [each for each in tree.find_all(exp.Table) if each.name.lower() in {name.lower() for name in names}]
    if not found:
        return None
    node = chance.choice(found)
    schema = next(schema for name, schema in names.items() if name.lower() == node.name.lower())
    others = sorted({table.table for table in _all_tables(query) if table.schema == schema} - set(names))
    return _replaced(query.sql, node.this, chance.choice(others)) if others else None


def _wrong_key(query: Query, chance: random.Random) -> str | None:
    """One of two joined columns replaced by another column of its table."""
    tree = parse_query(query.sql, "postgres")
    equalities = [each for each in tree.find_all(exp.EQ) if _joins(each)]
    if not equalities:
        return None
    equality = chance.choice(equalities)
    node = chance.choice([equality.this, equality.expression])
    aliases = {each.alias_or_name.lower(): each.name.lower() for each in tree.find_all(exp.Table)}
    table = next((one for one in _tables_of(query) if one.table.lower() == aliases.get(node.table.lower())), None)
    if table is None:
        return None
    others = sorted({column.name for column in table.columns} - {node.name})
    return _replaced(query.sql, node.this, chance.choice(others)) if others else None


def _dropped_condition(query: Query, chance: random.Random) -> str | None:
    """One of several conditions of a join left out."""
    tree = parse_query(query.sql, "postgres")
    conditions = [each for each in tree.find_all(exp.And) if _joins(each.this) and _joins(each.expression)]
    if not conditions:
        return None
    both = chance.choice(conditions)
    both.replace(chance.choice([both.this, both.expression]).copy())
    return tree.sql("postgres")


def _wrong_value(query: Query, chance: random.Random) -> str | None:
    """A value of a list replaced by one that is not in it."""
    tree = parse_query(query.sql, "postgres")
    found = [each for each in tree.find_all(exp.Literal) if each.is_string]
    node = chance.choice(found)
    value = chance.choice([node.name.upper() + "ED", f"{node.name}s", "cancelled", "active", "Z", "unknown"])
    return query.sql[: node.meta["start"]] + f"'{value}'" + query.sql[node.meta["end"] + 1 :]


def _joins(node: exp.Expr) -> bool:
    one, other = node.args.get("this"), node.args.get("expression")
    if not isinstance(node, exp.EQ) or not isinstance(one, exp.Column) or not isinstance(other, exp.Column):
        return False
    return bool(one.table) and bool(other.table) and one.table != other.table


def _tables_of(query: Query) -> list[KnownTable]:
    used = set(query.check().tables)
    return [table for table in _all_tables(query) if table.name in used]


def _all_tables(query: Query) -> list[KnownTable]:
    path = query.known.search_path
    names = [name for name in query.known.names if not path or name[0] in path]
    return [table for name in names if (table := query.known.table(name)) is not None]


def _replaced(sql: str, node: exp.Expr, name: str) -> str:
    written = name if re.fullmatch("[a-z_][a-z0-9_]*", name) else '"' + name.replace('"', '""') + '"'
    return sql[: node.meta["start"]] + written + sql[node.meta["end"] + 1 :]


if __name__ == "__main__":
    sys.exit(run("sql_checks", tables))
