"""Answers that cannot be used as they come: asked for again at once, in halves, or by the next run."""

from __future__ import annotations

import pytest

from tests.fakes.claude import FakeClaude
from tests.fakes.claude import failures as fail
from tests.runs.model.made import ModelRuns, asked_about, data_of, says, shop

NAME = "shop.parcels.parcel_parcel_0"


@pytest.fixture
def runs(claude: FakeClaude) -> ModelRuns:
    claude.mind = says("Holds what was ordered.", "Tells how good it is.")
    return ModelRuns(claude, shop(1), settings={"calls_at_once": 1})


def asked(runs: ModelRuns, since: int = 0) -> list[tuple[bool, int]]:
    """Of each question about the table, whether it asks for its text, and for how many columns."""
    found = [data_of(part) for part in asked_about(runs.claude)[since:]]
    return [(data["ask"]["text"], len(data["ask"]["columns"])) for data in found if "t1" in data]


def test_an_answer_that_is_cut_after_one_of_the_wrong_shape_is_asked_for_in_halves_at_once(runs: ModelRuns) -> None:
    runs.claude.script = fail.Script(next=[fail.WRONG_SHAPE, fail.MAX_TOKENS])
    assert runs.run().status == "completed"
    assert asked(runs) == [(True, 2), (True, 2), (True, 1), (False, 1)]
    assert runs.document(NAME).description.source == "model"
