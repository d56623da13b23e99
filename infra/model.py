"""The model of an environment: how functions get it, which layer they need, and when it cannot be permitted alone."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict

from tribal_contracts import ModelEntry, ModelSettings, SpendingSettings

_SECRET = re.compile(r"[A-Za-z0-9/_+=.@:-]+(#.+)?\Z")
_ID = re.compile(r"(?!arn:)[A-Za-z0-9.:_-]+\Z")
_PROFILE = re.compile(r"[a-z]+(?:-[a-z]+)*\.(?P<model>[a-z]+\.[^/]+)\Z")


class Part(BaseModel):
    """A section of an environment: frozen, without unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def variable_of(model: ModelSettings) -> str:
    """A model as functions get it in their environment."""
    return model.model_dump_json(exclude_unset=True, exclude_none=True)


def variables_of(models: Mapping[str, ModelEntry], spending: SpendingSettings | None) -> dict[str, str]:
    """Models by name, and what all may cost, as a function gets them in its environment."""
    entries = {
        name: model.model_dump(mode="json", exclude_unset=True, exclude_none=True) for name, model in models.items()
    }
    cap = {} if spending is None else {"TRIBAL_SPENDING": spending.model_dump_json()}
    return cap | ({"TRIBAL_MODELS": json.dumps(entries, separators=(",", ":"))} if entries else {})


def profiled_model(name: str) -> str | None:
    """The id of the model behind an inference profile of Bedrock; `None` where the model itself is named."""
    profile = _PROFILE.match(name)
    return profile["model"] if profile else None


def obstacles_of(model: ModelEntry, section: str = "model") -> list[str]:
    """Why functions could not ask this model, or no permission for it alone can be written."""
    found = []
    if model.api_key_secret is not None and not _SECRET.match(model.api_key_secret):
        found.append(f"{section}.api_key_secret is not a secret name; write one without wildcards")
    if model.provider == "bedrock" and not _ID.match(model.name):
        found.append(
            f"{section}.name is not the id of a model or an inference profile; for an ARN, write its last part"
        )
    if model.is_on_this_machine:
        found.append(f"{section}.base_url is on the function's own machine, where no server runs; write its address")
    return found
