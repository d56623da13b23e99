"""The documentation as one caller sees it: what a question is about, and what is said about it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from tribal.answering.answer import OFF_TOPIC, answer_of, inventory, refusal
from tribal.answering.focus import Focus, focus_on
from tribal.answering.forms import filled_form
from tribal.answering.forms.filled import Filled
from tribal.answering.matches import shared_prefixes
from tribal.answering.open_library import OpenLibrary
from tribal.answering.statements import table_uri
from tribal.capabilities.retrieval.bounded_table import bounded_table
from tribal.capabilities.retrieval.checking.check_sql import check_sql
from tribal.capabilities.retrieval.context.gathering import gather
from tribal.capabilities.retrieval.context.query_context import get_query_context
from tribal.capabilities.retrieval.domains import list_domains
from tribal.capabilities.retrieval.names import find_database, find_domain, find_table, identity_of, name_of
from tribal.capabilities.retrieval.toolbox import OpenIndex, Toolbox, open_index
from tribal.capabilities.retrieval.tools import policies_for, toolbox_of
from tribal.errors import ToolInputInvalid
from tribal.identity.locations import DOCS
from tribal.identity.scope import Scope
from tribal.identity.table_names import format_name, look_up, parse_name
from tribal.identity.targets import target_name
from tribal.ports.application import Application
from tribal.ports.caller import Caller
from tribal.questions.follow_ups import standalone
from tribal.questions.parts import parts_of
from tribal.rendering.words import listing
from tribal_contracts import (
    CheckSqlInput,
    CheckSqlOutput,
    ContentHash,
    DomainInfo,
    GetQueryContextInput,
    ListDomainsInput,
    TableDocument,
)
from tribal_contracts.answering.answers import Answer, AnswerSource, AskInput
from tribal_contracts.answering.settings import AnsweringSettings

MOST_TABLES = 10
"""The most tables that an answer uses."""


@dataclass(frozen=True, slots=True)
class Limits:
    """A part of the documentation."""

    scope: Scope
    domain: str | None
    manifest_hash: ContentHash
    """The documentation that it is a part of."""


@dataclass(frozen=True, slots=True)
class DocumentedAnswer:
    """What is said about a question, and what it was taken from."""

    parts: Sequence[Focus]
    """The focus of each part of the question, in order."""
    answer: Answer
    pages: Mapping[str, str]
    """The Markdown page of each table that has one the caller may see, relative to the store."""

    @property
    def documents(self) -> Mapping[str, TableDocument]:
        """The tables that were looked at, by name."""
        return {name: table for each in self.parts for name, table in each.context.documents.items()}


@dataclass(frozen=True, slots=True)
class Documentation:
    """What a caller may see. Every method reads one generation of the index and raises `IndexNotReady` without one."""

    caller: Caller
    app: Application

    def answer(self, request: AskInput, least_topic: float = 0.0) -> Answer:
        """What is said about a question.

        Args:
            request: the question.
            least_topic: the probability that it is about what is documented below which it is refused.

        Raises:
            ToolInputInvalid: when the question is blank or too long.
            DatabaseNotFound, DomainNotFound: when a filter names something that is not documented.
        """
        with self._opened() as (opened, toolbox):
            parts = _parts(request, opened, toolbox)
            if all(each.context.in_scope < least_topic and not each.context.asks_what_exists for each in parts):
                return refusal("scope", OFF_TOPIC, parts[0].context.reading)
            return self._answer(parts, opened, toolbox)

    def about(self, request: AskInput) -> DocumentedAnswer:
        """The same with what the question is about, and the pages of its tables; raises as `answer` does."""
        with self._opened() as (opened, toolbox):
            parts = _parts(request, opened, toolbox)
            found = DocumentedAnswer(parts, self._answer(parts, opened, toolbox), {})
            ids = {name_of(each): each.record_id for each in opened.tables if name_of(each) in found.documents}
            records = toolbox.index.records([*ids.values()])
            shown = {name: records[each] for name, each in ids.items() if each in records}
            # A page that is shared with hidden tables has another domain in its path.
            pages = {
                name: DOCS + each.file_path for name, each in shown.items() if each.domain not in opened.bounds.domains
            }
            return replace(found, pages=pages)

    def _answer(self, parts: Sequence[Focus], opened: OpenIndex, toolbox: Toolbox) -> Answer:
        forms = [
            inventory(each, _domains(toolbox))
            if each.context.asks_what_exists
            else filled_form(each, self._library(each, opened, toolbox))
            for each in parts
        ]
        answer = answer_of(list(zip(parts, forms, strict=True)), self._most_tokens)
        if not answer.truncated:
            return answer
        cut = toolbox.warning("RET_ANSWER_PARTIAL", _left_out(answer))
        return answer.model_copy(update={"warnings": [*(answer.warnings or ()), cut]})

    def _library(self, focus: Focus, opened: OpenIndex, toolbox: Toolbox) -> OpenLibrary:
        return OpenLibrary(focus.context.documents, opened, toolbox, lambda: policies_for(self.caller, self.app))

    def domains(self) -> list[DomainInfo]:
        """The business domains with a visible table, by name."""
        with self._opened() as (_, toolbox):
            return _domains(toolbox)

    def check_sql(self, sql: str, database: str) -> CheckSqlOutput:
        """Whether a query fits the visible tables and the policies; raises as the tool `check_sql` does."""
        with self._opened() as (_, toolbox):
            return check_sql(CheckSqlInput(sql=sql, database=database), toolbox, policies_for(self.caller, self.app))

    def form(self, request: AskInput) -> tuple[Focus, Filled]:
        """Return the focus of a question, with at most `MOST_TABLES` tables, and its filled form.

        Raises as `answer` does.
        """
        with self._opened() as (opened, toolbox):
            focus = _focus(request, opened, toolbox)
            return focus, filled_form(focus, self._library(focus, opened, toolbox))

    def limits(self, database: str | None, domain: str | None) -> Limits:
        """The part that is in a database and a domain.

        Raises:
            DatabaseNotFound, DomainNotFound: when it is not documented.
        """
        with self._opened() as (opened, _):
            name = None if database is None else find_database(database, opened.tables)
            found = None if domain is None else find_domain(domain, opened.tables, name)
            return Limits(_in_database(self.caller.scope, name), found, opened.metadata.manifest_hash)

    def tables(self, names: Sequence[str]) -> tuple[list[str], ContentHash]:
        """The full names of tables, each once, and the documentation that has them.

        Raises:
            TableNotFound: when one of them is not documented, or not visible.
        """
        with self._opened() as (opened, _):
            found = dict.fromkeys(name_of(find_table(name, opened.tables)) for name in names)
            return [*found], opened.metadata.manifest_hash

    def resolve(self, name: str) -> str | None:
        """The full name of a table or a column, for any spelling that is unique; `None` for any other name."""
        try:
            parts = parse_name(name)
        except ValueError:
            return None
        with self._opened() as (opened, toolbox):
            tables = {identity_of(each): each for each in opened.tables}
            known = [(identity, each.database_type) for identity, each in tables.items()]
            whole = look_up(name, known).found
            if whole is not None or len(parts) < 2:
                return None if whole is None else str(whole)
            owner = look_up(format_name(parts[:-1]), known).found
            if owner is None:
                return None
            found = toolbox.index.documents([tables[owner].record_id], TableDocument)
            columns = [each for one in found.values() for each in bounded_table(one, opened.bounds).columns]
            named = (each.name for each in columns if each.name.casefold() == parts[-1].casefold())
            return next((target_name(owner, column) for column in named), None)

    def context(self, question: str) -> tuple[str, list[AnswerSource]]:
        """What SQL for a question needs, as text, and the tables that it is from; empty if it cannot be read."""
        with self._opened() as (_, toolbox):
            try:
                found = get_query_context(GetQueryContextInput(question=question), toolbox)
            except ToolInputInvalid:
                return "", []
        names = [each.table for each in found.tables]
        sources = [
            AnswerSource(id=str(number), kind="table", name=name, uri=table_uri(name))
            for number, name in enumerate(names, start=1)
        ]
        return found.text if names else "", sources

    def within(self, scope: Scope) -> Documentation:
        """The same for a caller who sees less."""
        return replace(self, caller=replace(self.caller, scope=scope))

    @property
    def _most_tokens(self) -> int:
        return (self.app.setting(AnsweringSettings) or AnsweringSettings()).most_answer_tokens

    @contextmanager
    def _opened(self) -> Iterator[tuple[OpenIndex, Toolbox]]:
        toolbox = toolbox_of(self.caller, self.app)
        with toolbox.index.reading():
            yield open_index(toolbox), toolbox


def _left_out(answer: Answer) -> str:
    """Say how many statements an answer leaves out, and the command that shows everything about its tables."""
    count = (answer.total or 0) - (answer.returned or 0)
    commands = [f"`tribal table {shlex.quote(name)}`" for name in answer.main_tables or ()] or ["`tribal domains`"]
    statements = "1 more statement is" if count == 1 else f"{count:,} more statements are"
    return f"{statements} left out; {listing(commands)} {'shows' if len(commands) == 1 else 'show'} all"


def _domains(toolbox: Toolbox) -> list[DomainInfo]:
    return list_domains(ListDomainsInput(), replace(toolbox, answer_tokens=None)).domains


def _focus(request: AskInput, opened: OpenIndex, toolbox: Toolbox) -> Focus:
    wanted = GetQueryContextInput(question=request.question, database=request.database, domain=request.domain)
    names = [each.table for each in opened.tables]
    key = ("shared prefixes", toolbox.scope)
    prefixes = toolbox.derived.get(opened.generation, key, lambda: shared_prefixes(names))
    return focus_on(request.question, gather(wanted, opened, toolbox).with_first(MOST_TABLES), prefixes)


def _parts(request: AskInput, opened: OpenIndex, toolbox: Toolbox) -> list[Focus]:
    """Return the focus of each part of a question; a part that refers back is first made complete."""
    found: dict[str, Focus] = {}
    for part in parts_of(request.question):
        meant = standalone(part, list(found), lambda asked: found[asked].topic if asked in found else None)
        found[part] = _focus(request.model_copy(update={"question": meant}), opened, toolbox)
    return list(found.values())


def _in_database(scope: Scope, name: str | None) -> Scope:
    if name is None:
        return scope
    if scope.allows_all_of(name):
        return Scope(databases=frozenset([name]))
    return Scope(schemas=frozenset(each for each in scope.schemas or () if each[0] == name))
