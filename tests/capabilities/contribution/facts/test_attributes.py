"""Attributes are read as git reads them; files that an edit of stored bytes would spoil are refused."""

from __future__ import annotations

from pathlib import Path

from tests.adapters.git.clones import git
from tests.capabilities.contribution.mapped_files import MappedFiles
from tests.cases import each_case
from tribal.capabilities.contribution.facts.attributes import attributes_of, edit_problem

POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n"
ATTRIBUTES = {
    ".gitattributes": "# all\n* text=auto\n*.sql text eol=lf\n*.bat eol=crlf\n*.png binary\n/top.sql -text\n"
    "db/**/v*.sql filter=lfs diff=lfs\n**/deep/x.sql ident\nraw/** -text\n[ab]?.txt !text\n"
    '"a b.sql" filter=x\nc[[:space:]]d.sql filter=y\n!*.md filter=z\nfolder/ filter=f\nsub/*.txt whitespace=tab\n'
    "[attr]large filter=lfs -text\n*.parquet large\n*.old -large\n",
    "db/.gitattributes": "*.sql -filter\nlegacy/*.sql text=auto !eol\n",
    "db/v1/.gitattributes": "v2.sql filter=own\r\n",
}
PATHS = [
    "top.sql",
    "sub/top.sql",
    "sub/x.txt",
    "sub/deep/x.txt",
    "db/v1.sql",
    "db/a/b/v1.sql",
    "db/v1/v2.sql",
    "db/v1/v3.sql",
    "db/legacy/x.sql",
    "deep/x.sql",
    "a/b/deep/x.sql",
    "raw/a/b.txt",
    "a b.sql",
    "c d.sql",
    "ab.txt",
    "abc.txt",
    "x.md",
    "folder/x",
    "run.bat",
    "logo.png",
    "raw",
    "x.parquet",
    "x.old",
]


def test_attributes_are_those_that_git_reports(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    for path, text in ATTRIBUTES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(text.encode())
    files = MappedFiles({path: text.encode() for path, text in ATTRIBUTES.items()})
    for path in PATHS:
        reported = (line.rsplit(": ", 2) for line in git(tmp_path, "check-attr", "--all", "--", path).splitlines())
        assert attributes_of(files, path) == {name: state for _, name, state in reported}, path


@each_case(
    "attributes, path, content, problem",
    [
        ("", "a.sql", b"x\n", None),
        ("", "a.sql", None, None),
        ("", "a.sql", b"x\r\ny\r\n", None),
        ("", "a.sql", b"", None),
        ("", "a.sql", b"x\r\ny\n", "different ways"),
        ("", "a.sql", b"x\ry\n", "different ways"),
        ("*.sql -text", "a.sql", b"x\r\ny\n", None),
        ("*.sql binary", "a.sql", b"x\r\ny\n", None),
        ("*.sql text", "a.sql", b"x\r\ny\r\n", "renormalize"),
        ("*.sql eol=crlf", "a.sql", b"x\r\ny\r\n", "renormalize"),
        ("*.sql text eol=crlf", "a.sql", b"x\ny\n", None),
        ("* text=auto", "a.sql", b"x\r\ny\r\n", None),
        ("* text=auto eol=lf", "a.sql", b"x\r\ny\r\n", None),
        ("*.sql filter=lfs diff=lfs merge=lfs -text", "a.sql", None, "filter 'lfs'"),
        ("*.sql filter=lfs", "a.sql", POINTER, "Git LFS"),
        ("", "a.sql", POINTER, "Git LFS"),
        ("*.sql filter=crypt\n*.sql -filter", "a.sql", b"x\n", None),
        ("*.sql filter=crypt\n*.sql !filter", "a.sql", b"x\n", None),
        ("*.md filter=crypt", "a.sql", b"x\n", None),
        ("[attr]large filter=lfs\n*.sql large", "a.sql", b"x\n", "filter 'lfs'"),
        ("*.sql filter", "a.sql", b"x\n", "filter 'set'"),
    ],
)
def test_a_file_that_cannot_be_edited_as_it_is_stored_is_refused(
    attributes: str, path: str, content: bytes | None, problem: str | None
) -> None:
    found = edit_problem(MappedFiles({".gitattributes": attributes.encode()}), path, content)
    assert (found is None) == (problem is None)
    assert (problem or "") in (found or "")


def test_a_repository_without_attributes_has_none() -> None:
    assert attributes_of(MappedFiles({"a/b": b""}), "a/b") == {}
