"""`make recording`: records the README's animation and pictures, from the real program and page.

A frame shows one command and what it prints on a terminal; the last frame shows the page. Everything is one SVG without
scripts, which also shows where images may load nothing.
"""

from __future__ import annotations

import base64
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

from servers.chromium import Chromium, installed_chromium
from tests import ROOT
from tests.edges.cli.terminal import Dialogue
from tests.edges.cli.tribal_command import tribal
from tribal_demo import copy_definitions
from tribal_demo.company import company_database, migrated

RECORDING = ROOT / "docs" / "images" / "demo.svg"
PICTURE = ROOT / "docs" / "images" / "page-home-desktop-light.png"
_COLUMNS, _LINES = 100, 26
_SECONDS = 4
_PAGE = (1280, 900)
_SHOWN_PAGE = (1240, 684)
_FRAME = """<svg class="frame" style="animation-delay:{{delay}}s" viewBox="0 0 {width} {height}">
<style>{styles} .{unique_id}-matrix {{font: {char_height}px Menlo, Consolas, 'DejaVu Sans Mono', monospace}}</style>
<defs><clipPath id="{unique_id}-clip-terminal"><rect width="{terminal_width}" height="{terminal_height}"/></clipPath>
{lines}</defs>{chrome}<g transform="translate({terminal_x},{terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}<g class="{unique_id}-matrix">{matrix}</g></g></svg>
"""
"""Rich's template without its title, and without fonts from elsewhere."""
_WHOLE = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="{label}">
<style>@keyframes show {{0%, {share}% {{opacity: 1}} {after}%, 100% {{opacity: 0}}}}
.frame {{opacity: 0; animation: show {seconds}s infinite}}
@media (prefers-reduced-motion: reduce) {{.frame {{animation: none}} .frame:nth-of-type(2) {{opacity: 1}}}}</style>
{frames}</svg>
"""


def main() -> int:
    """Record the sample company, and write the animation and the picture of the page."""
    if installed_chromium() is None:
        print("make recording: FAILED: Chromium is not installed", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        project = home / "company"
        project.mkdir()
        copy_definitions(project)
        with company_database(home / "postgres") as dsn:
            shown = list(_terminal_frames(dsn, project))
        tribal("site", home / "site", cwd=project)
        PICTURE.write_bytes(_page(home / "site", _PAGE))
        RECORDING.write_text(_animation(shown, _page(home / "site", _SHOWN_PAGE)), encoding="utf-8")
    print(f"make recording: {RECORDING.relative_to(ROOT)}, {RECORDING.stat().st_size // 1000} KB")
    return 0


def _terminal_frames(dsn: str, project: Path) -> Iterator[str]:
    def frame(*command: str) -> str:
        with Dialogue(*command, cwd=project, width=_COLUMNS, with_errors=False) as terminal:
            code, printed = terminal.end()
        assert code == 0, printed
        words = " ".join(f'"{word}"' if " " in word else word for word in command)
        shown = f"\x1b[1m$ tribal {words.replace(dsn, 'postgresql://...')}\x1b[0m\n{printed}"
        return shown.replace(str(project), "/home/you/company")

    yield frame("run", dsn)
    yield frame("search", "which customers have not paid", "--limit", "2")
    yield frame("join", "crm.customer", "billing.payment")
    with migrated(dsn):
        yield frame("diff", "--impact", dsn)
    yield frame("ask", "which suppliers are blocked")


def _page(site: Path, size: tuple[int, int]) -> bytes:
    program = installed_chromium()
    assert program is not None
    with tempfile.TemporaryDirectory() as folder, Chromium(program, Path(folder)) as browser:
        tab = browser.open((site / "index.html").as_uri())
        tab.resize(*size)
        tab.reload()
        tab.until("document.querySelector('main .g-drawing svg')?.getBoundingClientRect().height > 200")
        return tab.screenshot()


def _animation(frames: Sequence[str], page: bytes) -> str:
    count = len(frames) + 1
    drawn = [_drawn(text, number, number * _SECONDS - count * _SECONDS) for number, text in enumerate(frames)]
    found = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', drawn[0])
    assert found is not None
    data = base64.b64encode(page).decode()
    drawn.append(
        f'<svg class="frame" style="animation-delay:{-_SECONDS}s"><image width="{found[1]}" height="{found[2]}" '
        f'href="data:image/png;base64,{data}"/></svg>'
    )
    share = 100 / count
    return _WHOLE.format(
        width=found[1],
        height=found[2],
        label="tribal run, search, join, diff --impact and ask in a terminal, then the page in a browser",
        share=f"{share:.2f}",
        after=f"{share + 0.01:.2f}",
        seconds=count * _SECONDS,
        frames="".join(drawn),
    )


def _drawn(text: str, number: int, delay: int) -> str:
    console = Console(record=True, width=_COLUMNS, file=StringIO(), force_terminal=True)
    lines = Text.from_ansi(text.replace("\r", "")).wrap(console, _COLUMNS)[:_LINES]
    for line in lines:
        console.print(line)
    for _ in range(_LINES - len(lines)):
        console.print()
    drawn = console.export_svg(title="", theme=MONOKAI, code_format=_FRAME, unique_id=f"f{number}")
    return drawn.replace("{delay}", str(delay))


if __name__ == "__main__":
    sys.exit(main())
