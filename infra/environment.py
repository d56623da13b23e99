"""Configuration of deployed environments, one file each in `infra/environments/`."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from zoneinfo import available_timezones

import yaml
from pydantic import Field, field_validator, model_validator

from infra.api_settings import Api
from infra.contribution import Contribution
from infra.function_sizes import API_GATEWAY_SECONDS, FUNCTION_SPECS, FunctionSizes
from infra.knowledge import Knowledge
from infra.model import Part, obstacles_of, variable_of
from infra.networks import Arn, GroupName, Network, OpenSearchSize
from infra.schedule import Schedule
from infra.sections import CapabilitySection, Chat, Interrogation, Memory
from tribal.capabilities import capabilities, uses_of
from tribal.ports.capability import Capability, FunctionSpec, FunctionUse, MachineSpec
from tribal_contracts import ModelEntry, ModelSettings, SpendingSettings
from tribal_contracts.chat.settings import CollectionEntry
from tribal_contracts.core.models import (
    EmbedderSection,
    ModelName,
    ModelSection,
    OnnxEmbedding,
    ServerEmbedding,
    resolved,
)
from tribal_contracts.core.sections import sections_in, written_place

FOLDER = Path(__file__).parent / "environments"

# The retention periods that CloudWatch Logs supports, up to two years.
LOG_DAYS = (1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731)


VariableName = Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9_]{0,63}$")]
_VARIABLE_BYTES = 3_000
"""What is left of the 4 KB limit for a function's variables, besides those that the stack sets.
Source: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html"""
_RUNTIME_VARIABLES = ("AWS_", "LAMBDA_", "POWERTOOLS_", "TRIBAL_", "PYTHON", "LD_", "PATH")


PLACEHOLDER_EMAIL = re.compile(r"@example\.(com|net|org)$")
PLACEHOLDER_ID = re.compile(r"^[a-z]+-0+[0-9a-f]?$")


class Alarms(Part):
    """Who receives alarms, and their thresholds."""

    email: str | None = Field(default=None, pattern=r"^[^@\s]+@[^@\s]+\.[^@\s]+$")
    topic_arn: Arn | None = None
    run_expected_every_hours: int | None = Field(default=None, ge=1, le=168)
    """Alarm if no run succeeds for this long; must fit the schedule, and is unset if runs are rare."""

    silent: bool = False
    """`alarms: none`: they appear only in the console."""

    @property
    def are_heard(self) -> bool:
        """Whether they have a receiver: a topic, or an address that is not a placeholder."""
        return self.topic_arn is not None or (self.email is not None and not PLACEHOLDER_EMAIL.search(self.email))

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if self.email is not None and self.topic_arn is not None:
            raise ValueError("give an e-mail address or a topic, not both")
        return self


class Concurrency(Part):
    """Concurrency limits; the limit for work units is `units_at_once` in `databases.yaml`."""

    databases: int = Field(default=4, ge=1, le=40)


class Environment(Part):
    """A deployed environment."""

    name: str = Field(pattern=r"^[a-z][a-z0-9]{0,11}$")
    region: str | None = Field(default=None, pattern=r"^[a-z]{2}(-[a-z]+)+-\d$")
    account: str | None = Field(default=None, pattern=r"^\d{12}$")
    removal: Literal["retain", "destroy"]
    """What `make destroy` does with the documents and the index."""
    time_zone: str
    schedule: Schedule
    reconcile: Schedule
    """When the indexer checks the manifest without an event, in case one was lost."""
    log_days: int
    old_version_days: int = Field(ge=1, le=3650)
    """Days for which overwritten and deleted objects can be restored."""
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"
    index: Literal["opensearch", "sqlite"]
    opensearch: OpenSearchSize | None = None
    model: ModelSection | None = None
    """The model that describes tables; without one, rules do."""
    models: dict[ModelName, ModelEntry] = Field(default_factory=dict)
    """Models by a name of your own, for other sections to use."""
    spending: SpendingSettings | None = None
    """What all models together may cost."""
    embedder: EmbedderSection = "wordllama"
    """The embedder of the index; only the shipped weights can be deployed."""
    describer: Literal["rules", "model"] | None = None
    """`rules` disables the model but keeps its settings; `model` requires one."""
    memory: Memory | None = None
    """Memory; without it, no memory tools are deployed."""
    interrogation: Interrogation | None = None
    """Models that question the documentation; without it, rules do."""
    knowledge: Knowledge | None = None
    """Decisions and policies; without it, none of their tools are deployed."""
    chat: Chat | None = None
    """The chat; without it and without `collections`, none of it is deployed."""
    contribution: Contribution | None = None
    """Contributions to repositories; without it, none of their tools are deployed."""
    collections: list[CollectionEntry] = Field(default_factory=list, max_length=100)
    """Collections of documents that the chat answers from."""
    functions: FunctionSizes = FunctionSizes()
    concurrency: Concurrency = Concurrency()
    api: Api = Api()
    alarms: Alarms = Alarms()
    """Deploying requires a receiver, unless they are `none`."""
    variables: dict[VariableName, str] = Field(default_factory=dict)
    """The values of `${NAME}` in the bucket's `databases.yaml`; no secrets. Other names are undefined."""
    networks: dict[GroupName, Network] = Field(min_length=1)
    """By name; the planner of the first one opens, composes and closes runs."""

    @field_validator("alarms", mode="before")
    @classmethod
    def _silenced(cls, value: object) -> object:
        return Alarms(silent=True) if value == "none" else value

    @field_validator("embedder")
    @classmethod
    def _deployed_embedder(cls, value: EmbedderSection) -> EmbedderSection:
        if isinstance(value, OnnxEmbedding):
            raise ValueError(
                "onnx does not fit: onnxruntime and an 8-bit MiniLM have 98 MB, with which chat, ingester and "
                "interrogator would exceed Lambda's 250 MB; leave embedder out to use wordllama"
            )
        if isinstance(value, ServerEmbedding):
            raise ValueError(
                "a server embeds only on your own machines, as functions that search have no key for it; leave "
                "embedder out to use wordllama"
            )
        return value

    @field_validator("time_zone")
    @classmethod
    def _known_time_zone(cls, value: str) -> str:
        if value not in available_timezones():
            raise ValueError(f"{value!r} is not a time zone such as Europe/Berlin")
        return value

    @field_validator("log_days")
    @classmethod
    def _known_retention(cls, value: int) -> int:
        if value not in LOG_DAYS:
            raise ValueError(f"CloudWatch Logs keeps logs for {', '.join(map(str, LOG_DAYS))} days")
        return value

    @field_validator("variables")
    @classmethod
    def _not_the_runtimes(cls, value: dict[str, str]) -> dict[str, str]:
        for name in value:
            if name.startswith(_RUNTIME_VARIABLES):
                raise ValueError(f"{name} belongs to the runtime; choose another name")
        return value

    @model_validator(mode="after")
    def _the_describer_has_its_model(self) -> Self:
        if self.describer == "model" and self.model is None:
            raise ValueError("describer: model needs the section model, with at least provider and name")
        size = sum(len(name) + len(value) for name, value in self.variables.items())
        model = self._described_by
        size += len(variable_of(model).encode()) if model else 0
        if size > _VARIABLE_BYTES:
            raise ValueError(
                f"model and variables have {size:,} bytes, and functions take {_VARIABLE_BYTES:,}: shorten model.terms,"
                " or move them to a prompt in config/prompts of the bucket"
            )
        return self

    @model_validator(mode="after")
    def _the_sections_fit(self) -> Self:
        for section in self.sections.values():
            for place, problem, _ in section.problems(self.models):
                raise ValueError(f"{written_place(place)}: {problem}")
        sent = sum(len(value.encode()) for value in self.tool_variables.values())
        sent += max(
            sum(len(model.model_dump_json(exclude_unset=True)) for model in self.models_of(function).values())
            for function in self.function_specs
        )
        if sent > _VARIABLE_BYTES:
            raise ValueError(
                f"{', '.join(self.sections)} and their models have {sent:,} bytes, and functions take "
                f"{_VARIABLE_BYTES:,}: configure fewer collections, patterns or models"
            )
        return self

    @model_validator(mode="after")
    def _knowledge_has_memory(self) -> Self:
        if self.knowledge is not None and self.memory is None:
            raise ValueError("knowledge needs the section memory, whose function serves it: add memory: {}")
        return self

    @model_validator(mode="after")
    def _the_index_has_what_it_needs(self) -> Self:
        if (self.index == "opensearch") != (self.opensearch is not None):
            raise ValueError("index: opensearch and the section opensearch belong together")
        group = self.opensearch.network if self.opensearch else None
        if group is not None and (group not in self.networks or self.networks[group].vpc_id is None):
            raise ValueError(f"opensearch.network: no network {group!r} with a VPC")
        if self.opensearch and group and len(self.networks[group].subnet_ids) < self.opensearch.zones:
            raise ValueError(f"opensearch.zones: the network {group!r} has fewer subnets")
        return self

    @property
    def sections(self) -> dict[str, CapabilitySection]:
        """The sections of capabilities that are present, by name."""
        return sections_in(self)

    @property
    def function_specs(self) -> dict[str, FunctionSpec]:
        """The functions of capabilities that are deployed, by name."""
        return {
            spec.name: spec
            for each in self.capabilities
            for spec in each.functions
            if each.name in self.sections or not spec.needs_section
        }

    def own_section(self, function: str) -> Any:
        """The section of the capability that a function belongs to; `None` if it is absent."""
        owner = next(each.name for each in self.capabilities for spec in each.functions if spec.name == function)
        return self.sections.get(owner)

    def machine_of(self, function: str) -> MachineSpec | None:
        """The state machine of a function, if it is deployed."""
        machine = self.function_specs[function].machine
        return machine if machine is not None and (self.models_of(function) or not machine.needs_models) else None

    def streams(self, function: str) -> bool:
        """Whether a function sends the answers of its routes in pieces."""
        spec = self.function_specs.get(function)
        return spec is not None and bool(spec.streams and getattr(self.own_section(function), spec.streams, False))

    def timeout_of(self, function: str) -> int:
        """Seconds that a function may take: no more than API Gateway waits where it waits for a whole answer."""
        seconds: int = getattr(self.functions, function).timeout_seconds
        spec = self.function_specs.get(function)
        waits = spec is not None and spec.streams is not None and not self.streams(function)
        return min(seconds, API_GATEWAY_SECONDS - 1) if waits else seconds

    @property
    def capabilities(self) -> list[Capability]:
        """The capabilities that are deployed."""
        return [each for each in capabilities() if each.is_configured(self.sections)]

    def uses_of(self, function: str) -> list[FunctionUse]:
        """How the deployed capabilities use a function."""
        return uses_of(function, self.capabilities)

    @property
    def tool_variables(self) -> dict[str, str]:
        """The environment variables that describe the configured capabilities to functions."""
        return {name: value for each in self.sections.values() for name, value in each.variables.items()}

    @property
    def configuration_variables(self) -> dict[str, str]:
        """The variables that the configuration in the bucket may use, and the list of their names."""
        names = ",".join(sorted(self.variables))
        return self.variables | ({"TRIBAL_CONFIG_VARIABLES": names} if names else {})

    @property
    def obstacles(self) -> list[str]:
        """Why this environment can be synthesised but must not be deployed yet, each with what to do."""
        found = []
        if not (self.alarms.silent or self.alarms.are_heard):
            found.append("its alarms have no receiver: set alarms.email or alarms.topic_arn, or `alarms: none`")
        for name, network in self.networks.items():
            ids = (network.vpc_id or "", *network.subnet_ids, *network.security_group_ids, *network.route_table_ids)
            found += [
                f"networks.{name}: {each} is a placeholder; replace it" for each in ids if PLACEHOLDER_ID.match(each)
            ]
        found += [obstacle for section in self.sections.values() for obstacle in section.obstacles]
        for name, model in self.named_models.items():
            found += obstacles_of(model, f"models.{name}")
        for server in self._all_servers:
            found += obstacles_of(server, "collections: embedding")
        return found + (obstacles_of(self.active_model, "model") if self.active_model else [])

    @property
    def active_model(self) -> ModelSettings | None:
        """The model that functions call; `None` if rules describe everything."""
        return None if self.describer == "rules" else self._described_by

    @property
    def _described_by(self) -> ModelSettings | None:
        return None if self.model is None else resolved(self.model, self.models, self.spending)

    @property
    def named_models(self) -> dict[str, ModelEntry]:
        """The entries of `models` that sections of capabilities name."""
        return {name: model for each in FUNCTION_SPECS for name, model in self.models_of(each.name).items()}

    @property
    def _all_servers(self) -> list[ModelEntry]:
        servers = [server for each in FUNCTION_SPECS for server in self.servers_of(each.name)]
        return [server for number, server in enumerate(servers) if server not in servers[:number]]

    def models_of(self, function: str) -> dict[str, ModelEntry]:
        """The entries of `models` that a function asks, by name."""
        names = self._settings_of(function, lambda use: use.models)
        return {name: self.models[name] for name in names if name in self.models}

    def servers_of(self, function: str) -> list[ModelEntry]:
        """The models that a function asks besides these: entries of its sections."""
        return self._settings_of(function, lambda use: use.servers)

    def asks_models(self, function: str) -> bool:
        """Whether a function asks models that sections name."""
        return bool(self.models_of(function) or self.servers_of(function))

    def _settings_of(self, function: str, named: Callable[[FunctionUse], tuple[str, ...]]) -> list[Any]:
        """The values of the settings that the uses of a function name, of lists each one."""
        values = [
            getattr(self.sections.get(each.name), setting, None)
            for each in self.capabilities
            for use in each.uses
            if use.function == function
            for setting in named(use)
        ]
        return [
            each for value in values for each in (value if isinstance(value, list) else [value]) if each is not None
        ]

    @property
    def prefix(self) -> str:
        """The prefix of all resource names."""
        return f"tribal-{self.name}"

    @property
    def home(self) -> str:
        """The network group whose planner handles tasks that need no database."""
        return next(iter(self.networks))


def environment_names() -> list[str]:
    """Names of all configured environments."""
    return sorted(path.stem for path in FOLDER.glob("*.yaml"))


def load_environment(name: str, folder: Path = FOLDER) -> Environment:
    """Read and check the file of an environment.

    Raises:
        ValueError: when the file is missing or invalid; the message says why.
    """
    path = folder / f"{name}.yaml"
    if not re.fullmatch(r"[a-z][a-z0-9]*", name) or not path.is_file():
        raise ValueError(f"unknown environment {name!r}; the environments are {', '.join(environment_names())}")
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    environment = Environment.model_validate({"name": name, **content})
    if environment.name != name:
        raise ValueError(f"{path.name}: name is {environment.name!r}; it must match the file name")
    return environment
