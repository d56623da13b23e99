"""Finds sentences by which a project forbids changes that a machine made.

A false finding costs a person one line of settings, a missed one costs the project's goodwill: what is unclear counts.
Source: docs/contracts.md, Contribution.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from tribal.capabilities.contribution.facts.sentences import Sentence, sentences
from tribal.capabilities.contribution.recipes.recipe import Files

_KEY_CHARS = 8
_LONGEST_QUOTE = 500
_LONGEST_DOCUMENT = 1_000_000
_FOLDERS = r"(?:docs/|\.github/)?"
_RULES = re.compile(
    rf"{_FOLDERS}(?:contributing|ai_policy|code_of_conduct|readme|pull_request_template)[^/]*"
    rf"|{_FOLDERS}pull_request_template/[^/]+",
    re.IGNORECASE,
)
_NO_TEXT = re.compile(r"\.(?:png|jpe?g|gif|svg|webp|ico|pdf|zip)$", re.IGNORECASE)

_MACHINE = re.compile(
    r"\b(?:ai|llms?|slms?|(?:chat)?gpts?(?:-?\d\w*)?|(?:large )?language models?|generative|gen-?ai|copilot"
    r"|claude|gemini|codex|cursor|devin|openai|anthropic|artificial(?:ly)? intelligen\w+|agentic|vibe[- ]?cod\w+|slop"
    r"|machine[- ](?:made|generated|written|authored|created|produced|translat\w+)|dependabot|renovate"
    r"|(?:coding|autonomous|software|code) (?:agent|assistant|bot|robot)s?|chat ?bots?|robots?)\b"
)
"""Words that mean machines that write."""
_MAYBE_MACHINE = re.compile(r"\b(?:\w+-)?(?:generated|generators?|automat(?:ed|ion|ically)|bots?|agents?|machines?)\b")
"""Words that often mean something else; they count where the sentence is about contributions."""
_ORDINARY = re.compile(
    r"\b(?:auto-?|automatically[- ])?generated (?:[\w-]+ ){0,2}?(?:files?|docs?|documentation|outputs?|artifacts?"
    r"|assets?|bundles?|clients?|bindings|migrations?|changelogs?|folders?|director(?:y|ies)|classes|headers?|types)\b"
    r"|\b(?:automated|automatic) (?:[\w-]+ ){0,2}?(?:tests?|testing|suites?|checks?|builds?|releases?|deploy\w*"
    r"|format\w*|lint\w*|pipelines?|process\w*|jobs?|workflows?|scripts?)\b"
    r"|\b(?:the|our|this|[\w-]*ci|github|gitlab|merge|release|review|stale|cla|dco) bot\b"
    r"|\b(?:the|our|this|user|monitoring|build|ssh)[- ]agents?\b"
    r"|\b(?:the|this|your|our|local|virtual|build|development) machines?\b|\bcode generators?\b"
)
"""Phrases with such a word that are about a project's own tools and what they write."""
_CONTRIBUTION = re.compile(
    r"\b(?:contribut\w*|pull[- ]?requests?|merge[- ]?requests?|prs?|mrs?|patch(?:es)?|commits?|committ\w+|submi\w+"
    r"|issues?|changes?|changesets?|code|content|texts?|comments?|reviews?|reports?|accounts?|posts?|descriptions?|translations?)\b"
)
_PROHIBITION = re.compile(
    r"\b(?:no|not|never|cannot|nor|neither|none|\w+n't|dont|cant|wont)\b"
    r"|\b(?:forbid\w*|forbade|prohibit\w*|ban(?:s|ned)?|disallow\w*|den(?:y|ied|ies)|reject(?:s|ed|ing|ion)?"
    r"|refus(?:es?|ed|al)|declin(?:es?|ed)|discourag\w+|unwelcome|unacceptable|clos(?:es?|ed)|delet(?:es?|ed)"
    r"|remov(?:es?|ed)|ignor(?:es?|ed)|block(?:s|ed)?|revert(?:s|ed)?|avoid|refrain\w*|abstain\w*|stop|exclud\w+"
    r"|spam\w*|zero[- ]tolerance|off[- ]limits|keep out|instead of|without human|only humans?|humans? only"
    r"|against (?:our|the|this project'?s?) (?:rules?|polic\w+|code))\b"
)
_PERMISSION = re.compile(
    r"\b(?:no|not|never|don't|doesn't|needn't)(?: \w+)? (?:a )?(?:need(?:ed)? to|problems?|forbid\w*|prohibited|banned"
    r"|required?|necessary|mind|restrict\w*|against|hesitate|only|worry|care|objections?|discouraged|obligat\w+)\b"
    r"|\b(?:need not|nothing against|no matter|if not|or not|no longer (?:forbidden|banned|prohibited))\b"
)
"""Phrases with such a word that forbid nothing."""
_ONLY_PEOPLE = re.compile(
    r"\b(?:written|made|authored|created|produced|opened|submitted|come|contributed)\b(?: \w+){0,3}? (?:by|from)"
    r"(?: \w+){0,2} (?:humans?|persons?|people)\b|\bhuman[- ](?:written|made|authored)\b"
)
_DISCLOSING = (
    r"(?:disclos|declar|label|mark(?:ed|ing)?\b|indicat|mention|acknowledg|attribut|credit|flag|stat(?:e|ed|ing)\b)"
)
_GAP = r"(?:(?!even\b|regardless\b|whether\b)[\w,'-]+ ){0,4}?"
_CONDITION = re.compile(
    rf"\b(?:without|unless) {_GAP}(?:un)?{_DISCLOSING}\w*"
    rf"|\bun(?:disclosed|declared|label\w+|marked|attributed|credited)\b"
    rf"|\b(?:that|which|who|if|when|where)\b(?: [\w'-]+){{0,3}}? (?:not|\w+n't|fails? to) {_GAP}{_DISCLOSING}\w*"
    rf"|\bfail(?:ure|ing)? to {_GAP}{_DISCLOSING}\w*|\bnot forget to {_GAP}{_DISCLOSING}\w*"
)
"""A prohibition that it governs only demands disclosure."""
_ALWAYS = re.compile(
    r"\beven (?:if|when|though|with)\b|\bregardless\b|\bwhether\b|\bor (?:not|otherwise)\b|\bno matter\b"
)
_BACK_REFERENCE = re.compile(r"\b(?:these|such|those|them|they|their|it|this|that|so|then|both|either)\b")

