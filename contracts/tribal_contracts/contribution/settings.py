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

    files: int = Field(default=10, ge=1, le=100, description="Most files that a contribution changes.")
    lines: int = Field(default=1_500, ge=1, le=20_000, description="Most lines that it adds and removes.")
    issue_lines: int = Field(default=300, ge=1, le=2_000, description="Most lines if a model writes it for an issue.")
    descriptions: int = Field(default=100, ge=1, le=1_000, description="Most descriptions in it.")
    open: int = Field(default=3, ge=1, le=100, description="Most open contributions of a repository.")
    per_day: int = Field(
        default=5, ge=1, le=100, description="Most contributions published per repository and UTC day."
    )


class GitHubApp(ClosedContract):
    """An App that is installed in the repository."""

    id: int = Field(ge=1, description="Id of the App.")
    installation: int = Field(ge=1, description="Id of its installation in the repository.")
    key_secret: SecretName = Field(description="Name of the secret with the private key of the App.")


class PackageIndex(ClosedContract):
    """Where the packages come from that the checks of a repository need."""

    index_url: RepositoryUrl | Unset = optional(
        "Address of the package index. By default that of the tool that installs."
    )
    ca_file: Path | Unset = optional("File with the certificate authorities of the index, relative to this file.")


class RepositoryEntry(ClosedContract):
    """A repository that creates databases."""

    name: Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,62}$")] = Field(
        description="Your name for the repository."
    )
    path: Path | Unset = optional("Folder of a local clone, relative to this file.")
    url: RepositoryUrl | Unset = optional(
        "Address of the repository on GitHub, such as https://github.com/acme/shop, instead of `path`."
    )
    databases: Annotated[list[str], Field(min_length=1, max_length=100)] = Field(
        description="Names of the databases in this file that the repository creates."
    )
    recipe: RecipeName | Unset = optional("How to write descriptions there. By default detected.")
    folder: Path | Unset = optional(
        "Folder in the repository with the migrations, `alembic.ini` or `dbt_project.yml`. By default detected."
    )
    base: Annotated[str, StringConstraints(min_length=1, max_length=200)] | Unset = optional(
        "Branch to start from. By default the default branch."
    )
    tables: list[str] = Field(
        default_factory=list,
        max_length=1_000,
        description="Patterns of `schema.table` for tables that it creates although no file says so.",
    )
    manifest: Path | Unset = optional("The `manifest.json` of dbt, relative to this file, to find nodes exactly.")
    public: bool = Field(
        default=False, description="Whether pull requests may be opened although the repository is public."
    )
    label: Annotated[str, StringConstraints(max_length=50)] = Field(
        default="tribal", description="Label of pull requests; empty for none."
    )
    read_secret: SecretName | Unset = optional("Name of the secret with a token that may read the repository.")
    write_secret: SecretName | Unset = optional("Name of the secret with a token that may write branches.")
    app: GitHubApp | Unset = optional("GitHub App that writes, instead of `write_secret`.")
    api_url: RepositoryUrl | Unset = optional("GitHub Enterprise: address of the API.")
    tarball_host: Annotated[str, StringConstraints(max_length=253)] | Unset = optional(
        "GitHub Enterprise: host that serves archives."
    )
    install: PackageIndex | Unset = optional("Where to install the packages of its checks from.")
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

    limits: ContributionLimits = Field(
        default_factory=ContributionLimits, description="Limits of contributions to each repository."
    )
    model: ModelName | Unset = optional("Name under `models` of the model that does what issues ask for.")
    per_cycle_usd: Dollars = Field(default=2.0, description="Maximum cost of one contribution in dollars.")
    repositories: Annotated[list[RepositoryEntry], Field(min_length=1, max_length=100)] = Field(
        description="The repositories that create the databases."
    )

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
