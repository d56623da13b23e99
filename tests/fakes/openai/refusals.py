"""What each vendor refuses of a request; every rule says where it stands."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tests.fakes.model_servers.counting import count
from tests.fakes.openai.vendor import VendorModel, VendorName

_KNOWN_TO_GEMINI = frozenset(
    "model messages max_tokens max_completion_tokens reasoning_effort response_format stream stream_options "
    "temperature top_p n stop tools tool_choice seed presence_penalty frequency_penalty user".split()
)
"""https://ai.google.dev/gemini-api/docs/openai."""
_SAMPLING = ("temperature", "top_p", "presence_penalty", "frequency_penalty", "logprobs")
_OLLAMA_MEMBERS: Mapping[str, type] = {"model": str, "messages": list, "stream": bool, "max_tokens": int}
"""Of ollama/ollama openai/openai.go, `ChatCompletionRequest`; Go refuses another type."""
_OLLAMA_EFFORTS = (None, "", "none", "minimal", "low", "medium", "high", "xhigh", "ultra", "max")


@dataclass(frozen=True)
class Objection:
    """Why a request is refused."""

    message: str
    code: str | None = None
    param: str | None = None


def objections(
    vendor: VendorName, body: Mapping[str, Any], model: VendorModel, unknown: list[str]
) -> Iterator[Objection]:
    """What the vendor answers 400 to.

    Args:
        unknown: members of the request that the SDK's types lack.
    """
    if not body.get("messages"):
        # ollama/ollama middleware/openai.go, `ChatMiddleware`, has it from OpenAI.
        yield Objection("[] is too short - 'messages'", param="messages")
        return
    rules = {"openai": _openai, "gemini": _gemini, "groq": _groq, "ollama": _ollama}
    yield from rules[vendor](body, model, unknown)
    if vendor != "ollama":
        yield from _effort(vendor, body, model)
        yield from _context(vendor, body, model)


def _openai(body: Mapping[str, Any], model: VendorModel, unknown: list[str]) -> Iterator[Objection]:
    # https://github.com/davidmigloz/langchain_dart/issues/712.
    for name in unknown:
        yield Objection(f"Unrecognized request argument supplied: {name}")
    if model.efforts:
        # https://github.com/microsoft/clarity-agent/issues/59.
        if "max_tokens" in body:
            yield Objection(
                "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' "
                "instead.",
                "unsupported_parameter",
                "max_tokens",
            )
        # https://github.com/decolua/9router/issues/560.
        for name in _SAMPLING:
            if body.get(name) not in (None, 1):
                yield Objection(
                    f"Unsupported value: '{name}' does not support {body[name]} with this model. Only the default (1) "
                    "value is supported.",
                    "unsupported_value",
                    name,
                )
    elif "reasoning_effort" in body:
        # https://github.com/umputun/tg-spam/issues/304: of a model that does not reason.
        yield Objection("Unrecognized request argument supplied: reasoning_effort")
    # openai/types/chat/chat_completion_stream_options_param.py: "Only set this when you set `stream: true`".
    if "stream_options" in body and not body.get("stream"):
        yield Objection(
            "The 'stream_options' parameter is only allowed when 'stream' is enabled.", param="stream_options"
        )
    yield from _strict(body, "Invalid schema for response_format '{name}': ")


def _gemini(body: Mapping[str, Any], _model: VendorModel, unknown: list[str]) -> Iterator[Objection]:
    # https://github.com/Alishahryar1/free-claude-code/issues/542.
    for name in dict.fromkeys([*unknown, *(name for name in body if name not in _KNOWN_TO_GEMINI)]):
        yield Objection(f'Invalid JSON payload received. Unknown name "{name}": Cannot find field.')
    # https://github.com/router-for-me/CLIProxyAPI/issues/97.
    bound = _bound(body)
    if bound is not None:
        for path in _paths_of("$schema", bound.get("schema"), "response_format.json_schema.schema"):
            yield Objection(f"Invalid JSON payload received. Unknown name \"$schema\" at '{path}': Cannot find field.")


def _groq(body: Mapping[str, Any], model: VendorModel, unknown: list[str]) -> Iterator[Objection]:
    # https://github.com/fanenr/chatbot/issues/21.
    for name in unknown:
        yield Objection(f"property '{name}' is unsupported")
    if _bound(body) is not None and not model.binds:
        # https://github.com/ItzCrazyKns/Vane/issues/980.
        yield Objection(
            "This model does not support response format `json_schema`. See supported models at "
            "https://console.groq.com/docs/structured-outputs#supported-models"
        )
    else:
        # https://console.groq.com/docs/structured-outputs: strict mode wants the same as OpenAI.
        yield from _strict(body, "invalid JSON schema for response_format: '{name}': ")


