"""How the commands of a page are read, and their output compared."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.cases import each_case
from tests.docs.blocks import Command, blocks_of
from tests.docs.names import Names
from tests.docs.shell import Shell

PAGE = """\
````console
$ tribal recall "a" \\
    --limit 1
```sql
SELECT 1
```
$ tribal status
````

```sh
# twice
tribal plan  # once

tribal run
```

```yaml databases.yaml
memory:
```
"""


def test_the_commands_of_a_page_are_read_with_what_it_shows_of_their_output() -> None:
    console, sh, file = blocks_of(PAGE, "x.md")
    assert list(console.commands) == [
        Command('tribal recall "a" \\\n    --limit 1', "```sql\nSELECT 1\n```\n"),
        Command("tribal status", ""),
    ]
    assert list(sh.commands) == [Command("tribal plan  # once", None), Command("tribal run", None)]
    assert (file.place, file.file, file.text, list(file.commands)) == ("x.md:17", "databases.yaml", "memory:\n", [])


@each_case(
    ("shown", "printed"),
    [
        ("one\n...\nfour", "one\ntwo\nthree\nfour\n"),
        ("one\n...\nfour", "one\nfour"),
        ("a ... d", "a b c d"),
        ("on 2026-11-20 in 1.5 s, at 2026-11-20T02:45:00Z", "on 2027-01-01 in 12 s, at 2027-01-01T00:00:00.5Z"),
        ("mem_3d0ae9e7a262", "mem_aa55866c4dee"),
        ("serving http://127.0.0.1:8080/", "serving http://127.0.0.1:4711/"),
    ],
)
def test_output_matches_where_only_ids_times_and_addresses_differ(shown: str, printed: str) -> None:
    names = Names()
    names.learn(":8080", ":4711")
    assert names.match(shown, printed)


@each_case(
    ("shown", "printed"),
    [
        ("one", "two"),
        ("one", "one\ntwo"),
        ("one\ntwo", "one"),
        ("3 tables", "4 tables"),
        ("1.5 s", "2026-11-20"),
        ("mem_3d0ae9e7a262", "mem_aa55866c4d"),
        ("3d0ae9e7 3d0ae9e7", "aa55866c bb55866c"),
        ("3d0ae9e7", "(nothing)"),
        ("http://127.0.0.1:8080/", "http://127.0.0.1:4712/"),
    ],
)
def test_any_other_difference_is_one(shown: str, printed: str) -> None:
    names = Names()
    names.learn(":8080", ":4711")
    assert not names.match(shown, printed)


def test_an_id_that_was_shown_means_the_one_of_this_run() -> None:
    names = Names()
    assert names.match("id: mem_3d0ae9e7a262", "id: mem_aa55866c4dee")
    assert names.actual("tribal forget mem_3d0ae9e7a262") == "tribal forget mem_aa55866c4dee"
    assert names.match("forgot mem_3d0ae9e7a262", "forgot mem_aa55866c4dee")
    assert not names.match("forgot mem_3d0ae9e7a262", "forgot mem_3d0ae9e7a262")


@each_case(
    ("page", "message"),
    [
        ("```console\n$ echo a\nb\n```\n", "x.md:1: $ echo a\nexit code 0\na\n"),
        ("\n```sh\nfalse\n```\n", "x.md:2: $ false\nexit code 1\n"),
        ("```console\n$ echo error: a\n...\n```\n", "x.md:1: $ echo error: a\nexit code 0\nerror: a\n"),
        ("```console\nb\n```\n", "x.md:1: the block does not start with a command"),
    ],
)
def test_a_command_fails_unless_it_does_what_the_page_shows(page: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError) as failed:
        Shell(tmp_path, Names()).play(blocks_of(page, "x.md"))
    assert str(failed.value).startswith(message)


def test_files_are_written_and_sections_of_yaml_replaced(tmp_path: Path) -> None:
    page = "```yaml a/x.yaml\nb: 1\nc: {d: 1}\n```\n```yaml a/x.yaml\nc: {e: 2}\n```\n"
    Shell(tmp_path, Names()).play(blocks_of(page, "x.md"))
    assert yaml.safe_load((tmp_path / "a" / "x.yaml").read_text()) == {"b": 1, "c": {"e": 2}}
