"""A documented shop in memory, with a clone of the repository whose migrations create it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from dulwich.object_store import iter_tree_contents
from dulwich.objects import Commit, ObjectID
from dulwich.refs import Ref
from dulwich.repo import Repo

from tests.adapters.git.clones import MAIN, clone_with
from tests.adapters.git.repositories import commit
from tests.capabilities.contribution.records import INTERFACES, require_specified
from tests.fakes import FixedClock, MemoryStore
from tests.sample_shop.documented import Shop
from tribal.adapters.git.local_clone import LocalCloneRepository, LocalForge
from tribal.capabilities.contribution.contributions import Contributions
from tribal.capabilities.contribution.parts import ContributionParts
from tribal.errors import SandboxMissing
from tribal.identity.scope import EVERYTHING, Scope
from tribal.ports import ObjectStore, Provider
from tribal.ports.caller import Caller
from tribal.ports.sandbox import Sandbox
from tribal_contracts.contribution import HANDOFFS
from tribal_contracts.contribution.cycles import CycleRecord
from tribal_contracts.contribution.settings import ContributionSettings, RepositoryEntry
from tribal_contracts.contribution.tools import PrepareContributionInput

FIRST = """\
CREATE SCHEMA sales;
CREATE TABLE sales.customer (id bigint PRIMARY KEY, email text, status text);
CREATE TABLE sales.orders (id bigint PRIMARY KEY, customer_id bigint, qty integer);
"""
SECOND = """\
CREATE SCHEMA billing;
CREATE TABLE billing.invoice (id bigint PRIMARY KEY, order_id bigint, net_cents bigint);
COMMENT ON COLUMN billing.invoice.net_cents IS 'Without VAT.';
"""
FILES = {"db/V1__sales.sql": FIRST.encode(), "db/V2__billing.sql": SECOND.encode()}
ANNOTATIONS = """\
tables:
  sales.customer:
    columns: {status: "open, closed or 'gone'"}
  billing.invoice:
    description: An invoice as it was sent.
    columns: {net_cents: Something else.}
  audit.change_log: {description: Who changed what.}
"""
USER = "user:ada@here"


def no_sandbox() -> Sandbox:
    """As where no sandbox can be had."""
    raise SandboxMissing("bubblewrap is not installed")


@dataclass
class ShopWithClone:
    """A shop, a clone, and what callers do with contributions."""

    folder: Path
    files: Mapping[str, bytes] = field(default_factory=lambda: dict(FILES))
    annotations: str = ANNOTATIONS
    settings: dict[str, Any] = field(default_factory=dict)
    entry: dict[str, Any] = field(default_factory=dict)
    clock: FixedClock = field(default_factory=FixedClock)
    store: ObjectStore = field(init=False)
    clone: Repo = field(init=False)

    def __post_init__(self) -> None:
        self.clone = clone_with(self.folder / "migrations", self.files)
        shop = Shop(clock=self.clock)
        shop.memory.put("annotations/shop.yaml", self.annotations.encode())
        shop.run()
        self.store = shop.memory
        self.app = shop.app()

    @cached_property
    def parts(self) -> ContributionParts:
        entry = RepositoryEntry(**{"name": "migrations", "path": "migrations", "databases": ["shop"], **self.entry})
        return ContributionParts(
            settings=ContributionSettings(repositories=[entry], **self.settings),
            open_repository=lambda each: LocalCloneRepository(self.folder / (each.path or ""), each.base),
            open_forge=lambda each, _: LocalForge(self.folder / (each.path or ""), each.base),
            signer=lambda: "Ada <ada@example.com>",
            read_manifest=lambda _: None,
            open_sandbox=no_sandbox,
        )

    def contributions(self, store: ObjectStore | None = None, scope: Scope = EVERYTHING) -> Contributions:
        """Contributions as a new process has them."""
        app = replace(self.app, store=Provider.of(store or self.store)).with_part(self.parts)
        return Contributions(app, self.parts, Caller("ada", scope), USER)

    def prepare(self, *tables: str, **request: Any) -> CycleRecord | None:
        """Prepare a contribution, and check its files against the specification."""
        record = self.contributions().prepare(PrepareContributionInput(tables=list(tables), **request))
        self.require_specified()
        return record

    def prepared(self, *tables: str, **request: Any) -> CycleRecord:
        """Prepare a contribution that waits for approval."""
        record = self.prepare(*tables, **request)
        assert record is not None
        assert record.state == "waiting", record
        return record

    def approve(self, cycle: int = 1, store: ObjectStore | None = None) -> CycleRecord:
        """Approve what is shown."""
        service = self.contributions(store)
        review = service.review(cycle)
        return service.approve(review, review.sha256[:8])

    def branches(self) -> dict[str, str]:
        """Our branches, and the commits at their tips."""
        refs = self.clone.refs.as_dict(Ref(b"refs/heads/tribal/"))
        return {name.decode(): commit.decode() for name, commit in refs.items()}

    def commit(self, name: str) -> Commit:
        """A commit of the clone."""
        found = self.clone[name.encode()]
        assert isinstance(found, Commit)
        return found

    def files_of(self, branch: str) -> dict[str, bytes]:
        """The files of a branch."""
        tip = self.clone[self.clone.refs[f"refs/heads/tribal/{branch}".encode()]]  # type: ignore[index]
        store = self.clone.object_store
        return {each.path.decode(): store[each.sha].data for each in iter_tree_contents(store, tip.tree)}  # type: ignore[attr-defined]

    def merge(self) -> None:
        """Merge our newest branch by moving main to it."""
        [*_, newest] = sorted(self.branches().values())
        self.clone.refs[MAIN] = ObjectID(newest.encode())  # type: ignore[index]

    def change(self, files: Mapping[str, bytes], message: str = "Change") -> None:
        """Commit files to main; all others stay."""
        self.files = {**self.files, **files}
        commit(self.clone, self.files, message)

    def require_specified(self) -> None:
        """Check every file of contributions against the specification's own types."""
        memory = self.store
        assert isinstance(memory, MemoryStore)
        interfaces = {f"{name}.json": INTERFACES[agent] for agent, (name, _) in HANDOFFS.items()}
        interfaces["swarm-status.json"] = "SwarmStatus"
        for key in memory.keys("contribution/"):
            interface = interfaces.get(key.rpartition("/")[2])
            if interface is not None:
                require_specified(interface, memory.get(key).data)
