"""What samples show stands over what a model wrote before there were any."""

from __future__ import annotations

from tests.describing.model.made import context
from tests.fakes.claude import FakeClaude
from tests.runs.model.made import ModelRuns, says
from tribal.masking import MaskedSamples
from tribal.ports import StopToken


def test_values_that_samples_show_stand_over_prose_that_was_written_without_them(claude: FakeClaude) -> None:
    claude.mind = says("What was bought.", "Tells how good it is.")
    describer = ModelRuns(claude).app().run.describers("run", StopToken()).of("shop")
    blind = describer.describe_table(context())
    assert blind.columns["grade"].source == blind.columns["kd_nr"].source == "model"
    seen = describer.describe_table(context(samples={"grade": MaskedSamples(values=("low", "high"))}))
    assert len(claude.calls) == 1
    assert (seen.columns["grade"].source, seen.columns["kd_nr"].source) == ("derived", "model")
    assert "low" in seen.columns["grade"].text
