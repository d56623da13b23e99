"""The areas of the attack, in the order of the table."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tests.attack import (
    catalog_literals,
    checked_files,
    configuration,
    damage,
    ddl_storm,
    dsns,
    index_damage,
    masking,
    scope,
    secret_sentences,
    servers,
    snowflake_literals,
    tokens,
)
from tests.attack.outcome import Attack, Outcome

AREAS: dict[str, Callable[[Attack], Iterator[Outcome]]] = {
    "catalog": catalog_literals.attack,
    "catalog of Snowflake": snowflake_literals.attack,
    "masking": masking.attack,
    "masking of harmless texts": masking.attack_harmless_texts,
    "secrets in comments": secret_sentences.attack_comments,
    "secrets in memories": secret_sentences.attack_memories,
    "scope": scope.attack,
    "damaged files": damage.attack,
    "damaged index": index_damage.attack,
    "DSNs": dsns.attack,
    "configuration": configuration.attack,
    "tokens": tokens.attack,
    "servers": servers.attack,
    "files to check": checked_files.attack,
    "tables swapped while they are planned": ddl_storm.attack,
}
"""Title of an area, and what tries its classes one after the other."""

WITH_A_SERVER = frozenset(
    {"catalog", "masking of harmless texts", "damaged files", "tables swapped while they are planned"}
)
"""Areas that start a PostgreSQL, which `make quick` leaves out."""
