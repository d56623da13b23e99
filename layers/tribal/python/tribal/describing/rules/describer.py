"""The describer without a model: it uses the catalog, samples and clear names."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tribal.describing.rules.column_facts import facts_of, lineage_of
from tribal.describing.rules.columns import describe_columns
from tribal.describing.rules.notes import table_notes
from tribal.describing.rules.phrases import whole_comment
from tribal.describing.rules.statements import Statement, commented, declared, description
from tribal.identity.table_names import TableIdentity, format_name
from tribal.ports import DomainContext, DomainDescription, TableContext, TableDescription
from tribal.rendering.words import listing, sentence
from tribal_contracts import CatalogForeignKey, CatalogTable, Description, ModelUsage, WrittenTexts

RULES_VERSION = "rules-8"
"""Change it whenever the rules would describe the same table differently."""


class RulesDescriber:
    """States only known facts, each with its evidence; does no I/O."""

    @property
    def version(self) -> str:
        """The version of the rules."""
        return RULES_VERSION

    @property
    def at_once(self) -> int:
        """One: rules need no concurrency."""
        return 1

    @property
    def longest_seconds(self) -> float:
        """Zero: rules take no time."""
        return 0.0

    def quote(self, _context: TableContext) -> None:
        """Nothing: no model is asked."""

    def requests(self, _context: TableContext) -> tuple[()]:
        """Nothing: no model is asked."""
        return ()

    def quote_domain(self, _context: DomainContext, *, changed: bool) -> None:
        """Nothing: no model is asked."""

    def describe_table(self, context: TableContext) -> TableDescription:
        """Describe a table and every column of it; the database's own comments win."""
        columns = facts_of(context)
        return TableDescription(
            table=_describe_table(context), columns=describe_columns(columns), notes=table_notes(context, columns)
        )

    def describe_domain(self, context: DomainContext) -> DomainDescription:
        """Describe a domain; comments on its schemas come first."""
        return DomainDescription(_describe_domain(context))


class RulesDescribers:
    """The rules for every database."""

    def __init__(self) -> None:
        self._rules = RulesDescriber()

    def of(self, _database: str, /) -> RulesDescriber:
        """The rules."""
        return self._rules

    def on_text(self, _listener: Callable[[str], None], /) -> None:
        """Do nothing: no model is asked."""

    @property
    def usage(self) -> ModelUsage:
        """Nothing: no model is asked."""
        return ModelUsage()

    @property
    def texts(self) -> WrittenTexts:
        """None: no model is asked."""
        return WrittenTexts()

    @property
    def tester(self) -> None:
        """Return `None`: rules need no test."""
        return None

    def close(self) -> None:
        """Do nothing: there are no calls."""


_LISTED = 4
"""The most tables named in one sentence; a judgement."""


def _describe_table(context: TableContext) -> Description:
    """Describe a table by its comment, or by how its rows relate to other tables; may be blank."""
    comment = whole_comment(context.table.comment)
    if comment:
        return commented(comment)
    return description([*_view(context), *_rows(context.table), *_outgoing(context.table), *_incoming(context)])


def _view(context: TableContext) -> Iterator[Statement]:
    tables = lineage_of(context).tables
    if tables:
        yield declared(f"Reads {listing([format_name(place) for place in tables], limit=_LISTED)}.", "view definition")


def _rows(table: CatalogTable) -> Iterator[Statement]:
    """How many rows there can be, if the primary key consists of foreign keys."""
    key = table.primary_key.columns if table.primary_key else []
    owners = _owners(table)
    covered = {column for owner in owners for column in owner.columns}
    rest = [column for column in key if column not in covered]
    if not owners:
        return
    whole = [owner for owner in owners if set(owner.columns) == set(key)]
    if whole:
        yield declared(f"At most one row for each row of {_place(whole[0])}.", "primary key")
    elif rest:
        others = listing([_place(owner) for owner in owners], limit=_LISTED)
        each = "each row of" if len(owners) == 1 else "each combination of rows of"
        yield declared(f"For {each} {others}, its rows are told apart by {listing(rest)}.", "primary key")
    else:
        others = listing([_place(owner) for owner in owners], limit=len(owners))
        yield declared(f"At most one row for each combination of rows of {others}.", "primary key")


def _owners(table: CatalogTable) -> list[CatalogForeignKey]:
    """Foreign keys inside the primary key, one per table and set of columns."""
    key = set(table.primary_key.columns) if table.primary_key else set()
    inside = {(_place(fk), *sorted(fk.columns)): fk for fk in table.foreign_keys if set(fk.columns) <= key}
    return list(inside.values())


def _place(key: CatalogForeignKey) -> str:
    return format_name((key.references_schema, key.references_table))


def _outgoing(table: CatalogTable) -> Iterator[Statement]:
    own = (table.schema_name, table.table_name)
    parents = dict.fromkeys((key.references_schema, key.references_table) for key in table.foreign_keys)
    parents.pop(own, None)
    if parents:
        yield declared(f"Refers to {listing([format_name(place) for place in parents], limit=_LISTED)}.", "foreign key")


def _incoming(context: TableContext) -> Iterator[Statement]:
    own = str(TableIdentity(context.database, context.table.schema_name, context.table.table_name))
    children = [TableIdentity.parse(key.from_table) for key in context.incoming if key.from_table != own]
    names = list(dict.fromkeys(format_name((child.schema, child.table)) for child in children))
    if names:
        yield declared(f"Referred to by {listing(names, limit=_LISTED)}.", "foreign key")


# PostgreSQL's own comment on the schema public.
_EMPTY_COMMENTS = frozenset({"standard public schema"})


def _describe_domain(context: DomainContext) -> Description:
    """Describe a domain by the comments of its schemas; may be blank, since its page lists the tables anyway."""
    comments = [whole_comment(comment) for comment in context.schema_comments]
    comment = " ".join(sentence(each) for each in dict.fromkeys(comments) if each and each not in _EMPTY_COMMENTS)
    return commented(comment) if comment else description([])
