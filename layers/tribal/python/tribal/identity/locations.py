"""Keys of every file, relative to the store's root. Source: specification section 8."""

from __future__ import annotations

import re

from tribal.identity.table_names import store_name

DOCS = "docs/"
PLAN_FILE = "progress/documentation-plan.json"
DOCUMENTER_PROGRESS_FILE = "progress/documenter-progress.json"
SOURCE_FILE = "progress/source.json"
DATABASES_FILE = "catalog/databases.json"
MANIFEST_FILE = "docs/documentation-manifest.json"
COVERAGE_FILE = "progress/coverage.json"
INDEXER_PROGRESS_FILE = "progress/indexer-progress.json"
DATA_FOLDER = "data"
INDEX_FILE = "data/tribal-knowledge.db"
MEMORIES_FILE = "data/tribal-memories.db"
AUDIT_FILE = "data/memory-audit.jsonl"
ACCESS_TOKENS_FILE = "access/tokens.json"
LEASE_FILE = "progress/lease.json"
DOCUMENTATION_LEASE = "documentation"
"""Name of the lease of documentation runs."""
SYNC_LEASE = "sync"
"""Name of the lease of syncs of knowledge."""
_COLLECTION = "collection-"
_LEASES = {DOCUMENTATION_LEASE: LEASE_FILE, SYNC_LEASE: "progress/sync-lease.json"}
SYNC_FILE = "progress/sync.json"
RUNS = "progress/runs/"
SESSIONS = "sessions/"
"""Interrogations and exams."""
OPEN_GAPS_FILE = "sessions/open-gaps.json"
"""The gaps that interrogations and exams found and no one has closed."""
COLLECTIONS = "collections/"
"""What people upload, a folder for each collection."""
PROPOSALS = "proposals/"
"""Descriptions that someone proposes, and what became of them."""
PRIVATE_FOLDERS = frozenset({"audit", "collections", "contribution", "proposals", "sessions"})
"""Top folders that a store in a folder keeps out of git."""
LATEST_OUTLINE_FILE = "progress/runs/latest-plan.json"
WORK_UNITS = "progress/work_units/"
CATALOG_OVERVIEW = "overview.json"
CATALOG_OVERVIEW_PAGE = "README.md"
SITE_PAGE = "index.html"
"""The whole documentation as one page, relative to `docs/`."""


def lease_file(name: str) -> str:
    """The file of the lease of that name."""
    if name.startswith(_COLLECTION):
        return f"{COLLECTIONS}{name.removeprefix(_COLLECTION)}/lease.json"
    return _LEASES.get(name) or f"progress/leases/{name}.json"


def snapshot_file(database: str, schema_hash: str) -> str:
    """The snapshot of a database's structure at one schema hash."""
    return f"catalog/{store_name(database)}/snapshots/{schema_hash}.jsonl"


def statistics_file(database: str) -> str:
    """Row counts and sizes of a database."""
    return f"catalog/{store_name(database)}/statistics.json"


def inferred_keys_file(database: str) -> str:
    """The keys of a database that are likely, but not declared."""
    return f"catalog/{store_name(database)}/inferred-keys.json"


def lineage_file(database: str) -> str:
    """What the views of a database read."""
    return f"catalog/{store_name(database)}/lineage.json"


def latest_reading_file(database: str) -> str:
    """The last `CatalogReading` that reached the database."""
    return f"catalog/{store_name(database)}/latest.json"


def slice_file(database: str, content_hash: str) -> str:
    """A slice, named by the SHA-256 of its bytes."""
    return f"catalog/{store_name(database)}/slices/{content_hash}.json"


def slice_hash(key: str) -> str:
    """The SHA-256 that names a slice."""
    return key.rpartition("/")[2].removesuffix(".json")


def names_file(database: str) -> str:
    """The names of all tables and columns of a database, which prose about it is checked against."""
    return f"catalog/{store_name(database)}/names.json"


def prose_file(database: str, subject: str) -> str:
    """What a model wrote about a table or a domain; `subject` is its fully qualified name or the domain's."""
    return f"prose/{store_name(database)}/{store_name(subject)}.json"


BUDGET_FILE = "progress/budget.json"
"""The cost of model calls today and in the run, changed only by conditional put."""
MODEL_TESTS_FILE = "progress/model-tests.json"
"""Results of tests and trials of models, changed only by conditional put."""


def annotations_file(database: str) -> str:
    """People's corrections and additions about a database."""
    return f"annotations/{store_name(database)}.yaml"


