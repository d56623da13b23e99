"""Rights of the functions that answer tools, derived from the manifests of the capabilities."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from aws_cdk import Stack
from aws_cdk import aws_iam as iam

from infra.environment import Environment
from infra.model import variables_of
from infra.stacks import permissions, search
from tribal_contracts import ModelEntry


def tools_of(environment: Environment, function: str) -> list[str]:
    """The tools that a function answers."""
    return [tool for use in environment.uses_of(function) for tool in use.tools]


def rights_of(stack: Stack, environment: Environment, bucket_arn: str, function: str) -> list[iam.PolicyStatement]:
    """The statements for a function, besides those of every function."""
    uses = environment.uses_of(function)
    has_domain = environment.opensearch is not None
    asks, remembers = any(use.asks_index for use in uses), any(use.writes_memories for use in uses)
    domain = search.domain_arn(stack, environment)
    read = [pattern for use in uses for pattern in use.reads]
    if not has_domain:
        files = [pattern for use in uses for pattern in use.reads_without_search]
        read = [*([permissions.INDEX_FILES] if asks else []), *files, *read]
    written = [pattern for use in uses for pattern in use.writes]
    models = [*environment.models_of(function).values(), *environment.servers_of(function)]
    if models:
        read += [pattern for use in uses for pattern in use.reads_with_models]
        written += [pattern for use in uses for pattern in use.writes_with_models]
    removed = [pattern for use in uses for pattern in use.removes]
    kept = [
        pattern
        for use in uses
        for setting, patterns in use.keeps_with.items()
        if getattr(environment.own_section(function), setting, False)
        for pattern in patterns
    ]
    read, written = [*read, *kept], [*written, *kept]
    erased = [*(pattern for use in uses for pattern in use.versions), *kept]
    return [
        *(permissions.read_objects(bucket_arn, *read) if read else []),
        *(search.read_statements(domain) if has_domain and (asks or remembers) else []),
        *([permissions.write_objects(bucket_arn, *written)] if written else []),
        *([permissions.delete_objects(bucket_arn, *removed)] if removed else []),
        *(permissions.delete_versions(bucket_arn, *erased) if erased else []),
        *(search.memory_statements(domain) if has_domain and remembers else []),
        *permissions.read_secrets(stack, "ReadTokens", _secrets(environment, function)),
        *(
            statement
            for number, model in enumerate(_without_repeated_keys(models), start=1)
            for statement in permissions.ask_model(stack, model, str(number))
        ),
    ]


def model_variables(environment: Environment, function: str) -> dict[str, str]:
    """What a function that asks models reads from its environment; for any other, nothing."""
    if not environment.asks_models(function):
        return {}
    models = variables_of(environment.models_of(function), environment.spending)
    return environment.configuration_variables | models


def searches(environment: Environment, function: str) -> bool:
    """Whether a function searches an index, of tables or of memories."""
    return any(use.asks_index or use.writes_memories for use in environment.uses_of(function))


def _without_repeated_keys(models: list[ModelEntry]) -> list[ModelEntry]:
    """The models, of those with the same key the first one; a model on Bedrock has none."""
    keys = [each.api_key_secret for each in models]
    return [each for number, each in enumerate(models) if keys[number] is None or keys[number] not in keys[:number]]


def _secrets(environment: Environment, function: str) -> list[str]:
    """The secrets that settings name, each once."""
    found = (
        name
        for each in environment.capabilities
        for use in each.uses
        if use.function == function
        for setting in use.secrets
        for name in _values_at(environment.sections[each.name], setting.split("."))
    )
    return list(dict.fromkeys(found))


def _values_at(value: Any, path: list[str]) -> Iterator[str]:
    """The values of a setting, in lists that of each entry."""
    if isinstance(value, list):
        for each in value:
            yield from _values_at(each, path)
    elif value is not None and path:
        yield from _values_at(getattr(value, path[0]), path[1:])
    elif value is not None:
        yield value
