"""Collects the offers of all configured repositories, and selects what one contribution consists of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tribal.capabilities.contribution.errors import LimitExceeded, RepositoryNotAllowed
from tribal.capabilities.contribution.gate.diffs import changed_lines, unified_diff
from tribal.capabilities.contribution.offers.offers import History, Offer, offers_of
from tribal.capabilities.contribution.offers.sources import open_source, require_time
from tribal.capabilities.contribution.offers.texts import DatabaseTexts, read_texts
from tribal.capabilities.contribution.parts import ContributionParts
from tribal.capabilities.contribution.recipes.recipe import Edits
from tribal.errors import ForgeRateLimited, ForgeUnreachable, RepositoryUnreadable, RepositoryUnusable, TribalError
from tribal.identity.hashing import object_hash
from tribal.identity.scope import Scope
from tribal.identity.table_names import TableIdentity, look_up
from tribal.ports import Application
from tribal.ports.caller import Caller
from tribal.rendering.words import number
from tribal_contracts import DatabaseType
from tribal_contracts.contribution.cycles import CycleRecord, RecipeName
from tribal_contracts.contribution.handoffs import Alternative, OfferedDescription, SearchStats
from tribal_contracts.contribution.settings import ContributionLimits, ContributionSettings, RepositoryEntry

_ISSUE = "tribal://gap/"
_ID_DIGITS = 12
_MOST_REASONS = 5
_MOST_ALTERNATIVES = 20
OPEN_STATES = ("publishing", "following")


@dataclass(frozen=True, slots=True)
class Batch:
    """The offers of one repository for one database that it creates."""

    entry: RepositoryEntry
    database: str
    dialect: DatabaseType = "postgres"
    recipe: RecipeName | None = None
    folder: str = ""
    base_commit: str = ""
    offers: list[Offer] = field(default_factory=list)
    problem: TribalError | None = None
    """Why nothing can be contributed."""

    @property
    def required_recipe(self) -> RecipeName:
        """The recipe of a batch without a problem."""
        assert self.recipe is not None
        return self.recipe

    def with_offers(self, offers: list[Offer]) -> Batch:
        """The same with other offers."""
        return replace(self, offers=offers)

    @property
    def open(self) -> list[Offer]:
        """Those that can be contributed."""
        return [each for each in self.offers if each.state == "open"]


def collect(
    app: Application,
    parts: ContributionParts,
    caller: Caller,
    records: Sequence[CycleRecord],
    *,
    model_prose: bool = False,
) -> list[Batch]:
    """Collect the offers of every repository for every database that the caller may see."""
    batches: list[Batch] = []
    for entry in parts.settings.repositories:
        visible = [each for each in entry.databases if caller.scope.allows(each)]
        if visible:
            batches += _of_repository(app, parts, entry, visible, _Request(caller, records, model_prose))
    return batches


@dataclass(frozen=True, slots=True)
class _Request:
    caller: Caller
    records: Sequence[CycleRecord]
    model_prose: bool


def _of_repository(
    app: Application, parts: ContributionParts, entry: RepositoryEntry, databases: Sequence[str], request: _Request
) -> list[Batch]:
    found: list[Batch] = []
    history = History.of(request.records, entry.name)
    gaps = app.open_gaps(request.caller)
    try:
        with open_source(parts, entry, app.clock) as source:
            for database in databases:
                try:
                    texts = read_texts(app.store(), database, model_prose=request.model_prose)
                    recipe = source.recipe(texts.dialect)
                except RepositoryUnusable as problem:
                    found.append(Batch(entry, database, problem=problem))
                    continue
                visible = _visible(texts, database, request.caller.scope)
                offers = offers_of(entry.name, visible, recipe, history, gaps)
                commit = source.state.base_commit
                found.append(Batch(entry, database, texts.dialect, recipe.name, recipe.folder, commit, offers))
    except (RepositoryUnusable, RepositoryUnreadable, ForgeUnreachable, ForgeRateLimited) as problem:
        require_time(parts.stop)
        found = [Batch(entry, database, problem=problem) for database in databases]
    return found


def _visible(texts: DatabaseTexts, database: str, scope: Scope) -> DatabaseTexts:
    shown = [each for each in texts.texts if scope.allows(database, each.relation.schema)]
    return DatabaseTexts(texts.dialect, shown)


def named_tables(batches: Iterable[Batch], names: Sequence[str]) -> set[TableIdentity]:
    """The tables that a caller names.

    Raises:
        RepositoryNotAllowed: when one has no description, or no configured repository creates its database.
    """
    known: Mapping[TableIdentity, DatabaseType] = {
        TableIdentity(batch.database, offer.written.relation.schema, offer.written.relation.name): batch.dialect
        for batch in batches
        for offer in batch.offers
    }
    found = set()
    for name in names:
        looked_up = look_up(name, list(known.items()))
        if looked_up.found is None:
            near = [str(each) for each in looked_up.candidates[:3]]
            hint = f"did you mean {' or '.join(near)}?" if near else "`tribal contribute list` shows what there is"
            raise RepositoryNotAllowed(
                f"{name!r} is not a table with a description in a database that a configured repository creates; {hint}"
            )
        found.add(looked_up.found)
    return found


def restricted(batch: Batch, tables: set[TableIdentity]) -> list[Offer]:
    """The offers of a batch for some tables."""
    return [
        each
        for each in batch.offers
        if TableIdentity(batch.database, each.written.relation.schema, each.written.relation.name) in tables
    ]


def require_usable(found: Sequence[Batch]) -> None:
    """Raise the first problem if every batch has one."""
    problems = [each.problem for each in found if each.problem is not None]
    if problems and len(problems) == len(found):
        raise problems[0]


def require_contributable(offers: Sequence[Offer]) -> None:
    """Say why none of some offers can be contributed, unless all are proposed or merged already.

    Raises:
        RepositoryUnusable: with the reason of the first of each kind.
    """
    reasons = {
        _reason(each): each for each in reversed(offers) if each.state in ("conflict", "not_offered", "declined")
    }
    if reasons:
        said = [f"{offer.name}: {reason}" for reason, offer in reversed(reasons.items())]
        raise RepositoryUnusable(f"nothing to contribute: {'; '.join(said[:_MOST_REASONS])}")


def unknown_repository(name: str, settings: ContributionSettings) -> RepositoryNotAllowed:
    """The error for a repository that is not configured."""
    known = ", ".join(each.name for each in settings.repositories)
    return RepositoryNotAllowed(
        f"repository {name!r} is not configured, so nothing is read from it or written to it; contribution.repositories"
        f" has {known}"
    )


def _reason(offer: Offer) -> str:
    if offer.state == "conflict" and offer.said is not None:
        return f"the repository says something else in {offer.said.path}, line {offer.said.line}"
    if offer.state == "declined":
        return f"contribution {offer.cycle} was declined; --again offers it again"
    return offer.reason or offer.state


def ordered(offers: Sequence[Offer]) -> list[Offer]:
    """Open offers in the order in which a contribution is filled: by the domain of the first, then the others."""
    if not offers:
        return []
    first = offers[0].written.domain
    return sorted(offers, key=lambda each: (each.written.domain != first, each.rank))


def fitting(
    offers: Sequence[Offer], limits: ContributionLimits, edit: Callable[[Sequence[Offer]], Edits]
) -> list[Offer]:
    """The first offers whose edits are within the limits, in the order of the catalog.

    Raises:
        LimitExceeded: when not even the first is.
        RepositoryUnusable: when the repository does not allow the edits.
    """
    count = min(len(offers), limits.descriptions)
    while count:
        chosen = sorted(offers[:count], key=lambda each: each.written.position)
        edits = edit(chosen)
        diffs = [unified_diff(each.path, _text(each.before), _text(each.after) or "") for each in edits.edits]
        lines = changed_lines(diffs)
        if len(diffs) <= limits.files and lines <= limits.lines:
            return chosen
        count = count * 3 // 4
    raise LimitExceeded(
        f"one description alone is over a limit of {limits.files} files and {limits.lines} lines; raise"
        " contribution.limits"
    )


def require_room(records: Sequence[CycleRecord], entry: RepositoryEntry, limits: ContributionLimits, now: str) -> None:
    """Check how many contributions to a repository are open, and how many were published today.

    Raises:
        LimitExceeded: when there is no room for another one.
    """
    own = [each for each in records if each.repository == entry.name]
    is_open = sum(each.state in OPEN_STATES for each in own)
    if is_open >= limits.open:
        raise LimitExceeded(
            f"{is_open} contributions to {entry.name!r} are open, and contribution.limits.open is {limits.open}; merge"
            " or close one, then run `tribal contribute follow`"
        )
    today = sum((each.published_at or "")[:10] == now[:10] for each in own)
    if today >= limits.per_day:
        raise LimitExceeded(
            f"{today} contributions to {entry.name!r} were published today, and contribution.limits.per_day is"
            f" {limits.per_day}; go on tomorrow"
        )


def described(offer: Offer) -> OfferedDescription:
    """An offer as a cycle records it."""
    written = offer.written
    return OfferedDescription(
        schema_name=written.relation.schema,
        table=written.relation.name,
        column=written.column,
        text=written.text,
        source=written.source,
        comment=written.comment,
    )


def issue_url(database: str, repository: str, offers: Sequence[Offer]) -> str:
    """The address of a batch as an issue. Source: docs/contracts.md, Contribution."""
    targets = sorted(each.name for each in offers)
    digest = object_hash({"database": database, "repository": repository, "targets": targets})
    return f"{_ISSUE}{digest[:_ID_DIGITS]}"


def alternatives_to(chosen: Batch, found: Sequence[Batch]) -> list[Alternative]:
    """The batches that were not chosen, and why."""
    others = [
        Alternative(
            url="",
            title=f"{number(len(each.open), 'description')} of {each.database} for {each.entry.name}",
            reason_not_selected=each.problem.message if each.problem is not None else "it comes later in the order",
        )
        for each in found
        if (each.entry.name, each.database) != (chosen.entry.name, chosen.database) and (each.open or each.problem)
    ]
    return others[:_MOST_ALTERNATIVES]


def search_stats(found: Sequence[Batch]) -> SearchStats:
    """How many descriptions were looked at."""
    total = sum(len(each.offers) for each in found)
    candidates = sum(len(each.open) for each in found)
    return SearchStats(total_searched=total, filtered_out=total - candidates, candidates_found=candidates)


def _text(content: bytes | None) -> str | None:
    return None if content is None else content.decode(errors="replace")
