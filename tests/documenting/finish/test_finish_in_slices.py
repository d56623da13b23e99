"""Finish where its process has little time: it hands back, and the next call resumes."""

from __future__ import annotations

import itertools
from dataclasses import replace

from tests.sample_shop.documented import Shop
from tribal.documenting import FinishResult, finish
from tribal.identity import locations
from tribal.ports import StopToken
from tribal_contracts import RunOutline


class Looks:
    """A deadline that lets so many looks at the clock pass before the time is short."""

    def __init__(self, looks: int) -> None:
        self._looks = looks

    def remaining_seconds(self) -> float:
        self._looks -= 1
        return 900.0 if self._looks >= 0 else 10.0


def finish_within(shop: Shop, outline: RunOutline, looks: int) -> FinishResult:
    return finish(outline, replace(shop.context(outline), stop=StopToken(Looks(looks).remaining_seconds)))


def test_finish_hands_back_in_time_and_resumes_where_it_stopped() -> None:
    undisturbed, shop = Shop(), Shop()
    names = {file.path for file in undisturbed.run().indexable_files}
    outline = shop.plan()
    shop.document(outline)
    began: dict[str, str] = {}
    # With a look more each time, each slice comes one domain further; those that are done cost a look and no work.
    for looks in itertools.count():
        shop.clock.advance(60)
        finished = finish_within(shop, outline, looks)
        for key in shop.contents(locations.DOCS):
            if key.endswith("/domain.json"):
                began.setdefault(key.removeprefix(locations.DOCS), shop.clock.published())
        if finished.done:
            break
        assert finished.manifest is None
        assert locations.MANIFEST_FILE not in shop.contents()
    assert len(set(began.values())) == len(began) > 1, "one domain a slice"
    assert finished.manifest is not None
    listed = {file.path: file.modified_at for file in finished.manifest.indexable_files}
    assert listed.keys() == names
    assert {path: listed[path] for path in began} == began
