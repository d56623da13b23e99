"""Answers to questions about the sample company, as Markdown: what `tribal ask` says without a model."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from tribal.app.local import local_application
from tribal.edges.local_caller import local_caller
from tribal.rendering.markdown import escape_text, fence
from tribal.settings import load_settings
from tribal.tools.call import call_tool
from tribal.tools.registry import EVERYTHING
from tribal_contracts.answering.answers import Answer

QUESTIONS = Path(__file__).with_name("questions.txt")
_HEADING = "# "
_INTRODUCTION = """# What answers look like

`make samples` asked these questions about the sample company with `tribal ask`, without a model. Sources are left out
here; each line has one.
"""


def answers_page(project: Path) -> str:
    """Ask every question of a documented project."""
    settings = load_settings(project=project, needs_databases=False)
    with closing(local_application(settings, limits=False)) as app:
        caller = local_caller(settings)
        parts = [_INTRODUCTION]
        for line in QUESTIONS.read_text(encoding="utf-8").splitlines():
            if line.startswith(_HEADING):
                parts.append(f"## {line.removeprefix(_HEADING)}\n")
            else:
                answer = call_tool("ask", {"question": line}, caller, app, EVERYTHING)
                assert isinstance(answer, Answer), f"{line}: {answer}"
                parts.append("\n".join(_answer(line, answer)) + "\n")
    return "\n".join(parts)


def _answer(question: str, answer: Answer) -> Iterator[str]:
    yield f"**{escape_text(question)}**"
    yield ""
    if answer.governor_reason:
        yield escape_text(answer.governor_reason)
    for each in answer.statements:
        yield f"- {escape_text(each.text)}"
    if answer.unexplained and answer.verdict == "partly":
        yield f"- Not documented: {', '.join(answer.unexplained)}"
    if answer.sql:
        yield f"\n{fence(answer.sql, 'sql')}"