_EDITING = re.compile(
    r"\b(?:edit|modify|change|touch|update|format|lint|rename|alter|delete|remove|write|maintain)\w*\b(?!.*\b(?:contribut|"
    r"submi|pull|prs?\b|patch))|\bby hand\b|\bmanual(?:ly)?\b"
)


@dataclass(frozen=True, slots=True)
class Prohibition:
    """A line by which a project forbids changes that a machine made, or may do so."""

    path: str
    line: int
    """Where its sentence begins, from 1."""
    quote: str
    key: str
    """By which settings acknowledge it: the first 8 digits of the SHA-256 of the line without outer blanks."""


def rule_files(paths: Sequence[str]) -> list[str]:
    """Return the files that state a project's rules."""
    return [path for path in paths if _RULES.fullmatch(path) and not _NO_TEXT.search(path)]


def find_prohibitions(files: Files, acknowledged: Collection[str] = ()) -> list[Prohibition]:
    """Find the lines that forbid changes made by machines, without those that a person has acknowledged."""
    found = []
    for path in rule_files(files.paths):
        document = files.read(path)[:_LONGEST_DOCUMENT].decode("utf-8-sig", "replace")
        lines = document.split("\n")
        for number in forbidding_lines(document):
            line = lines[number - 1].strip()
            key = hashlib.sha256(line.encode()).hexdigest()[:_KEY_CHARS]
            if key not in acknowledged:
                found.append(Prohibition(path, number, line[:_LONGEST_QUOTE], key))
    return found


def forbidding_lines(document: str) -> list[int]:
    """Return the numbers of the lines where sentences begin that forbid changes made by machines."""
    found, previous = dict[int, None](), None
    for each in sentences(document):
        if _forbids(each, previous):
            found[each.line] = None
        previous = each
    return list(found)


def _forbids(sentence: Sentence, previous: Sentence | None) -> bool:
    text = sentence.text.lower()
    if _ONLY_PEOPLE.search(text):
        return True
    if not _PROHIBITION.search(_PERMISSION.sub(" ", text)) or _only_demands_disclosure(text):
        return False
    if _MACHINE.search(text) or _MACHINE.search(sentence.heading.lower()):
        return True
    if _MAYBE_MACHINE.search(_ORDINARY.sub(" ", text)) and _CONTRIBUTION.search(text) and not _is_about_editing(text):
        return True
    is_next = previous is not None and previous.paragraph == sentence.paragraph
    return bool(is_next and previous and _MACHINE.search(previous.text.lower()) and _BACK_REFERENCE.search(text))


def _only_demands_disclosure(text: str) -> bool:
    remaining, conditions = _CONDITION.subn(" ", text)
    if not conditions or _ALWAYS.search(text):
        return False
    return len(_PROHIBITION.findall(_PERMISSION.sub(" ", remaining))) <= 1


def _is_about_editing(text: str) -> bool:
    """Whether a sentence says how to treat what the project's own tools generate."""
    return bool(re.search(r"\bgenerat", text) and _EDITING.search(text))
