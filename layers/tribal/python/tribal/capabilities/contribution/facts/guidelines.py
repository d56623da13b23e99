"""Reads what a project asks of contributions: documents, signatures, agreements and conventions."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tribal.capabilities.contribution.facts.documents import community_file, nested, read_json, read_text, read_toml
from tribal.capabilities.contribution.facts.sentences import sentences
from tribal.capabilities.contribution.recipes.recipe import Files

_LONGEST_GUIDELINES = 2_000
"""Source: docs/contracts.md, Contribution."""
CONVENTIONAL = "Conventional Commits"
_NEGATION = re.compile(r"\b(?:no|not|never|without|\w+n't)\b", re.IGNORECASE)
_SIGN_OFF = re.compile(
    r"signed-off-by|developer'?s? certificate of origin|\bDCO\b|(?-i:\bcommit (?:-s\b|--signoff\b))"
    r"|\bsign[- ]off (?:on )?(?:your|each|every|all)\b",
    re.IGNORECASE,
)
_AGREEMENT = re.compile(r"\bI?CLAs?\b|\bcontribut(?:or|ion)s?'? licen[cs]e agreements?\b", re.IGNORECASE)
_SIGNED = re.compile(
    r"\b(?:GPG|PGP|SSH|cryptographically)[- ]sign\w*|\b[Ss]igned commits\b|\bcommit -S\b|\bverified signatures?\b"
)
_AGREEMENT_FILES = re.compile(
    r"\.clabot|(?:docs/|\.github/)?(?:ICLA|CLA)(?:\.\w+)?|\.github/workflows/(?:.*[-_])?cla(?:[-_].*)?\.ya?ml",
    re.IGNORECASE,
)
_CONVENTIONAL_FILES = re.compile(
    r"commitlint\.config\.\w+|\.commitlintrc(?:\.\w+)?|\.releaserc(?:\.\w+)?|release\.config\.\w+|\.czrc|\.cz\.toml"
)
_CONVENTIONAL_TEXT = re.compile(r"conventional[- ]?commits?\b", re.IGNORECASE)
_BRANCH = re.compile(r"\bbranch[^\n`]{0,80}`([\w<>{}*.-]+/[\w<>{}*./-]+)`", re.IGNORECASE)
_LICENSES = {
    "AGPL-3.0": r"gnu affero general public license version 3",
    "LGPL-2.1": r"gnu lesser general public license version 2\.1",
    "LGPL-3.0": r"gnu lesser general public license version 3",
    "GPL-2.0": r"gnu general public license version 2",
    "GPL-3.0": r"gnu general public license version 3",
    "Apache-2.0": r"apache license,? version 2\.0",
    "MPL-2.0": r"mozilla public license,? version 2\.0",
    "EPL-2.0": r"eclipse public license - v 2\.0",
    "CC0-1.0": r"cc0 1\.0 universal",
    "Unlicense": r"this is free and unencumbered software",
    "BSL-1.0": r"boost software license - version 1\.0",
    "BSD-3-Clause": r"redistribution and use in source and binary forms.*neither the name",
    "BSD-2-Clause": r"redistribution and use in source and binary forms",
    "ISC": r"permission to use, copy, modify, and(?:/or)? distribute",
    "MIT": r"permission is hereby granted, free of charge",
}
"""SPDX identifiers by a phrase of the text in small letters; the first that is found counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Guidelines:
    """What a project asks of contributions. A requirement is the place that states it, or empty."""

    path: str
    """Of the contributing guidelines."""
    text: str
    """Their first 2,000 characters."""
    template_path: str
    template: str
    """Of pull requests."""
    code_owners: str
    """The file's path."""
    changelog: str
    """The file's path."""
    sign_off: str
    """Where a sign-off (DCO) is required, such as `CONTRIBUTING.md:12`."""
    agreement: str
    """Where an agreement (CLA) is required."""
    signed_commits: str
    """Where commits with a signature are required."""
    license: str
    """SPDX identifier; empty if unknown."""
    commit_convention: str
    branch_naming: str


def guidelines_of(files: Files) -> Guidelines:
    """Read what a project asks of contributions; what no file states is empty."""
    paths = files.paths
    path = community_file(paths, ["contributing"])
    text = read_text(files, path)
    templates = (each for each in paths if each.lower().startswith(".github/pull_request_template/"))
    template = community_file(paths, ["pull_request_template"]) or next(templates, None)
    return Guidelines(
        path=path or "",
        text=text[:_LONGEST_GUIDELINES],
        template_path=template or "",
        template=read_text(files, template),
        code_owners=community_file(paths, ["codeowners"]) or "",
        changelog=community_file([each for each in paths if "/" not in each], ["changelog", "changes", "history"])
        or "",
        sign_off=".github/dco.yml" if ".github/dco.yml" in paths else _stated(path, text, _SIGN_OFF),
        agreement=next((each for each in paths if _AGREEMENT_FILES.fullmatch(each)), "")
        or _stated(path, text, _AGREEMENT),
        signed_commits=_stated(path, text, _SIGNED),
        license=_license(files),
        commit_convention=CONVENTIONAL if _is_conventional(files, text) else "",
        branch_naming=found[1] if (found := _BRANCH.search(text)) else "",
    )


def _stated(path: str | None, text: str, form: re.Pattern[str]) -> str:
    """Return where a sentence requires something; one with a negation does not."""
    for each in sentences(text):
        if form.search(each.text) and not _NEGATION.search(each.text):
            return f"{path}:{each.line}"
    return ""


def _license(files: Files) -> str:
    root = [each for each in files.paths if "/" not in each]
    path = community_file(root, ["license", "licence", "copying", "unlicense", "license-mit", "license-apache"])
    text = " ".join(read_text(files, path).lower().split())
    return next((name for name, form in _LICENSES.items() if re.search(form, text)), "")


def _is_conventional(files: Files, text: str) -> bool:
    package, tools = read_json(files, "package.json"), nested(read_toml(files, "pyproject.toml"), "tool") or {}
    return (
        any(_CONVENTIONAL_FILES.fullmatch(path) for path in files.paths)
        or not {"commitlint", "release"}.isdisjoint(package)
        or not {"commitizen", "semantic_release"}.isdisjoint(tools)
        or any(_CONVENTIONAL_TEXT.search(each.text) and not _NEGATION.search(each.text) for each in sentences(text))
        or "conventionalcommits.org" in text
    )
