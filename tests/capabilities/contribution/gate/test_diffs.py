"""Diffs are exact, and git applies them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cases import each_case
from tests.plugins.skips import skip_or_fail
from tests.plugins.verify import examples
from tribal.capabilities.contribution.errors import PatchInvalid
from tribal.capabilities.contribution.gate.diffs import added_lines, apply_diff, count_lines, unified_diff

_LINE = st.sampled_from(
    ["a", "b", "", " ", "-- a", "++ b", "@@ -1 +1 @@", "\\ No newline at end of file", "c\r", "é\x0c", "\x85"]
)
_TEXT = st.builds(lambda lines, end: "\n".join(lines) + end, st.lists(_LINE, max_size=12), st.sampled_from(["", "\n"]))


@given(_TEXT, _TEXT)
@settings(max_examples=examples(100, 1_000))
def test_a_diff_applied_to_the_old_text_gives_the_new_one(before: str, after: str) -> None:
    diff = unified_diff("a.sql", before, after)
    assert (diff == "") == (before == after)
    assert apply_diff(diff, before) == after
    added, removed = count_lines(diff)
    assert added == len(added_lines(diff))
    assert removed <= before.count("\n") + 1


def test_a_new_file_is_one() -> None:
    diff = unified_diff("db/V2__x.sql", None, "one\ntwo\n")
    assert diff == (
        "diff --git a/db/V2__x.sql b/db/V2__x.sql\nnew file mode 100644\n--- /dev/null\n+++ b/db/V2__x.sql\n"
        "@@ -0,0 +1,2 @@\n+one\n+two\n"
    )
    assert apply_diff(diff, None) == "one\ntwo\n"


@each_case("before", ["one\nTWO\n", "one\n", "", "two\none\n"])
def test_a_diff_that_does_not_fit_is_refused(before: str) -> None:
    diff = unified_diff("a", "one\ntwo\n", "one\nthree\n")
    with pytest.raises(PatchInvalid):
        apply_diff(diff, before)


def test_a_diff_that_ends_too_early_is_refused() -> None:
    diff = unified_diff("a", "one\ntwo\n", "one\nthree\n")
    with pytest.raises(PatchInvalid):
        apply_diff(diff[: diff.rindex("+")], "one\ntwo\n")


@each_case(
    "path, before, after",
    [
        ("plain.txt", "a\nb\nc\n", "a\nB\nc\n"),
        ("no newline.txt", "a\nb", "a\nb\nc"),
        ("newline added.txt", "a", "a\n"),
        ("windows.yml", "a\r\nb\r\n", "a\r\nb\r\nc\r\n"),
        ("folder/new file ü.sql", None, "-- +goose Up\n"),
        ('odd "name".sql', None, "x"),
        ("gone.txt", "x\n", None),
    ],
)
def test_git_applies_it(tmp_path: Path, path: str, before: str | None, after: str | None) -> None:
    git = shutil.which("git") or skip_or_fail("git is not installed")
    here = tmp_path / path.replace("/", "_")
    here.mkdir()
    if before is not None:
        (here / path).write_bytes(before.encode())
    subprocess.run([git, "init", "-q"], cwd=here, check=True)
    subprocess.run(
        [git, "-c", "core.autocrlf=false", "apply", "-"],
        cwd=here,
        check=True,
        input=unified_diff(path, before, after).encode(),
    )
    assert ((here / path).read_bytes() if (here / path).exists() else None) == (
        None if after is None else after.encode()
    )
