"""Writing a static site: where it may, and what a crash leaves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tribal.edges.cli.commands.site_folder import write_site
from tribal.errors import ConfigurationError, StoreUnwritable

PARTS = [("catalog", {"n": "</script><script>alert(1)</script>"}), ("tables-0", [])]


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_same_parts_make_the_same_bytes_in_any_folder(tmp_path: Path) -> None:
    write_site(tmp_path / "one", PARTS)
    first = contents(tmp_path / "one")
    write_site(tmp_path / "one", PARTS)
    write_site(tmp_path / "other", PARTS)
    assert contents(tmp_path / "one") == first == contents(tmp_path / "other")


def test_a_new_site_takes_the_place_of_the_old_one_and_leaves_nothing_of_it(tmp_path: Path) -> None:
    write_site(tmp_path, [*PARTS, ("tables-1", [])])
    write_site(tmp_path, PARTS)
    (folder,) = [path for path in tmp_path.iterdir() if path.is_dir()]
    files = sorted(path.name for path in folder.iterdir())
    assert files == ["catalog.js", "graph.js", "page.css", "page.js", "tables-0.js"]
    assert f'src="{folder.name}/page.js"' in (tmp_path / "index.html").read_text()


def test_a_folder_with_anything_else_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "letters.txt").write_text("mine")
    with pytest.raises(ConfigurationError, match=r"letters\.txt"):
        write_site(tmp_path, PARTS)
    assert contents(tmp_path) == {"letters.txt": b"mine"}
    site = tmp_path / "site"
    write_site(site, PARTS)
    (site / "letters.txt").write_text("mine")
    with pytest.raises(ConfigurationError, match=r"letters\.txt"):
        write_site(site, [])


def test_a_site_that_is_not_written_to_its_end_leaves_the_old_one_whole(tmp_path: Path) -> None:
    write_site(tmp_path, PARTS)
    before = contents(tmp_path)

    def broken() -> Iterator[tuple[str, object]]:
        yield "catalog", {}
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_site(tmp_path, broken())
    assert contents(tmp_path) == before
    write_site(tmp_path, PARTS)
    assert contents(tmp_path) == before


def test_a_first_site_that_fails_leaves_no_folder_and_empties_one_that_was_there(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for folder in (tmp_path / "new", tmp_path / "empty"):
        with pytest.raises(ZeroDivisionError):
            write_site(folder, ((name, 1 // 0) for name in ("catalog",)))
    assert [path.name for path in tmp_path.rglob("*")] == ["empty"]
    write_site(tmp_path / "new", PARTS)
    assert (tmp_path / "new" / "index.html").exists()


def test_where_nothing_can_be_written_the_message_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreUnwritable, match="site cannot be written"):
        write_site(tmp_path / "file" / "site", PARTS)


def test_no_text_of_a_part_ends_its_script(tmp_path: Path) -> None:
    write_site(tmp_path, PARTS)
    (part,) = tmp_path.rglob("catalog.js")
    assert b"<" not in part.read_bytes()
