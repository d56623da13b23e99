"""Tokens of our own: whom they admit, for how long, and how soon a change of them is seen."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.cases import each_case
from tests.fakes import MemoryStore
from tribal.adapters.local.folder import FolderStore
from tribal.edges.http.identity import KeysUnavailable, TokenExpired, TokenRefused
from tribal.edges.http.identity.callers import TOKEN_CACHE_SECONDS, Callers, OwnTokens
from tribal.identity.locations import ACCESS_TOKENS_FILE
from tribal.identity.scope import Scope
from tribal.ports import Caller, Identity, ObjectStore
from tribal.store.access_tokens import add_token, new_token, read_tokens, revoke_token, token_record

START = datetime(2026, 11, 23, tzinfo=UTC)
READ = ["documentation:read"]


class Clocks:
    """Both clocks, which stand still unless they are moved."""

    def __init__(self, store: ObjectStore) -> None:
        self.time, self.seconds = START, 0.0
        self.tokens = OwnTokens(lambda: store, lambda: self.time, lambda: self.seconds)


def add(store: ObjectStore, name: str = "ada", days: int = 7) -> str:
    token = new_token()
    add_token(store, token_record(token, name, (["shop", "web.public"], READ), START, days))
    return token


def test_a_token_admits_its_bearer_until_its_last_second() -> None:
    store = MemoryStore()
    clocks, token = Clocks(store), add(store)
    scope = Scope(frozenset({"shop"}), frozenset({("web", "public")}))
    expected = Caller("token:ada", scope, frozenset(READ), Identity(user="token:ada"))
    assert clocks.tokens.identify(token) == expected
    clocks.time += timedelta(days=7) - timedelta(seconds=1)
    assert clocks.tokens.identify(token) == expected
    assert clocks.tokens.any_is_valid()
    clocks.time += timedelta(seconds=1)
    with pytest.raises(TokenExpired):
        clocks.tokens.identify(token)
    assert not clocks.tokens.any_is_valid()


def test_a_token_that_no_one_made_admits_no_one_and_a_new_one_does_at_once() -> None:
    store = MemoryStore()
    clocks = Clocks(store)
    for token in (new_token(), add(MemoryStore())):
        with pytest.raises(TokenRefused):
            clocks.tokens.identify(token)
    clocks.seconds += 0.2
    assert clocks.tokens.identify(add(store)).subject == "token:ada"


def test_a_revoked_token_is_taken_no_longer_than_the_tokens_are_kept() -> None:
    store = MemoryStore()
    clocks, token = Clocks(store), add(store)
    clocks.tokens.identify(token)
    revoke_token(store, "ada")
    clocks.seconds += TOKEN_CACHE_SECONDS
    with pytest.raises(TokenRefused):
        clocks.tokens.identify(token)


def test_tokens_that_cannot_be_read_admit_no_one_and_refuse_no_one() -> None:
    store = MemoryStore()
    clocks, token = Clocks(store), add(store)
    data = store.get(ACCESS_TOKENS_FILE).data
    store.put(ACCESS_TOKENS_FILE, data.replace(b"token_hash", b"token_hush"))
    with pytest.raises(KeysUnavailable):
        clocks.tokens.identify(token)
    store.put(ACCESS_TOKENS_FILE, data)
    assert clocks.tokens.identify(token).subject == "token:ada"


def test_tokens_that_are_made_at_the_same_time_are_all_kept(tmp_path: Path) -> None:
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda number: add(FolderStore(tmp_path), f"token-{number}"), range(3)))
    assert {record.name for record in read_tokens(FolderStore(tmp_path)).tokens} == {"token-0", "token-1", "token-2"}


@each_case("header", ["", "Bearer", "Bearer x", "Basic YTpi", "bearer  ", "tribal_" + "0" * 72])
def test_a_header_that_is_no_token_is_refused_even_where_none_is_demanded(header: str) -> None:
    local = Caller("local")
    callers = Callers(Clocks(MemoryStore()).tokens, frozenset(READ), without_token=local)
    assert callers.identify(None) == local
    with pytest.raises(TokenRefused):
        callers.identify(header)


def test_anyone_who_is_admitted_belongs_to_the_company_that_the_store_belongs_to() -> None:
    store = MemoryStore()
    token = add(store)
    callers = Callers(Clocks(store).tokens, frozenset(READ), company="Acme")
    assert callers.identify(f"Bearer {token}").identity == Identity(user="token:ada", company="Acme")
