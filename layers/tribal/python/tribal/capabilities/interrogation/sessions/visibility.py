"""Decide who may see a session."""

from __future__ import annotations

from tribal.capabilities.interrogation.rights import READ_INTERROGATION
from tribal.identity.scope import EVERYTHING, Scope
from tribal.ports import Caller
from tribal_contracts.answering.open_gaps import GapQuestion, SchemaOfDatabase, SessionScope
from tribal_contracts.interrogation.marks import Mark
from tribal_contracts.interrogation.sessions import InterrogationSession

Owned = InterrogationSession | Mark | GapQuestion
"""A record that belongs to a caller and may reveal everything in that caller's scope."""


def session_scope(scope: Scope) -> SessionScope:
    """Return the session scope that matches a caller's scope."""
    schemas = None if scope.schemas is None else sorted(scope.schemas)
    return SessionScope(
        databases=None if scope.databases is None else sorted(scope.databases),
        schemas=None if schemas is None else [SchemaOfDatabase(database=d, schema_name=s) for d, s in schemas],
    )


def scope_of(session: InterrogationSession) -> Scope:
    """Return the scope that a session may read."""
    scope = session.scope or SessionScope()
    return Scope(
        databases=None if scope.databases is None else frozenset(scope.databases),
        schemas=None
        if scope.schemas is None
        else frozenset((each.database, each.schema_name) for each in scope.schemas),
    )


def is_visible(owned: Owned, caller: Caller) -> bool:
    """Return whether a caller with the right to read sessions may see this one.

    The owner may, and so may callers whose scope covers everything that the session may read. A session of unknown
    scope may have read everything. The same applies to marks.
    """
    return is_own(owned, caller) or _holds(caller.scope, owned.scope or SessionScope())


def may_read(question: GapQuestion, caller: Caller) -> bool:
    """Return whether the caller may read a question that found a gap.

    The owner may. Other callers may if their scope covers that of the question. For a question of a session, they also
    need the right to read sessions.
    """
    if is_own(question, caller):
        return True
    in_scope = _holds(caller.scope, question.scope or SessionScope())
    return in_scope and (question.from_exam or caller.may(READ_INTERROGATION))


def is_own(owned: Owned, caller: Caller) -> bool:
    """Return whether the caller started the session or made the mark."""
    return owned.owner is not None and owned.owner == caller.subject


def _holds(scope: Scope, part: SessionScope) -> bool:
    if scope == EVERYTHING:
        return True
    if part.databases is None and part.schemas is None:
        return False
    return all(map(scope.allows_all_of, part.databases or ())) and all(
        scope.allows(each.database, each.schema_name) for each in part.schemas or ()
    )