QUERIES = "queries/"
"""SQL that people keep, each file with the questions that it answers."""
DEFINITIONS_FILE = "docs/definitions.json"
"""Metrics, terms and verified queries, as the last run checked them."""


def collection_lease(name: str) -> str:
    """The name of the lease of those who read uploads to a collection."""
    return f"{_COLLECTION}{name}"


def collection_index(name: str) -> str:
    """The folder of the generations of a collection's index."""
    return f"{COLLECTIONS}{name}/index/"


def run_file(run_id: str) -> str:
    """The record of a run."""
    return f"{RUNS}{run_id}/run.json"


def run_plan_file(run_id: str) -> str:
    """The run's own, immutable copy of the plan."""
    return f"{RUNS}{run_id}/plan.json"


def run_outline_file(run_id: str) -> str:
    """The run's plan without its work units: a `RunOutline`."""
    return f"{RUNS}{run_id}/outline.json"


def run_unit_file(run_id: str, unit_id: str) -> str:
    """One work unit of the run's plan."""
    return f"{RUNS}{run_id}/units/{unit_id}.json"


def run_reading_file(run_id: str, database: str) -> str:
    """What the run's `read_catalog` found in a database."""
    return f"{RUNS}{run_id}/catalog/{store_name(database)}.json"


def run_wave_file(run_id: str, number: int) -> str:
    """The units of one wave of the run: a JSON array that the state machine maps over."""
    return f"{RUNS}{run_id}/waves/{number}.json"


def run_counts_file(run_id: str, unit_id: str) -> str:
    """How many tables of a unit the run documented."""
    return f"{RUNS}{run_id}/counts/{unit_id}.json"


def run_failures(run_id: str) -> str:
    """Where the run keeps the failures of whole units."""
    return f"{RUNS}{run_id}/failures/"


def run_failure_file(run_id: str, unit_id: str) -> str:
    """Why a unit could not be documented in the run."""
    return f"{run_failures(run_id)}{unit_id}.json"


def run_finish_file(run_id: str) -> str:
    """What the run's Finish had written when it ran out of time."""
    return f"{RUNS}{run_id}/finish.json"


def unit_progress_file(unit_id: str) -> str:
    """Progress of a work unit."""
    return f"{WORK_UNITS}{unit_id}/progress.json"


def unit_result_file(unit_id: str) -> str:
    """Checkpoint and result of a work unit."""
    return f"{WORK_UNITS}{unit_id}/result.json"


def database_directory(database: str) -> str:
    """A database's folder, relative to `docs/`."""
    return store_name(database)


def domain_directory(database: str, domain: str) -> str:
    """A domain's folder, relative to `docs/`."""
    return f"{store_name(database)}/{domain}"


def domain_page_file(database: str, domain: str) -> str:
    """A domain's page, relative to `docs/`."""
    return f"{domain_directory(database, domain)}/{CATALOG_OVERVIEW_PAGE}"


def table_stem(output_directory: str, schema: str, table: str, file_name: str | None = None) -> str:
    """A table's files without their endings `.json` and `.md`, relative to `docs/`.

    Args:
        output_directory: of its work unit.
        schema: its schema's name.
        table: its name.
        file_name: the name that the plan gives its files, if any.
    """
    return f"{output_directory}/{file_name or store_name(schema, table)}"


_KEY_BYTES = 1024
_KEY_PART = re.compile(r"[^./\\\0\ud800-\udfff][^/\\\0\ud800-\udfff]*\Z")
_DRIVE = re.compile(r"[A-Za-z]:")


def is_key(key: str) -> bool:
    """Whether a store keeps a key unaltered; see `require_key`."""
    proper = all(_KEY_PART.match(part) for part in key.split("/")) and not _DRIVE.match(key)
    return proper and len(key.encode()) <= _KEY_BYTES


def require_key(key: str) -> None:
    """Refuse a key that a store would alter, or that would lead out of it.

    A key is relative, at most 1,024 bytes of UTF-8 (the most that S3 takes), of parts separated by `/`; no part is
    empty or begins with a dot: those are reserved for the store.

    Raises:
        StoreError: when the key is not of this form.
    """
    if not is_key(key):
        from tribal.errors import StoreError  # imported here because most callers only want the names of files

        raise StoreError(
            f"{key!r} is not a valid object key: parts are separated by '/', none is empty or begins with '.'"
        )
