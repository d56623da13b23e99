"""The functions and the layers that each needs; no function gets a layer that it does not use."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tribal.capabilities import capabilities
from tribal_contracts import ModelEntry

OUR_LAYER = "tribal"
"""The packages `tribal` and `tribal_contracts`."""
MODEL_LAYERS = ("deps-model", "deps-openai")
"""SDKs of language models: that of Anthropic and Bedrock, and that of all others; an environment has one or none."""
SHARED_MODELS_LAYER = "deps-models"
"""Both SDKs, for functions that ask the models that sections of capabilities name. A function takes five layers."""
_DATABASES = ("deps-postgres", "deps-snowflake")
"""The second has sqlglot too, which parses the views of any database."""
_OF_ALL = (OUR_LAYER, "deps-core")
_SEARCHING = (*_OF_ALL, "deps-search", "deps-vectors")
"""The layers of every function that searches indexes."""
_SPECS = {spec.name: spec for each in capabilities() for spec in each.functions}
"""The functions that capabilities declare."""
_CAPABILITY_LAYERS = dict.fromkeys(
    layer for spec in _SPECS.values() for layer in (*spec.layers, *spec.layers_with_models) if layer not in _SEARCHING
)
"""Layers that only functions of capabilities need."""
LAYERS = (
    OUR_LAYER,
    "deps-core",
    *MODEL_LAYERS,
    SHARED_MODELS_LAYER,
    *_DATABASES,
    "deps-mcp",
    *_CAPABILITY_LAYERS,
    "deps-search",
    "deps-tokens",
    "deps-vectors",
)
FUNCTIONS: dict[str, tuple[str, ...]] = {
    "planner": (OUR_LAYER, "deps-core", *_DATABASES),
    "documenter": (OUR_LAYER, "deps-core", *_DATABASES),
    "finisher": (OUR_LAYER, "deps-core", "deps-policies"),
    "indexer": _SEARCHING,
    "authorizer": (OUR_LAYER, "deps-core", "deps-tokens"),
    "mcp": (OUR_LAYER, "deps-core", "deps-mcp"),
    **{name: (*(_SEARCHING if spec.searches else _OF_ALL), *spec.layers) for name, spec in _SPECS.items()},
}
"""The layers of each function, without those for a model."""
ASKING = ("documenter", "finisher")
"""The functions that call the model that describes tables."""
ASKING_SHARED = tuple({use.function: None for each in capabilities() for use in each.uses if use.models or use.servers})
"""The functions that call models which sections of capabilities name, in environments where they name any."""
DEFAULT_PYTHON = "3.13"
"""The Lambda runtime. The end-to-end test packages for the running interpreter instead."""


class PackagingError(Exception):
    """Packaging failed; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Packages:
    """A folder of built packages: `layers/NAME/python/...` and `functions/NAME/functions/NAME/...`."""

    folder: Path
    python: str = DEFAULT_PYTHON

    @property
    def runtime(self) -> str:
        """Lambda's name of the runtime."""
        return f"python{self.python}"

    def layer(self, name: str) -> Path:
        """The folder that becomes a layer."""
        return self.folder / "layers" / name

    def function(self, name: str) -> Path:
        """The folder that becomes the code of a function."""
        return self.folder / "functions" / name

    def missing(self) -> list[Path]:
        """Folders that have not been built."""
        wanted = [*(self.layer(name) for name in LAYERS), *(self.function(name) for name in FUNCTIONS)]
        return [path for path in wanted if not path.is_dir()]


def model_layer(model: ModelEntry | None) -> str | None:
    """The layer with the SDK of a model; `None` without a model."""
    return None if model is None else MODEL_LAYERS[model.provider not in ("anthropic", "bedrock")]


def layers_of(function: str, model: str | None, *, shared: bool = False) -> tuple[str, ...]:
    """The layers of a function.

    Args:
        function: its name.
        model: the layer for the model that describes tables in the environment.
        shared: whether the function asks models that sections of capabilities name.
    """
    if shared and function in ASKING_SHARED:
        spec = _SPECS[function]
        if spec.layers_with_models:
            return (*FUNCTIONS[function][: -len(spec.layers) or None], *spec.layers_with_models)
        return (*FUNCTIONS[function], SHARED_MODELS_LAYER)
    return (*FUNCTIONS[function], model) if model is not None and function in ASKING else FUNCTIONS[function]


def package_of(function: str) -> str:
    """The folder in `functions/` with a function's handler."""
    return _SPECS[function].package if function in _SPECS else function


def handler_of(function: str) -> str:
    """The handler in Lambda's notation."""
    return f"functions.{package_of(function)}.handler.handle"
