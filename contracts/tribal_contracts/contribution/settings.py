"""The section `contribution` of `databases.yaml`. Extension contract; unknown keys are refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Annotated, Self

from pydantic import Field, StringConstraints, model_validator

from tribal_contracts.contribution.cycles import RecipeName
from tribal_contracts.core.models import Dollars, ModelEntry, ModelName, unknown_model
from tribal_contracts.core.sections import CapabilitySettings, SectionProblem
from tribal_contracts.core.shape import ClosedContract, Unset, optional

SECTION = "contribution"
Path = Annotated[str, StringConstraints(min_length=1, max_length=1_000)]
SecretName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_./-]{1,256}$")]
RepositoryUrl = Annotated[str, StringConstraints(max_length=500, pattern=r"^https?://[^\s/@?#]+(/[^\s@?#]*)?$")]
LineKey = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{8}$")]


class ContributionLimits(ClosedContract):
    """How large contributions may be, and how many; of each repository."""

    files: int = Field(default=10, ge=1, le=100, description="Files that a contribution may change.")
    lines: int = Field(default=1_500, ge=1, le=20_000, description="Lines that it may add and remove.")
    issue_lines: int = Field(default=300, ge=1, le=2_000, description="The same where a model writes it for an issue.")
    descriptions: int = Field(default=100, ge=1, le=1_000, description="Descriptions in it.")
    open: int = Field(default=3, ge=1, le=100, description="Contributions that may be open at the same time.")
    per_day: int = Field(default=5, ge=1, le=100, description="Contributions that may be published in a UTC day.")


class GitHubApp(ClosedContract):
    """An App that is installed in the repository."""

    id: int = Field(ge=1)
    installation: int = Field(ge=1)
    key_secret: SecretName = Field(description="Name of the secret with the App's private key.")


class PackageIndex(ClosedContract):
    """Where the packages come from that the checks of a repository need."""

    index_url: RepositoryUrl | Unset = optional("The address of the package index; the tool's own if left out.")
    ca_file: Path | Unset = optional("The certificates that it is checked by, relative to this file.")


class RepositoryEntry(ClosedContract):
    """A repository that creates databases."""

    name: Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,62}$")]
    path: Path | Unset = optional("The folder of a clone, relative to this file; instead of `url`.")
    url: RepositoryUrl | Unset = optional("The repository on GitHub, such as https://github.com/acme/shop.")
    databases: Annotated[list[str], Field(min_length=1, max_length=100)]
    recipe: RecipeName | Unset = optional("How descriptions are written; found if left out.")
    folder: Path | Unset = optional(
        "The folder of the migrations, of `alembic.ini` or of `dbt_project.yml`; found if left out."
    )
    base: Annotated[str, StringConstraints(min_length=1, max_length=200)] | Unset = optional(
        "The branch to start from; the default branch if left out."
    )
    tables: list[str] = Field(
        default_factory=list,
        max_length=1_000,
        description="Patterns of `schema.table` for tables that it creates although no file says so.",
    )
    manifest: Path | Unset = optional("The `manifest.json` of dbt, relative to this file.")
    public: bool = Field(default=False, description="Whether pull requests may be opened if it is public.")
    label: Annotated[str, StringConstraints(max_length=50)] = Field(
        default="tribal", description="The label of pull requests; empty for none."
    )
    read_secret: SecretName | Unset = optional("Name of the secret with a token that may read it.")
    write_secret: SecretName | Unset = optional("Name of the secret with a token that may write branches.")
    app: GitHubApp | Unset = optional("An App that writes, instead of `write_secret`.")
    api_url: RepositoryUrl | Unset = optional("The address of the API, of GitHub Enterprise.")
    tarball_host: str | Unset = optional("The host that serves archives, of GitHub Enterprise.", max_length=253)
    install: PackageIndex | Unset = optional("Where the packages of its checks are installed from.")
    acknowledged: list[LineKey] = Field(
        default_factory=list,
        max_length=100,
        description="Keys of lines in its rules that seem to forbid machine-made changes, and that you have read.",
    )

    @model_validator(mode="after")
    def _is_one_place(self) -> Self:
        if (self.path is None) == (self.url is None):
            raise ValueError("give either `path`, of a clone, or `url`, of a repository on GitHub")
        online = ("read_secret", "write_secret", "app", "api_url", "tarball_host")
        unused = [name for name in online if self.path is not None and getattr(self, name) is not None]
        if unused:
            raise ValueError(f"`{unused[0]}` is for a repository with `url`; remove it")
        if self.write_secret is not None and self.app is not None:
            raise ValueError("give either `write_secret` or `app`")
        return self

    @property
    def location(self) -> str:
        """The path or URL, as configured."""
        return self.path or self.url or ""


class ContributionSettings(CapabilitySettings):
    """Which repositories create which databases, and how much may be contributed to them."""

    limits: ContributionLimits = Field(default_factory=ContributionLimits)
    model: ModelName | Unset = optional("The entry of `models` that writes changes for issues; without it, none does.")
    per_cycle_usd: Dollars = Field(default=2.0, description="What the model may cost for one contribution.")
    repositories: Annotated[list[RepositoryEntry], Field(min_length=1, max_length=100)]

    def problems(self, models: Mapping[str, ModelEntry]) -> Iterator[SectionProblem]:
        """Yield a model that is not configured, and each repository that has the name of another one."""
        if self.model is not None and self.model not in models:
            yield SectionProblem((SECTION, "model"), unknown_model(self.model, models), "PLAN_CONFIG_INVALID")
        repeated = {name for name, count in Counter(each.name for each in self.repositories).items() if count > 1}
        for number, entry in enumerate(self.repositories):
            if entry.name in repeated:
                message = f"{entry.name!r} is the name of two repositories; give one of them another name"
                yield SectionProblem((SECTION, "repositories", number, "name"), message, "PLAN_CONFIG_INVALID")

    @property
    def has_models(self) -> bool:
        """Whether a model writes changes."""
        return self.model is not None

    def entry(self, name: str) -> RepositoryEntry | None:
        """The entry of a name; `None` if it does not exist."""
        return next((each for each in self.repositories if each.name == name), None)
