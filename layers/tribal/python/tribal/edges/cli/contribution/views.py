"""Contributions on a terminal: every text is data, and control characters are shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from tribal.edges.cli.console import counted, print_json
from tribal.edges.cli.hints import with_typed_commands
from tribal.rendering.markdown import one_line, show_invisible
from tribal.rendering.words import shorten

if TYPE_CHECKING:
    from tribal.edges.cli.contribution.clients import Shown, Status
    from tribal.edges.cli.hints import Place
    from tribal_contracts.contribution.cycles import Publication
    from tribal_contracts.contribution.handoffs import Check
    from tribal_contracts.contribution.tools import (
        ContributionOutput,
        ListContributionsOutput,
        ListedDescription,
        OfferState,
    )

_CLOSED: frozenset[OfferState] = frozenset(("merged", "applied"))
_LONGEST_TEXT = 100
_MOST_LINES = 5
"""Of the output of a check that passed."""


def print_list(found: ListContributionsOutput, *, every: bool, limit: int) -> None:
    """The offers, what speaks against others, and repositories with a problem."""
    shown = [each for each in found.descriptions if every or each.state not in _CLOSED]
    for each in shown[:limit]:
        _print(f"{each.state.replace('_', ' '):12} {_name(each)}: {shorten(one_line(each.text), _LONGEST_TEXT)}")
        note = _note(each)
        if note:
            _print(f"{'':12} {note}")
    if len(shown) > limit or found.truncated:
        _print("... more with --limit, or with --table")
    for repository in found.repositories:
        if repository.problem is not None:
            _print(f"{repository.name} ({repository.database}): {repository.problem}")
    if found.counts or not any(each.problem for each in found.repositories):
        _print(_summary(found))


def _name(each: ListedDescription) -> str:
    return f"{each.table}.{each.column}" if each.column is not None else each.table


def _note(each: ListedDescription) -> str:
    if each.state == "conflict":
        return f"{each.where} says: {shorten(one_line(each.repository_says or ''), _LONGEST_TEXT)}"
    if each.state in ("proposed", "declined"):
        return f"contribution {each.cycle}"
    questions = f"{counted(each.questions, 'question')} cannot be answered without it" if each.questions else ""
    return each.reason or questions


def _summary(found: ListContributionsOutput) -> str:
    if not found.counts:
        return "No description is waiting: annotate a table, or run `tribal run` first."
    said = ", ".join(f"{count} {state.replace('_', ' ')}" for state, count in found.counts.items())
    hint = "" if found.counts.get("open") else "; nothing to contribute"
    return f"{said}{hint}"


def print_contribution(found: ContributionOutput, place: Place, *, as_json: bool, brief: bool = False) -> None:
    """A contribution: what would be published, its checks and warnings, and what to do next."""
    if as_json:
        print_json(found)
        return
    if not brief:
        _print_whole(found)
    for each in found.blockers:
        _print(f"blocked: {one_line(each)}")
    for each in found.left_to_you:
        _print(f"left to you: {one_line(each)}")
    state = found.state if found.outcome is None else found.outcome
    _print(f"Contribution {found.cycle} is {state}. {with_typed_commands(found.message, place)}".rstrip())


def print_review(shown: Shown) -> None:
    """What a person is asked to approve, on standard error as the question is."""
    _print_whole(shown.contribution, err=True)
    _print(f"Hash: {shown.sha256}", err=True)


def print_followed(followed: Sequence[ContributionOutput], place: Place, *, as_json: bool) -> None:
    """What became of contributions."""
    if as_json:
        print_json({"success": True, "cycles": [each.model_dump() for each in followed]})
        return
    if not followed:
        _print("No contribution is published and open.")
    for each in followed:
        print_contribution(each, place, as_json=False, brief=True)


def print_status(found: Status, place: Place) -> None:
    """All contributions, newest first."""
    for each in found.lines:
        _print(f"{each.cycle:4}  {each.state:10} {each.repository}: {each.title}")
        if each.reason:
            _print(f"{'':17}{with_typed_commands(one_line(each.reason), place)}")
    _print(
        ", ".join([counted(len(found.lines), "contribution"), *found.counts])
        if found.lines
        else with_typed_commands("Nothing was prepared yet; start with `tribal contribute prepare`.", place)
    )


def _print_whole(found: ContributionOutput, *, err: bool = False) -> None:
    if found.publication is not None:
        _print_publication(found, found.publication, err=err)
    if found.diff:
        _print(found.diff.rstrip("\n"), err=err)
        _print("", err=err)
    for check in found.checks:
        _print_check(check, err=err)
    for warning in found.warnings:
        _print(f"warning: {one_line(warning)}", err=err)
    if found.sha256 is not None and not err:
        _print(f"Hash: {found.sha256}")


def _print_check(check: Check, *, err: bool) -> None:
    """A check: one line of output next to it, or the end of a longer one below it."""
    lines = check.output.strip().splitlines()
    command = f", {check.command}" if check.command else ""
    aside = f" ({lines[0].strip()})" if len(lines) == 1 or check.status == "not_run" else ""
    _print(f"check {check.name}: {check.status.replace('_', ' ')}{command}{aside}", err=err)
    if len(lines) > 1:
        shown = {"passed": lines[-_MOST_LINES:], "not_run": lines[1:]}.get(check.status, lines)
        _print(_indented("\n".join(shown)).rstrip("\n"), err=err)


def _print_publication(found: ContributionOutput, publication: Publication, *, err: bool) -> None:
    target = publication.target
    origin = "" if target.url in ("", target.location) else f", origin {target.url}"
    where = f"{target.location} ({target.visibility}){origin}"
    _print(f"Target: {where}, branch {publication.branch} from {publication.base_branch}", err=err)
    if publication.author:
        _print(f"Author: {publication.author}", err=err)
    for message in publication.messages:
        _print("Commit message:", err=err)
        _print(_indented(message), err=err)
    for each in found.answers:
        _print(f'Reply to {each.author}, "{each.quote}":', err=err)
        _print(_indented(each.reply), err=err)
    if not found.answers:
        labels = f" [{', '.join(publication.labels)}]" if publication.labels else ""
        _print(f"{'Draft' if publication.draft else 'Title'}: {publication.title}{labels}", err=err)
        _print("Text:", err=err)
        _print(_indented(publication.body), err=err)


def _indented(text: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in text.rstrip("\n").split("\n")) + "\n"


def _print(text: str, *, err: bool = False) -> None:
    r"""Print text as it is; control characters are shown as `\u001B`."""
    typer.echo(show_invisible(text, keep="\n\t"), err=err)
