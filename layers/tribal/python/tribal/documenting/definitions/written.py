"""Collects what people have written: annotations, the project file, and SQL files with a header."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from tribal.documenting.definitions.query_files import QueryFile, parse_query_file
from tribal.errors import ConfigurationError, ObjectDamaged, ObjectNotFound
from tribal.identity import locations
from tribal.ports import ObjectStore
from tribal.store.annotations import read_defined
from tribal.yaml_lines import at_line
from tribal_contracts import LocatedMetric, LocatedTerm, UnusableFile

MAX_QUERY_FILES = 2_000
"""By judgement: more are a sign of the wrong folder."""


@dataclass(slots=True)
class WrittenDefinitions:
    """All definitions; metrics and terms with the database whose file they are in, if it is one."""

    metrics: list[tuple[LocatedMetric, str | None]] = field(default_factory=list)
    terms: list[tuple[LocatedTerm, str | None]] = field(default_factory=list)
    queries: list[QueryFile] = field(default_factory=list)
    unusable: list[UnusableFile] = field(default_factory=list)
    ignored_files: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether no one has written any."""
        return not (self.metrics or self.terms or self.queries or self.unusable)

    def refuse(self, error: ConfigurationError) -> None:
        """Record a file that cannot be used."""
        place = error.context or {}
        file, line = place.get("file"), place.get("line")
        self.unusable.append(
            UnusableFile(
                file=file if isinstance(file, str) else "",
                line=line if isinstance(line, int) else 1,
                message=error.message.partition(": ")[2],
            )
        )


def read_definitions(
    store: ObjectStore,
    databases: Iterable[str],
    metrics: Iterable[LocatedMetric] = (),
    terms: Iterable[LocatedTerm] = (),
) -> WrittenDefinitions:
    """Read all definitions; a file that cannot be used is recorded, and the others are read.

    Args:
        store: has the annotations and the SQL files.
        databases: whose annotations are read.
        metrics: of the project file.
        terms: of the project file.
    """
    found = WrittenDefinitions([(each, None) for each in metrics], [(each, None) for each in terms])
    for database in sorted(databases):
        try:
            own_metrics, own_terms = read_defined(store, database)
        except ConfigurationError as error:
            found.refuse(error)
            continue
        found.metrics += [(each, database) for each in own_metrics]
        found.terms += [(each, database) for each in own_terms]
    for number, key in enumerate(_query_files(store)):
        try:
            if number == MAX_QUERY_FILES:
                raise at_line(key, None, f"there are more than {MAX_QUERY_FILES:,} SQL files; the rest is not read")
            query = parse_query_file(key, store.get(key).data)
        except ConfigurationError as error:
            found.refuse(error)
            if number == MAX_QUERY_FILES:
                break
        except (ObjectDamaged, ObjectNotFound) as error:
            found.refuse(at_line(key, None, f"cannot be read: {error.message}"))
        else:
            if query is None:
                found.ignored_files += 1
            else:
                found.queries.append(query)
    return found


def _query_files(store: ObjectStore) -> Iterator[str]:
    return (key for key in store.keys(locations.QUERIES) if key.lower().endswith(".sql"))
