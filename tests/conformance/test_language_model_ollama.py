"""Ollama, held to what holds of every `LanguageModel`."""

from __future__ import annotations

import pytest

from tests.conformance.language_model import *  # noqa: F403
from tests.conformance.language_model_openai import *  # noqa: F403
from tests.conformance.language_model_streams import *  # noqa: F403
from tests.conformance.language_model_without_schemas import *  # noqa: F403
from tests.fakes.openai.vendor import VendorName


@pytest.fixture
def provider() -> VendorName:
    return "ollama"
