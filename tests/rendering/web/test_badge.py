"""The badge for a README: well-formed, readable by a screen reader, and the same for the same share."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from tests.cases import each_case
from tribal.rendering.web.badge import badge

SVG = "{http://www.w3.org/2000/svg}"


@each_case(
    ("percent", "said", "color"),
    [
        (100.0, "100%", "#1a7f37"),
        (99.9, "99%", "#1a7f37"),
        (90.0, "90%", "#1a7f37"),
        (89.9, "89%", "#4d7c0f"),
        (50.0, "50%", "#9a6700"),
        (9.9, "9%", "#cf222e"),
        (0.0, "0%", "#cf222e"),
    ],
)
def test_a_badge_names_the_share_in_its_texts_and_by_its_color(percent: float, said: str, color: str) -> None:
    root = ElementTree.fromstring(badge(percent))
    assert (root.get("role"), root.get("aria-label")) == ("img", f"documented: {said}")
    assert root.findtext(f"{SVG}title") == f"documented: {said}"
    assert [text.text for text in root.iter(f"{SVG}text")] == ["documented", said]
    assert [rect.get("fill") for rect in root.iter(f"{SVG}rect")] == [None, "#555", color]
    assert badge(percent) == badge(percent)


def _luminance(color: str) -> float:
    digits = [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in digits]
    return sum(weight * value for weight, value in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_white_text_can_be_read_on_every_color() -> None:
    for percent in range(101):
        for color in re.findall(r'fill="(#[0-9a-f]{6})"', badge(percent)):
            assert 1.05 / (_luminance(color) + 0.05) >= 4.5, color
