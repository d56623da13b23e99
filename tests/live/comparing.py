"""In which fields an answer of the real API differs from one of the stand-in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from pydantic import SecretStr

from tests.fakes.claude import KEY, FakeClaude
from tests.live.requests import sample_requests
from tests.live.watching import watched_model
from tribal.models.known_models import model_facts
from tribal_contracts import ModelSettings


def differences(answer: Mapping[str, Any]) -> list[str]:
    """Fields that only the answer has, and those that only the stand-in sends."""
    real, fake = set(fields_of(answer)), _fields_of_the_fake()
    return [
        *(f"{field}: only the API sends it" for field in real - fake),
        *(f"{field}: only the stand-in sends it" for field in fake - real),
    ]


@cache
def _fields_of_the_fake() -> frozenset[str]:
    claude = FakeClaude()
    settings = ModelSettings(
        provider="anthropic", name="claude-haiku-5-5", api_key_secret="KEY", base_url=claude.address
    )
    watched = watched_model(settings, model_facts(settings), SecretStr(KEY))
    watched.model.ask(sample_requests()[0])
    claude.stop()
    return frozenset(field for answer in watched.answers for field in fields_of(answer))


def fields_of(value: object, path: str = "") -> Iterator[str]:
    """Paths of all fields, with the type of block where there is one."""
    if isinstance(value, Mapping):
        for name, member in value.items():
            yield f"{path}.{name}".lstrip(".")
            yield from fields_of(member, f"{path}.{name}")
    elif isinstance(value, list):
        for item in value:
            kind = item.get("type", "") if isinstance(item, Mapping) else ""
            yield from fields_of(item, f"{path}[{kind}]")
