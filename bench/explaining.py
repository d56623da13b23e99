"""Checks with EXPLAIN in PostgreSQL that the SQL of join paths over real schemas runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

from pg8000.exceptions import DatabaseError
from pg8000.native import Connection

from bench.evaluation import ensure_project
from bench.generated_joins import generated_joins
from servers.postgres import EmbeddedServer
from tribal.app.local import local_application
from tribal.settings import load_settings

PATHS = 500
"""Paths per schema, each between different tables; a small schema has fewer."""


@dataclass(frozen=True, slots=True)
class Explained:
    """The explained joins of one schema."""

    schema: str
    paths: int
    inferred: int
    """Paths with at least one step along an inferred key."""
    hops: int
    """Hops of the longest path."""
    refused: tuple[str, ...]
    """SQL that PostgreSQL refused, with the reason."""


def explain_joins(data: Path, tribal: Path) -> list[Explained]:
    """Explain the joins of every schema under `ddl/`.

    Raises:
        CommandFailedError: when `tribal run` fails for one of them.
    """
    with TemporaryDirectory(prefix="tribal-bench-") as scratch, EmbeddedServer.start(Path(scratch)) as server:
        return list(_explained(data, tribal, server))


def print_explained(results: list[Explained]) -> None:
    """Print one line per schema, and the refused SQL."""
    print(f"{'SQL of join paths':<28}{'paths':>7}{'inferred':>10}{'longest':>9}{'refused':>9}")
    for one in results:
        print(f"{one.schema:<28}{one.paths:>7}{one.inferred:>10}{one.hops:>9}{len(one.refused):>9}")
        for refusal in one.refused:
            print(f"    {refusal}")


def _explained(data: Path, tribal: Path, server: EmbeddedServer) -> Iterator[Explained]:
    for ddl in sorted(data.glob("ddl/*/schema_nocomments.sql")):
        name = ddl.parent.name
        project = ensure_project(f"ddl-{name}", name, ddl, tribal)
        server.ensure_database(name, ddl)
        with closing(local_application(load_settings(project=project))) as app:
            joins = list(generated_joins(app, PATHS))
        inferred = sum(any(step.source == "inferred" for step in join.path or ()) for join in joins)
        refused = tuple(_refusals(server.dsn(name), [join.sql_snippet or "" for join in joins]))
        yield Explained(name, len(joins), inferred, max(join.hop_count or 0 for join in joins), refused)


def _refusals(dsn: str, statements: list[str]) -> Iterator[str]:
    parts = urlsplit(dsn)
    connection = Connection(
        parts.username or "",
        password=parts.password,
        host=parts.hostname,
        port=parts.port,
        database=parts.path.removeprefix("/"),
        ssl_context=False,
    )
    try:
        for statement in statements:
            try:
                connection.run(f"EXPLAIN {statement}")
            except DatabaseError as error:
                yield f"{error}: {statement}"
    finally:
        connection.close()
