"""An SVG badge that says how much is documented, for a README."""

from __future__ import annotations

_LABEL = "documented"
_LABEL_PIXELS, _DIGIT_PIXELS, _PERCENT_PIXELS, _MARGIN_PIXELS = 67, 7, 12, 6
"""Widths in Verdana of 11 px, and the space next to each text. Other fonts are fitted to these widths."""
_COLORS = ((90, "#1a7f37"), (70, "#4d7c0f"), (50, "#9a6700"), (0, "#cf222e"))
"""Colors from a percentage on; white text on each has a contrast of at least 4.5."""


def badge(percent: float) -> str:
    """Return a badge with a percentage, rounded down, in a color that depends on it."""
    whole = int(percent)
    color = next(color for least, color in _COLORS if whole >= least)
    said = _DIGIT_PIXELS * len(str(whole)) + _PERCENT_PIXELS
    left, right = _LABEL_PIXELS + 2 * _MARGIN_PIXELS, said + 2 * _MARGIN_PIXELS
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" '
        f'aria-label="{_LABEL}: {whole}%">\n'
        f"  <title>{_LABEL}: {whole}%</title>\n"
        f'  <clipPath id="r"><rect width="{left + right}" height="20" rx="3"/></clipPath>\n'
        '  <g clip-path="url(#r)">\n'
        f'    <rect width="{left}" height="20" fill="#555"/>\n'
        f'    <rect x="{left}" width="{right}" height="20" fill="{color}"/>\n'
        "  </g>\n"
        '  <g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">\n'
        f'    <text x="{_MARGIN_PIXELS}" y="14" textLength="{_LABEL_PIXELS}">{_LABEL}</text>\n'
        f'    <text x="{left + _MARGIN_PIXELS}" y="14" textLength="{said}">{whole}%</text>\n'
        "  </g>\n"
        "</svg>\n"
    )
