"""The configuration of a deployed function, read from its environment once at start."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from pydantic import BaseModel, RootModel, ValidationError

from tribal.errors import ConfigurationError
from tribal.settings import BucketPlace, read_environment, source_date_epoch
from tribal_contracts import (
    CAPABILITY_SECTIONS,
    AnswerLimits,
    CapabilitySettings,
    ModelEntry,
    ModelSettings,
    SpendingSettings,
    SyncSettings,
)
from tribal_contracts.core.models import ModelName

Settings = TypeVar("Settings", bound=BaseModel)

PROJECT_KEY = "config/databases.yaml"
"""Key of the configuration, relative to the store."""
PROMPTS_KEY = "config/prompts/"
"""Prefix of prompts that replace the shipped ones, relative to the store."""
GIVEN_VARIABLES = "TRIBAL_CONFIG_VARIABLES"
"""Names of the variables that the configuration in the bucket may use, separated by commas."""
_NOT_GIVEN = re.compile(r"(?:AWS|LAMBDA|POWERTOOLS|TRIBAL)_|_|PATH\Z|PYTHON|LD_", re.IGNORECASE)
"""Variables of the runtime; some hold the credentials of the function's role."""
ANSWER_TOKENS_VARIABLE = "TRIBAL_ANSWER_TOKENS"
MODEL_VARIABLE = "TRIBAL_MODEL"
"""The section `model` of the environment, as JSON."""
MODELS_VARIABLE = "TRIBAL_MODELS"
"""The entries under `models` of the environment that other sections name, as JSON."""
SPENDING_VARIABLE = "TRIBAL_SPENDING"
"""The section `spending` of the environment, as JSON."""
MACHINE_VARIABLE = "TRIBAL_STATE_MACHINE"
"""ARN of the state machine that the function starts."""
STALE_VARIABLE = "TRIBAL_SYNC_STALE_HOURS"
COMPANY_VARIABLE = "TRIBAL_COMPANY"
"""The company of the environment and of all its callers."""
IAM_RIGHTS_VARIABLE = "TRIBAL_IAM_RIGHTS"
"""Rights of callers who sign with IAM, besides those that they always have."""
IndexKind = Literal["opensearch", "sqlite"]


class _NamedModels(RootModel[dict[ModelName, ModelEntry]]):
    """The entries under `models`."""


@dataclass(frozen=True, slots=True)
class SearchCluster:
    """An OpenSearch domain and how to log in to it."""

    endpoint: str
    region: str
    secret: str | None = None
    """Name of the secret with user and password; without one, requests are signed (SigV4)."""
    ca_bundle: str | None = None


@dataclass(frozen=True, slots=True)
class Deployment:
    """The resources that a deployed function uses."""

    bucket: BucketPlace
    region: str
    index: IndexKind
    cluster: SearchCluster | None
    network_role: str | None = None
    """Role to assume for the secrets and databases of the function's network, when another account owns them."""
    queue_url: str | None = None
    """The indexer's own queue, to which it fans out its work."""
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The variables that the configuration in the bucket may use; its authors can read their values."""
    source_date_epoch: int | None = None
    answer_tokens: int = 3_000
    """The most tokens of a tool's default answer."""
    model: ModelSettings | None = None
    """The model that describes tables; `None` if rules do."""
    models: Mapping[str, ModelEntry] = field(default_factory=dict)
    """Models by the names that sections use."""
    spending: SpendingSettings | None = None
    """What all models together may cost."""
    state_machine: str | None = None
    """ARN of the state machine that the function starts."""
    sections: Mapping[str, CapabilitySettings] = field(default_factory=dict)
    """The sections of capabilities that the environment has, by name."""
    company: str | None = None
    """The company that the environment belongs to."""
    sync_stale_hours: float = 24.0
    """Hours without a sync after which it is unhealthy."""

    @property
    def per_day_usd(self) -> float:
        """What all models together may cost in a UTC day."""
        if self.spending is None and self.model is not None:
            return self.model.per_day_usd
        return (self.spending or SpendingSettings()).per_day_usd


