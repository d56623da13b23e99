"""What `make bench` writes beside what it prints."""

from __future__ import annotations

import json
from dataclasses import asdict

from bench import descriptions, exact_names, results
from bench.grounding import Grounding


def test_counts_are_written_as_json() -> None:
    said = descriptions.Said("shop")
    said.described["table"] += 1
    score = exact_names.NameScore("shop")
    score.asked["by name"] += 1
    grounding = Grounding(human={"shop": {"": 3, "name": 1}})
    found = json.loads(
        json.dumps([results.recorded(said), exact_names.recorded(score), asdict(grounding)]),
    )
    assert [found[0]["described"], found[1]["asked"], found[2]["human"]["shop"]["name"]] == [
        {"table": 1},
        {"by name": 1},
        1,
    ]
    assert "misses" not in found[1]
