"""Whether what is sent and answered is in the types of the `openai` SDK."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.chat.completion_create_params import (
    CompletionCreateParamsNonStreaming,
    CompletionCreateParamsStreaming,
)
from openai.types.model import Model
from openai.types.shared import ErrorObject

from tests.fakes.model_servers.shapes import faults_of_model, faults_of_parameters


def faults_of_request(body: Mapping[str, Any]) -> list[str]:
    """What of a request the types of `openai.types.chat.completion_create_params` lack, by path."""
    kind = CompletionCreateParamsStreaming if body.get("stream") else CompletionCreateParamsNonStreaming
    return list(faults_of_parameters(body, kind, "request"))


def faults_of_completion(body: object) -> list[str]:
    """What of an answer `openai.types.chat.ChatCompletion` lacks."""
    return list(faults_of_model(body, ChatCompletion, "completion"))


def faults_of_chunk(event: Mapping[str, Any]) -> list[str]:
    """What of an event of a stream `openai.types.chat.ChatCompletionChunk` lacks; `x_groq` is Groq's own."""
    if "error" in event:
        return faults_of_error(event)
    chunk = {name: member for name, member in event.items() if name != "x_groq"}
    return list(faults_of_model(chunk, ChatCompletionChunk, "chunk"))


def faults_of_error(body: Mapping[str, Any]) -> list[str]:
    """What of an error `openai.types.shared.ErrorObject` lacks."""
    return list(faults_of_model(body.get("error"), ErrorObject, "error"))


def faults_of_listed(model: Mapping[str, Any]) -> list[str]:
    """What of an entry of the list of models `openai.types.model` lacks."""
    return list(faults_of_model(model, Model, "model"))
