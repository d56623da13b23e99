"""Selects what the next contribution consists of, and has it prepared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from tribal.capabilities.contribution.agents.context import edit_context, edits_of
from tribal.capabilities.contribution.cycles.files import ContributionFiles
from tribal.capabilities.contribution.cycles.running import CycleRunner
from tribal.capabilities.contribution.errors import (
    ContributionForbidden,
    CycleUnsuitable,
    LimitExceeded,
    RepositoryNotAllowed,
)
from tribal.capabilities.contribution.offers import batches
from tribal.capabilities.contribution.offers.batches import Batch
from tribal.capabilities.contribution.offers.issues import (
    DescriptionRequest,
    asks_in_title,
    description_request,
    issue_place,
    read_issue,
    requested,
)
from tribal.capabilities.contribution.offers.offers import Offer
from tribal.capabilities.contribution.offers.sources import open_source
from tribal.capabilities.contribution.parts import ContributionParts
from tribal.errors import RepositoryUnusable
from tribal.identity.scope import EVERYTHING
from tribal.ports import Application
from tribal.ports.caller import Caller
from tribal.ports.repositories import ForgeIssue
from tribal_contracts import ModelQuote
from tribal_contracts.contribution.cycles import CycleRecord
from tribal_contracts.contribution.handoffs import SearchStats
from tribal_contracts.contribution.settings import RepositoryEntry
from tribal_contracts.contribution.tools import PrepareContributionInput


@dataclass(frozen=True, slots=True)
class Preparation:
    """Prepares a contribution for one request of a caller, who holds the lease."""

    app: Application
    caller: Caller
    name: str
    """The caller, as `kind:subject`."""
    runner: CycleRunner
    request: PrepareContributionInput
    model: str | None = None
    """The entry of `models` that writes what an issue asks for, besides descriptions."""
    confirm: Callable[[ModelQuote], None] = lambda _: None
    """Called with the quote before a model is asked."""

    @property
    def files(self) -> ContributionFiles:
        """The files of contributions."""
        return self.runner.files

    @property
    def _parts(self) -> ContributionParts:
        return self.runner.parts

    def run(self) -> CycleRecord | None:
        """Prepare the best candidate that its repository allows; `None` if there is nothing to do."""
        request = self.request
        if request.issue is not None:
            return self._for_issue(request.issue)
        is_named = bool(request.tables) or request.repository is not None
        blocked: set[tuple[str, str]] = set()
        last: CycleRecord | None = None
        while True:
            records, found = self._collected()
            candidates = self._candidates(found)
            candidates = [each for each in candidates if (each.entry.name, each.database) not in blocked]
            if not candidates:
                return last
            chosen = candidates[0]
            try:
                record = self._begin(chosen, found, records)
            except (LimitExceeded, RepositoryUnusable):
                if is_named or len(candidates) == 1:
                    raise
                blocked.add((chosen.entry.name, chosen.database))
                continue
            last = self.runner.run(record.cycle)
            if is_named or last.outcome != "blocked":
                return last
            blocked.add((chosen.entry.name, chosen.database))

    def _for_issue(self, url: str) -> CycleRecord | None:
        """Prepare what an issue asks for.

        Raises:
            RepositoryNotAllowed: when its repository is not configured.
            RepositoryUnusable: when it asks for nothing that can be contributed.
        """
        if self.request.tables or self.request.repository is not None:
            raise RepositoryNotAllowed("an issue says which tables to describe, and where; name no others with it")
        entry, number = issue_place(url, self._parts.settings)
        with closing(self._parts.open_forge(entry, "follow")) as forge:
            issue = read_issue(forge, entry, number)
        if self.model is not None and not asks_in_title(issue):
            return self._by_model(entry, issue, self.model)
        try:
            request = description_request(issue)
        except RepositoryUnusable as unusable:
            if self.model is not None:
                return self._by_model(entry, issue, self.model)
            hint = "; to have a model do it, set `contribution.model` or pass --model"
            raise RepositoryUnusable(f"{unusable.message}{hint}") from unusable
        return self._descriptions(entry, request)

    def _descriptions(self, entry: RepositoryEntry, request: DescriptionRequest) -> CycleRecord | None:
        """Prepare the descriptions that an issue asks for."""
        records, everything = self._collected()
        found = [each for each in everything if each.entry.name == entry.name]
        batches.require_usable(found)
        named = [each.with_offers([offer for offer in each.offers if request.is_for(offer)]) for each in found]
        request.require_known([offer for each in named for offer in each.offers])
        usable = self._usable(named)
        if not usable:
            batches.require_contributable([offer for each in named for offer in each.offers])
            return None
        return self.runner.run(self._begin(usable[0], everything, records, request).cycle)

    def _by_model(self, entry: RepositoryEntry, issue: ForgeIssue, model: str) -> CycleRecord:
        """Have a model do what an issue asks for.

        Raises:
            ContributionForbidden: when the caller may see only some tables.
            ConfigurationError: when the model cannot be asked.
            LimitExceeded: when there is no room for another contribution.
            CycleUnsuitable: when another contribution is for the issue.
        """
        if self.caller.scope != EVERYTHING:
            raise ContributionForbidden("a change for an issue may touch any table, and you may see only some of them")
        models, records, now = self._parts.models, self.files.records(), self.app.clock.published()
        if models is None:
            raise RepositoryNotAllowed("no model is configured; name one under `models` and as `contribution.model`")
        facts = models.require(model, entry)
        same = [each for each in records if each.issue_url == issue.url and each.state != "ended"]
        if same:
            raise CycleUnsuitable(f"contribution {same[0].cycle} is for this issue already; abort it to begin again")
        batches.require_room(records, entry, self._parts.settings.limits, now)
        with open_source(self._parts, entry, self.app.clock) as source:
            base_commit = source.state.base_commit
        self.confirm(models.quote(facts))
        record = self._new_record(
            records,
            now,
            repository=entry.name,
            database="",
            model=model,
            base_commit=base_commit,
            issue_url=issue.url,
            issue=requested(issue, is_answered=True),
            search_stats=SearchStats(total_searched=1, filtered_out=0, candidates_found=1),
        )
        return self.runner.run(self.files.record_file(record.cycle).create(record).record.cycle)

    def _collected(self) -> tuple[list[CycleRecord], list[Batch]]:
        records = self.files.records()
        prose = self.request.model_prose
        return records, batches.collect(self.app, self._parts, self.caller, records, model_prose=prose)

    def _candidates(self, found: Sequence[Batch]) -> list[Batch]:
        """The batches with something to contribute, the best first, reduced to what is named."""
        request = self.request
        named = [each for each in found if request.repository in (None, each.entry.name)]
        if request.repository is not None and not named:
            raise batches.unknown_repository(request.repository, self._parts.settings)
        if request.tables or request.repository is not None:
            batches.require_usable(named)
        if request.tables:
            tables = batches.named_tables(named, request.tables)
            named = [each.with_offers(batches.restricted(each, tables)) for each in named]
        chosen = self._usable(named)
        if request.tables and not chosen:
            batches.require_contributable([offer for each in named for offer in each.offers])
        return chosen

    def _usable(self, found: Sequence[Batch]) -> list[Batch]:
        """The batches with their open offers, the best first."""
        states = {"open", "declined"} if self.request.again else {"open"}
        chosen = []
        for batch in found:
            offers = batches.ordered([each for each in batch.offers if each.state in states])
            if offers:
                chosen.append(batch.with_offers(offers))
        return sorted(chosen, key=lambda each: min(offer.rank for offer in each.offers))

    def _begin(
        self,
        chosen: Batch,
        found: Sequence[Batch],
        records: list[CycleRecord],
        request: DescriptionRequest | None = None,
    ) -> CycleRecord:
        """Create the record of a new cycle.

        Raises:
            LimitExceeded: when there is no room for it.
        """
        now = self.app.clock.published()
        batches.require_room(records, chosen.entry, self._parts.settings.limits, now)
        draft = self._new_record(
            records,
            now,
            repository=chosen.entry.name,
            database=chosen.database,
            recipe=chosen.required_recipe,
            base_commit=chosen.base_commit,
            issue_url="",
            alternatives=batches.alternatives_to(chosen, found),
            search_stats=batches.search_stats(found),
        )
        offers = self._fitting(draft, chosen)
        changes: dict[str, object] = {"descriptions": [batches.described(each) for each in offers]}
        if request is None:
            changes["issue_url"] = batches.issue_url(chosen.database, chosen.entry.name, offers)
        else:
            is_all = len(offers) == len(chosen.offers)
            changes["issue"] = request.recorded(offers if is_all else [])
            changes["issue_url"] = request.issue.url
        return self.files.record_file(draft.cycle).create(draft.model_copy(update=changes)).record

    def _new_record(self, records: list[CycleRecord], now: str, **own: Any) -> CycleRecord:
        """The record of the next cycle, without descriptions."""
        return CycleRecord(
            swarm_id=self.files.swarm_id(records),
            cycle=records[-1].cycle + 1 if records else 1,
            prepared_by=self.name,
            started_at=now,
            updated_at=now,
            descriptions=[],
            **own,
        )

    def _fitting(self, draft: CycleRecord, chosen: Batch) -> list[Offer]:
        taken = self.runner.taken(chosen.entry.name, draft.cycle)
        with open_source(self._parts, chosen.entry, self.app.clock) as source:
            recipe = source.recipe(chosen.dialect, draft.base_commit)
            context = edit_context(draft, taken)
            return batches.fitting(
                chosen.offers,
                self._parts.settings.limits,
                lambda offers: edits_of(recipe, [each.offered() for each in offers], context),
            )
