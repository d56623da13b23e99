"""Likely keys of a real database: what is asked of it, what is kept, and when it is asked again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import pytest

from tests.fakes import FixedClock, MemoryStore, application, options
from tests.fakes.catalogs import HandMadeReader, column, table
from tests.plugins.postgres import NO_ENVIRONMENT, FreshDatabase, administer, connected, login, unique_name
from tests.sample_shop.documented import RecordingStore
from tribal.adapters.postgres.catalog import PostgresCatalog
from tribal.errors import ConnectionLost, RunInterrupted, StoreUnwritable
from tribal.identity import locations
from tribal.key_inference import KeyPair, Overlap
from tribal.planning import read_catalog
from tribal.planning.catalog.inferred_keys import load_inferred_keys
from tribal.ports import Application, DocumentingOptions, StopToken
from tribal.settings.dsn import parse_dsn
from tribal.store import put_record
from tribal_contracts import CatalogReading, CatalogTable, ColumnComparison, DatabaseEntry, DatabaseLimits, InferredKeys

CLINIC = """
CREATE TABLE customers (id int PRIMARY KEY, name text);
INSERT INTO customers SELECT n, 'Name ' || n FROM generate_series(1000, 1999) AS n;
CREATE TABLE orders (id int PRIMARY KEY, customer_id int);
INSERT INTO orders SELECT n, 1000 + n % 800 FROM generate_series(1, 1600) AS n;
CREATE TABLE suppliers (id int PRIMARY KEY, name text);
INSERT INTO suppliers SELECT n, 'Name ' || n FROM generate_series(1, 50) AS n;
CREATE TABLE parts (id int PRIMARY KEY, supplier_id int);
INSERT INTO parts SELECT n, 90000 + n FROM generate_series(1, 50) AS n;
CREATE TABLE icd_codes (icd_code text, icd_version int, title text, PRIMARY KEY (icd_code, icd_version));
INSERT INTO icd_codes SELECT 'A' || n, 9 + n % 2, 'Title' FROM generate_series(1, 60) AS n;
CREATE TABLE diagnoses (id int PRIMARY KEY, icd_code text, icd_version int);
INSERT INTO diagnoses SELECT n, 'A' || 1 + n % 60, 9 + (1 + n % 60) % 2 FROM generate_series(1, 200) AS n;
CREATE TABLE "Größe" (id int PRIMARY KEY, "says ""hi"" too" text);
INSERT INTO "Größe" SELECT n FROM generate_series(500, 540) AS n;
CREATE TABLE "the prices" (id int PRIMARY KEY, "größe_id" int);
INSERT INTO "the prices" SELECT n, 500 + n FROM generate_series(1, 40) AS n;
"""
FULL = {
    "orders(customer_id) -> customers(id)",
    "diagnoses(icd_code, icd_version) -> icd_codes(icd_code, icd_version)",
    '"the prices"("größe_id") -> "Größe"(id)',
}
DECOY = "parts(supplier_id) -> suppliers(id)"


class Watched(PostgresCatalog):
    """A reader of a real database that keeps which pairs were asked, and stays open for the next reading."""

    def __init__(self, dsn: str) -> None:
        limits = DatabaseLimits(lock_timeout_seconds=0.1, sample_timeout_seconds=2)
        super().__init__(parse_dsn(dsn, NO_ENVIRONMENT), limits)
        self.asked: list[tuple[KeyPair, ...]] = []
        self.before: Callable[[str], object] = lambda _: None
        """Called with the name of a table before its values are compared."""

    def overlaps(self, table: CatalogTable, row_count: int, pairs: Sequence[KeyPair]) -> dict[KeyPair, Overlap]:
        self.asked.append(tuple(pairs))
        self.before(table.table_name)
        return super().overlaps(table, row_count, pairs)

    def close(self) -> None:
        """The test closes the reader."""

    def close_for_good(self) -> None:
        super().close()

    @property
    def tables(self) -> set[str]:
        return {name.rpartition(".")[2] for pair in self.pairs for name in (pair.from_table, pair.to_table)}

    @property
    def pairs(self) -> list[KeyPair]:
        return [pair for asked in self.asked for pair in asked]


@dataclass
class Planned:
    """A database that is read as often as a test likes."""

    dsn: str
    reader: Watched
    store: RecordingStore = field(default_factory=lambda: RecordingStore(MemoryStore()))
    clock: FixedClock = field(default_factory=FixedClock)
    samples: bool = True

    def app(self) -> Application:
        opts = replace(options(DatabaseEntry(name="clinic")), documenting=DocumentingOptions(take_samples=self.samples))
        return application(store=self.store, clock=self.clock, open_reader=lambda _: self.reader, opts=opts)

    def read(self, stop: StopToken | None = None) -> CatalogReading:
        self.reader.asked.clear()
        self.store.written.clear()
        return read_catalog(DatabaseEntry(name="clinic"), self.app(), "run", stop)

    @property
    def found(self) -> InferredKeys:
        found = load_inferred_keys("clinic", self.store)
        assert found is not None
        return found

    @property
    def keys(self) -> set[str]:
        ends = [(key.from_table, key.from_columns, key.to_table, key.to_columns) for key in self.found.keys]
        return {f"{_short(a)}({_names(b)}) -> {_short(c)}({_names(d)})" for a, b, c, d in ends}

    def comparison(self, child: str, parent: str) -> ColumnComparison:
        (found,) = [
            said
            for said in self.found.comparisons
            if (_short(said.from_table), _short(said.to_table)) == (child, parent)
        ]
        return found


def _short(name: str) -> str:
    return name.partition("clinic.public.")[2]


def _names(columns: Sequence[str]) -> str:
    return ", ".join(name if name.isascii() else f'"{name}"' for name in columns)


@pytest.fixture(name="clinic")
def clinic_fixture(fresh_database: FreshDatabase) -> Iterator[Planned]:
    dsn = fresh_database(CLINIC)
    planned = Planned(dsn, Watched(dsn))
    yield planned
    planned.reader.close_for_good()


def test_keys_are_inferred_where_names_and_values_agree_and_a_look_alike_is_none(clinic: Planned) -> None:
    clinic.read()
    assert clinic.keys == FULL
    (key,) = [key for key in clinic.found.keys if key.from_columns == ["customer_id"]]
    (values,) = [evidence for evidence in key.evidence if evidence.kind == "values"]
    assert (values.compared, values.found) == (800, 800)
    decoy = clinic.comparison("parts", "suppliers")
    assert (decoy.compared, decoy.found) == (50, 0)


def test_nothing_of_a_value_is_stored(clinic: Planned) -> None:
    made = "CREATE TABLE accounts (account_no text PRIMARY KEY); CREATE TABLE payments (account_no text)"
    administer(clinic.dsn, made)
    administer(clinic.dsn, "INSERT INTO accounts SELECT 'DE' || 41926819 + n FROM generate_series(1, 9) AS n")
    administer(clinic.dsn, "INSERT INTO payments SELECT account_no FROM accounts")
    clinic.read()
    assert clinic.comparison("payments", "accounts").found == 9
    stored = b"".join(clinic.store.get(key).data for key in clinic.store.keys())  # noqa: SIM118 - not a mapping
    assert b"4192682" not in stored


def test_a_second_reading_asks_for_no_values_and_writes_no_keys(clinic: Planned) -> None:
    clinic.read()
    assert clinic.reader.asked
    clinic.read()
    assert clinic.reader.asked == []
    assert clinic.store.written == [locations.run_reading_file("run", "clinic")]


def test_a_changed_table_asks_for_its_own_pairs_alone(clinic: Planned) -> None:
    clinic.read()
    administer(clinic.dsn, "ALTER TABLE orders ADD COLUMN note text")
    clinic.read()
    assert clinic.reader.pairs
    assert all("clinic.public.orders" in (pair.from_table, pair.to_table) for pair in clinic.reader.pairs)
    assert clinic.keys == FULL


def test_what_is_over_age_is_asked_again(clinic: Planned) -> None:
    clinic.read()
    first = list(clinic.reader.pairs)
    administer(clinic.dsn, "UPDATE orders SET customer_id = 5")
    clinic.clock.advance(8 * 86_400)
    clinic.read()
    assert sorted(clinic.reader.pairs) == sorted(first)
    assert (clinic.comparison("orders", "customers").compared, clinic.comparison("orders", "customers").found) == (1, 0)


def test_without_samples_no_value_is_asked_for_and_names_alone_decide(clinic: Planned) -> None:
    clinic.samples = False
    clinic.read()
    assert clinic.reader.asked == []
    assert clinic.found.comparisons == []
    assert DECOY in clinic.keys
    assert all(evidence.kind != "values" for key in clinic.found.keys for evidence in key.evidence)


def test_samples_that_are_switched_off_take_back_what_values_showed(clinic: Planned) -> None:
    clinic.read()
    clinic.samples = False
    clinic.read()
    assert DECOY in clinic.keys
    assert clinic.found.comparisons == []


def test_a_table_that_may_not_be_selected_from_is_never_asked_for(
    clinic: Planned,
) -> None:
    user = unique_name("reader")
    administer(clinic.dsn, f"CREATE ROLE {user} LOGIN PASSWORD 'p'; GRANT SELECT ON orders, parts, suppliers TO {user}")
    clinic.reader.close_for_good()
    clinic.reader = Watched(login(clinic.dsn, user, "p"))
    clinic.read()
    assert clinic.reader.tables == {"parts", "suppliers"}


def test_a_table_that_is_locked_or_dropped_meanwhile_is_remembered_as_not_compared(clinic: Planned) -> None:
    def drop(name: str) -> None:
        if name == "parts":
            administer(clinic.dsn, "DROP TABLE IF EXISTS suppliers")

    clinic.reader.before = drop
    with connected(clinic.dsn) as other:
        other.run("BEGIN")
        other.run("LOCK TABLE customers IN ACCESS EXCLUSIVE MODE")
        reading = clinic.read()
    assert reading.status == "reachable"
    for child, parent in (("parts", "suppliers"), ("orders", "customers")):
        said = clinic.comparison(child, parent)
        assert (said.compared, said.found, said.unique) == (None, None, None)
    assert clinic.comparison('"the prices"', '"Größe"').found == 40


def test_a_lock_that_passes_takes_back_nothing(clinic: Planned) -> None:
    clinic.read()
    clinic.clock.advance(8 * 86_400)
    with connected(clinic.dsn) as other:
        other.run("BEGIN")
        other.run("LOCK TABLE customers IN ACCESS EXCLUSIVE MODE")
        clinic.read()
    assert clinic.comparison("orders", "customers").found == 800
    clinic.read()
    assert clinic.reader.tables == {"orders", "customers"}


def test_a_connection_that_is_lost_leaves_the_other_pairs_to_the_next_run(clinic: Planned) -> None:
    def lose(name: str) -> None:
        raise ConnectionLost(name)

    clinic.reader.before = lose
    assert clinic.read().status == "reachable"
    assert len(clinic.reader.asked) == 1
    assert clinic.found.comparisons == []
    clinic.reader.before = lambda _: None
    clinic.read()
    assert clinic.keys == FULL


def test_a_run_that_is_to_stop_asks_for_no_further_values(clinic: Planned) -> None:
    stop = StopToken()
    clinic.reader.before = lambda name: stop.request(RunInterrupted(name))
    clinic.read(stop)
    assert len(clinic.reader.asked) == 1
    assert len(clinic.found.comparisons) == len(clinic.reader.pairs)
    clinic.read()
    assert clinic.keys == FULL


def test_no_comparison_is_begun_when_the_time_for_them_is_up(clinic: Planned) -> None:
    clinic.reader.before = lambda _: clinic.clock.advance(31)
    clinic.read()
    assert len(clinic.reader.asked) == 1


def test_killed_between_any_two_writes_the_next_reading_ends_with_the_same_files(clinic: Planned) -> None:
    clinic.read()
    whole = {key: clinic.store.get(key).data for key in clinic.store.keys()}  # noqa: SIM118 - not a mapping
    for writes in range(len(clinic.store.written)):
        clinic.store = RecordingStore(MemoryStore(), writes_left=writes)
        with pytest.raises(StoreUnwritable):
            clinic.read()
        clinic.store.writes_left = None
        clinic.read()
        assert {key: clinic.store.get(key).data for key in clinic.store.keys()} == whole  # noqa: SIM118


def test_a_key_that_is_declared_later_is_inferred_no_more(clinic: Planned) -> None:
    clinic.read()
    administer(clinic.dsn, "ALTER TABLE orders ADD FOREIGN KEY (customer_id) REFERENCES customers")
    clinic.read()
    assert clinic.keys == FULL - {"orders(customer_id) -> customers(id)"}


def test_keys_of_earlier_rules_are_inferred_again_from_what_was_compared(clinic: Planned) -> None:
    clinic.read()
    of_before = clinic.found.model_copy(update={"keys": [], "input_hash": "0" * 64})
    put_record(clinic.store, locations.inferred_keys_file("clinic"), of_before)
    clinic.read()
    assert clinic.keys == FULL
    assert clinic.reader.asked == []


def test_keys_that_are_damaged_are_rebuilt(clinic: Planned) -> None:
    clinic.read()
    whole = clinic.found
    clinic.store.put(locations.inferred_keys_file("clinic"), b"{}")
    clinic.read()
    assert clinic.found == whole


def test_a_database_that_does_not_answer_keeps_its_keys(clinic: Planned) -> None:
    clinic.read()
    before = clinic.found
    clinic.reader.close_for_good()
    assert clinic.read().status == "unreachable"
    assert clinic.found == before


def test_values_are_never_asked_of_snowflake() -> None:
    reader = HandMadeReader([table("s.customer"), table("s.orders", column("customer_id"))])
    entry = DatabaseEntry(name="shop", type="snowflake")
    app = application(store=MemoryStore(), open_reader=lambda _: reader, opts=options(entry))
    read_catalog(entry, app, "run")
    assert reader.asked == ["read"]