def load_deployment(environment: Mapping[str, str] | None = None) -> Deployment:
    """Read the environment variables that the stack sets.

    Raises:
        ConfigurationError: when a variable is missing or wrong.
    """
    values = read_environment() if environment is None else dict(environment)
    kind = values.get("TRIBAL_INDEX", "opensearch")
    if kind not in ("opensearch", "sqlite"):
        raise ConfigurationError(f"TRIBAL_INDEX is {kind!r}; it must be opensearch or sqlite")
    region = required_variable(values, "AWS_REGION")
    cluster = None
    if kind == "opensearch" and "TRIBAL_SEARCH_ENDPOINT" in values:
        cluster = SearchCluster(
            values["TRIBAL_SEARCH_ENDPOINT"], region, values.get("TRIBAL_SEARCH_SECRET"), values.get("TRIBAL_SEARCH_CA")
        )
    return Deployment(
        bucket=BucketPlace.parse(required_variable(values, "TRIBAL_STORE")),
        region=region,
        index="sqlite" if kind == "sqlite" else "opensearch",
        cluster=cluster,
        network_role=values.get("TRIBAL_NETWORK_ROLE") or None,
        queue_url=values.get("TRIBAL_QUEUE_URL"),
        variables=_given_variables(values),
        source_date_epoch=source_date_epoch(values),
        answer_tokens=_answer_tokens(values),
        model=part_of(values, MODEL_VARIABLE, ModelSettings),
        models=named.root if (named := part_of(values, MODELS_VARIABLE, _NamedModels)) is not None else {},
        spending=part_of(values, SPENDING_VARIABLE, SpendingSettings),
        state_machine=values.get(MACHINE_VARIABLE) or None,
        sections=sections_of(values),
        company=values.get(COMPANY_VARIABLE) or None,
        sync_stale_hours=_stale_hours(values),
    )


def sections_of(values: Mapping[str, str]) -> dict[str, CapabilitySettings]:
    """The sections of capabilities, each from its variable.

    Raises:
        ConfigurationError: when one is invalid.
    """
    read = {name: part_of(values, section_variable(name), model) for name, model in CAPABILITY_SECTIONS.items()}
    return {name: section for name, section in read.items() if section is not None}


def section_variable(name: str) -> str:
    """The environment variable with the section of a capability, as JSON."""
    return f"TRIBAL_{name.upper()}"


def _answer_tokens(values: Mapping[str, str]) -> int:
    try:
        return AnswerLimits.model_validate({"answer_tokens": values.get(ANSWER_TOKENS_VARIABLE, "3000")}).answer_tokens
    except ValidationError:
        raise ConfigurationError(
            f"{ANSWER_TOKENS_VARIABLE} is not a valid value of limits.answer_tokens; the stack sets it from "
            "`api.answer_tokens` in the environment file, so correct it there and deploy"
        ) from None


def _stale_hours(values: Mapping[str, str]) -> float:
    try:
        return SyncSettings.model_validate({"stale_hours": values.get(STALE_VARIABLE, "24")}).stale_hours
    except ValidationError:
        raise ConfigurationError(
            f"{STALE_VARIABLE} is not a valid value of sync.stale_hours; the stack sets it from "
            "`knowledge.stale_hours` in the environment file, so correct it there and deploy"
        ) from None


def part_of(values: Mapping[str, str], variable: str, model: type[Settings]) -> Settings | None:
    """A section of the environment file, passed by the stack in an environment variable."""
    text = values.get(variable)
    if not text:
        return None
    try:
        return model.model_validate_json(text)
    except ValidationError as error:
        # Imported here because YAML is slow to load, and the retriever reads this module.
        from tribal.yaml_lines import shape_problem

        first = error.errors(include_url=False, include_input=False)[0]
        part = variable.removeprefix("TRIBAL_").lower()
        # Pydantic adds the type of a value that may be left out.
        where = ".".join([part, *(str(each) for each in first["loc"] if not str(each).startswith("constrained-"))])
        raise ConfigurationError(
            f"{variable}: {where}: {shape_problem(first)}; the stack sets it from `{part}` in the environment file, "
            "so correct it there and deploy"
        ) from None


def _given_variables(values: Mapping[str, str]) -> dict[str, str]:
    names = [name.strip() for name in values.get(GIVEN_VARIABLES, "").split(",") if name.strip()]
    for name in names:
        if _NOT_GIVEN.match(name):
            raise ConfigurationError(
                f"{GIVEN_VARIABLES} lists {name}, which belongs to the runtime; remove it from `variables` in the "
                "environment file and deploy"
            )
    return {name: values[name] for name in names if name in values}


def required_variable(values: Mapping[str, str], name: str) -> str:
    """The value of a variable that the stack sets.

    Raises:
        ConfigurationError: when it is missing.
    """
    value = values.get(name)
    if not value:
        raise ConfigurationError(f"the environment variable {name} is not set; the stack sets it, so deploy again")
    return value
