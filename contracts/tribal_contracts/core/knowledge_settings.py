"""The parts `knowledge` and `sync` of `databases.yaml`. Extension contracts."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from tribal_contracts.core.sections import CapabilitySettings, IdentitySettings
from tribal_contracts.core.shape import ClosedContract, Unset, optional

KnowledgeType = Literal["adr", "policy", "pattern", "spec"]
KnowledgeLayer = Literal["company", "org", "team", "project"]
_Text = Annotated[str, StringConstraints(min_length=1, max_length=1_000, pattern=r"^\S(.*\S)?$")]


class KnowledgeSettings(CapabilitySettings):
    """The part `knowledge` of `databases.yaml`: where decisions and policies are kept."""

    repository: _Text = Field(
        description="Place of decisions and policies: a folder relative to this file, or the path or URL of a git "
        "repository."
    )
    branch: _Text | Unset = optional("Branch of the git repository. By default its own default.")
    folder: str = Field(
        default="", max_length=1_000, description="Folder in the repository with the items. By default all of it."
    )
    token_secret: _Text | Unset = optional("Name of the secret with the token for a repository over https.")
    layout: Literal["layered", "flat"] = Field(
        default="layered",
        description="`layered`: folders by layer, owner and type; `flat`: one folder with items of one layer.",
    )
    layer: KnowledgeLayer | Unset = optional("`layout: flat`: layer of the items.")
    owner: _Text | Unset = optional("`layout: flat`: owner of the items. By default from `identity`.")
    type: KnowledgeType | Unset = optional("`layout: flat`: type of the items. By default `adr`.")

    @model_validator(mode="after")
    def _is_of_its_layout(self) -> Self:
        if self.layout == "flat" and self.layer is None:
            raise ValueError("a flat folder says nothing of its layer; write `layer: project`, or another one")
        if self.layout == "layered" and (self.layer or self.owner or self.type):
            raise ValueError("`layer`, `owner` and `type` are of `layout: flat`; folders say so otherwise")
        return self

    def completed(self, identity: IdentitySettings) -> Self:
        """The section with an owner, by default from `identity`.

        Raises:
            ValueError: when the owner is unknown.
        """
        if self.layer is None or self.owner is not None:
            return self
        named = {"company": [identity.company], "org": [identity.org], "project": [identity.project]}
        found = [each for each in named.get(self.layer, identity.teams) if each is not None]
        if len(found) != 1:
            raise ValueError(
                f"the {self.layer} that owns the items is unknown; write `owner: NAME` next to `layer`, or set it in "
                "the section `identity`"
            )
        return self.model_copy(update={"owner": found[0]})


class SyncSettings(ClosedContract):
    """The part `sync` of `databases.yaml`."""

    stale_hours: float = Field(
        default=24.0, gt=0, le=8_760, description="Hours without a sync after which it counts as unhealthy."
    )
