"""Answers `knowledge_check`: files, dependencies and documented tables against what was decided."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from tribal.errors import KnowledgeInputInvalid
from tribal.knowledge.reading_snapshot import Shelf
from tribal.policies.checking import Rule, check
from tribal.policies.dependencies import spellings
from tribal.policies.gathering import Beside, picture_of
from tribal.policies.picture import Named, SourceFile
from tribal_contracts.knowledge import KnowledgeCheckInput, KnowledgeCheckOutput, Target


def check_request(request: KnowledgeCheckInput, shelf: Shelf, beside: Beside) -> KnowledgeCheckOutput:
    """Whether what a request shows keeps what was decided.

    Raises:
        KnowledgeInputInvalid: when a path comes twice.
        KnowledgeNotFound: when an item that it names is not there.
    """
    files = [SourceFile(_path(each.path), each.content) for each in request.files or ()]
    named = [Named(spellings(each.name)) for each in request.dependencies or ()]
    paths = [each.path for each in files]
    if len(set(paths)) < len(paths):
        twice = next(path for path in paths if paths.count(path) > 1)
        raise KnowledgeInputInvalid(f"files: {twice!r} comes twice")
    rules = rules_of(shelf, request.knowledge_item_ids)
    return checked(files, replace(beside, dependencies=named), rules, request)


def checked(
    files: Sequence[SourceFile], beside: Beside, rules: Sequence[Rule], request: KnowledgeCheckInput
) -> KnowledgeCheckOutput:
    """The answer over these files and what is beside them."""
    needed: set[Target] = {rule.constraint.target for rule in rules}
    picture, warnings = picture_of(files, beside, needed, is_complete=request.complete)
    return check(rules, picture, request.min_severity, warnings)


def rules_of(shelf: Shelf, ids: Collection[str] | None) -> list[Rule]:
    """The constraints to check: of accepted items, or of the named ones whatever their status.

    Of several items with one id the most specific counts, and of the less specific ones what blocks.

    Raises:
        KnowledgeNotFound: when a named item is not there.
    """
    known = {shelf.item(number).id for number in shelf.seen}
    unknown = next((each for each in ids or () if each not in known), None)
    if unknown is not None:
        raise shelf.missing(unknown)
    first = set(shelf.first())
    rules: list[Rule] = []
    for number in shelf.seen:
        item = shelf.item(number)
        if item.id in ids if ids is not None else item.status == "accepted":
            own = [Rule(item.id, item.title, item.severity, each) for each in item.constraints]
            rules += own if number in first else [each for each in own if each.severity == "block"]
    return rules


def _path(path: str) -> str:
    """A path as globs compare it: relative, with `/`.

    Raises:
        KnowledgeInputInvalid: when it leads elsewhere.
    """
    parts = [part for part in path.replace("\\", "/").split("/") if part not in ("", ".")]
    if ".." in parts or not parts:
        raise KnowledgeInputInvalid(f"files: the path {path[:100]!r} leads elsewhere; give it relative to the project")
    return "/".join(parts)