def _ollama(body: Mapping[str, Any], _model: VendorModel, _unknown: list[str]) -> Iterator[Objection]:
    """It ignores what it does not know."""
    for name, kind in _OLLAMA_MEMBERS.items():
        if body.get(name) is not None and type(body[name]) is not kind:
            yield Objection(f"json: cannot unmarshal into Go struct field ChatCompletionRequest.{name}")
    # ollama/ollama openai/openai.go, `thinkFromReasoningEffort`.
    if body.get("reasoning_effort") not in _OLLAMA_EFFORTS:
        supported = ", ".join(f'"{effort}"' for effort in _OLLAMA_EFFORTS[3:])
        yield Objection(f'invalid reasoning value: "{body["reasoning_effort"]}" (must be {supported}, or "none")')


def _effort(vendor: VendorName, body: Mapping[str, Any], model: VendorModel) -> Iterator[Objection]:
    """Each model has its own efforts.

    Source: https://developers.openai.com/api/docs/models, https://console.groq.com/docs/reasoning and
    https://ai.google.dev/gemini-api/docs/openai.
    """
    effort = body.get("reasoning_effort")
    if effort is None or effort in model.efforts or (vendor == "openai" and not model.efforts):
        return
    supported = ", ".join(f"'{each}'" for each in sorted(model.efforts))
    yield Objection(
        f"Unsupported value: 'reasoning_effort' does not support '{effort}' with this model. Supported values are: "
        f"{supported}.",
        "unsupported_value",
        "reasoning_effort",
    )


def _context(vendor: VendorName, body: Mapping[str, Any], model: VendorModel) -> Iterator[Objection]:
    """OpenAI's words: https://github.com/simonw/llm/issues/392; Gemini's: its troubleshooting page."""
    tokens = count(json.dumps(body["messages"], ensure_ascii=False))
    if tokens <= model.context:
        return
    if vendor == "gemini":
        yield Objection(
            f"The input token count ({tokens}) exceeds the maximum number of tokens allowed ({model.context})."
        )
        return
    yield Objection(
        f"This model's maximum context length is {model.context} tokens. However, your messages resulted in {tokens} "
        "tokens. Please reduce the length of the messages.",
        "context_length_exceeded",
        "messages",
    )


def _bound(body: Mapping[str, Any]) -> Mapping[str, Any] | None:
    bound = (body.get("response_format") or {}).get("json_schema")
    return bound if isinstance(bound, dict) else None


def _strict(body: Mapping[str, Any], prefix: str) -> Iterator[Objection]:
    """Every object is closed, and every property required.

    Source: https://developers.openai.com/api/docs/guides/structured-outputs.
    """
    bound = _bound(body)
    if bound is None or not bound.get("strict"):
        return
    said = prefix.format(name=bound.get("name"))
    for fault in _open_objects(bound.get("schema"), ()):
        yield Objection(said + fault, None, "response_format")


def _open_objects(schema: object, path: tuple[str, ...]) -> Iterator[str]:
    if isinstance(schema, list):
        for number, item in enumerate(schema):
            yield from _open_objects(item, (*path, str(number)))
    if not isinstance(schema, dict):
        return
    if schema.get("type") == "object":
        context = f"In context={path}, "
        if schema.get("additionalProperties") is not False:
            yield f"{context}'additionalProperties' is required to be supplied and to be false."
        missing = set(schema.get("properties", {})) - set(schema.get("required", ()))
        if missing:
            yield (
                f"{context}'required' is required to be supplied and to be an array including every key in properties. "
                f"Missing '{min(missing)}'."
            )
    for name in ("items", "anyOf"):
        yield from _open_objects(schema.get(name), (*path, name))
    for group in ("properties", "$defs"):
        for name, member in schema.get(group, {}).items():
            yield from _open_objects(member, (*path, group, name))


def _paths_of(key: str, schema: object, path: str) -> Iterator[str]:
    if isinstance(schema, dict):
        if key in schema:
            yield path
        for name, member in schema.items():
            yield from _paths_of(key, member, f"{path}.{name}")
    elif isinstance(schema, list):
        for number, member in enumerate(schema):
            yield from _paths_of(key, member, f"{path}[{number}]")
