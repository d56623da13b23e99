"""In which fields an answer of the real API differs from one of the stand-in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from pydantic import SecretStr

from tests.fakes.claude import FakeClaude
from tests.fakes.openai import FakeOpenAI
from tests.live.requests import sample_requests
from tests.live.watching import watched_model
from tribal.models.known_models import model_facts
from tribal_contracts import ModelEntry
from tribal_contracts.core.models import ModelProvider


def differences(answer: Mapping[str, Any], provider: ModelProvider) -> list[str]:
    """Fields that only the answer has, and those that only the stand-in sends."""
    real, fake = set(fields_of(answer)), _fields_of_the_fake(provider)
    return [
        *(f"{field}: only the API sends it" for field in real - fake),
        *(f"{field}: only the stand-in sends it" for field in fake - real),
    ]


@cache
def _fields_of_the_fake(provider: ModelProvider) -> frozenset[str]:
    fake: FakeClaude | FakeOpenAI = FakeClaude() if provider == "anthropic" else FakeOpenAI(vendor=provider)  # type: ignore[arg-type]  # no one asks Bedrock here
    name = "claude-haiku-5-5" if isinstance(fake, FakeClaude) else next(iter(fake.models))
    settings = ModelEntry.model_validate(
        {"provider": provider, "name": name, "base_url": fake.address}
        | ({} if provider == "ollama" else {"api_key_secret": "KEY"})
    )
    watched = watched_model(settings, model_facts(settings), SecretStr(next(iter(fake.keys))))
    watched.model.ask(sample_requests()[0])
    fake.stop()
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
