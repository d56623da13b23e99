"""A describer that asks a model behaves as every describer does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.conformance.describer import *  # noqa: F403
from tests.fakes.claude import FakeClaude
from tests.fakes.model_servers.minds import asked_numbers
from tests.runs.model.made import ModelRuns
from tribal.ports import Describer, StopToken


def describes(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Says something of the table or the domain, and of every other column."""
    columns = [{"n": number, "text": "What it is worth."} for number in asked_numbers(body)[::2]]
    return {"title": "What is sold", "text": "Everything about [t1] and its order.", "columns": columns}


@pytest.fixture
def describer(claude: FakeClaude) -> Describer:
    claude.mind = describes
    return ModelRuns(claude).app().run.describers("run", StopToken()).of("shop")
