"""The models under `models`, for capabilities to ask. SDKs load with the first call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from tribal.errors import ConfigurationError
from tribal.ports import Provider
from tribal_contracts import NANODOLLARS

if TYPE_CHECKING:
    from tribal.app.models import Models
    from tribal.app.project_text import ProjectText
    from tribal.models.chain import Chain, OpenModel
    from tribal.ports import ModelFacts, StopToken
    from tribal.ports.models.chains import ChainedModel, ModelAccount
    from tribal_contracts import ModelEntry


@dataclass(frozen=True, slots=True)
class ConfiguredModels:
    """Builds chains of models within the caps of accounts; a `ModelSource`."""

    models: Models
    text: Callable[[], ProjectText]
    """Says which databases are kept from models; read each time, because it may change."""

    @property
    def entries(self) -> Mapping[str, ModelEntry]:
        """The models by the names under which they are configured."""
        return self.models.named

    def require(self, name: str) -> ModelFacts:
        """Return the facts of a model that has all that a call needs; see `ModelSource.require`."""
        return self.models.require(self._entry(name))

    def chain(self, models: Sequence[ChainedModel], account: ModelAccount, stop: StopToken) -> Chain:
        """Return the chain of some models; see `ModelSource.chain`."""
        from tribal.models.chain import Chain, Link

        links = [Link(each.label or each.name, Provider(partial(self._open, each, account, stop))) for each in models]
        return Chain(links, stop)

    def may_send(self) -> Callable[[str], bool] | None:
        """Read which databases may be shown to models: none of an entry with `describer: rules`."""
        text = self.text()
        return (lambda name: not text.keeps_from_models(name)) if text.keeps_any else None

    def _open(self, wanted: ChainedModel, account: ModelAccount, stop: StopToken) -> OpenModel:
        from tribal.models.chain import OpenModel

        entry, facts = self._entry(wanted.name), self.require(wanted.name)
        caps = self.models.caps(account, entry.parallel_calls)
        is_slow = wanted.timeout_seconds is None and entry.is_on_this_machine
        model = self.models.capped(entry, facts, account.name, caps, stop)
        return OpenModel(
            name=wanted.label or entry.name,
            model=model,
            timeout_seconds=entry.deadline_seconds if wanted.timeout_seconds is None else wanted.timeout_seconds,
            longest_seconds=entry.longest_seconds if is_slow else None,
            idle_seconds=entry.idle_timeout_seconds if is_slow else None,
            thinking_tokens=facts.thinking_tokens,
            worst_usd=lambda request: facts.worst_price(request) / NANODOLLARS,
            close=model.close,
        )

    def _entry(self, name: str) -> ModelEntry:
        entry = self.models.named.get(name)
        if entry is None:
            raise ConfigurationError(f"{name!r} is not under `models`")
        return entry
