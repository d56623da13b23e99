"""The settings of the scenario, the same in both places."""

from __future__ import annotations

from typing import Any

from tests.fakes.github.server import READ_TOKEN, WRITE_TOKEN, FakeGitHub
from tests.fakes.issuer import AUDIENCE, CLAIM

KEY = "sk-test-of-the-company-0001"
PROJECT, TEAM = "company", "returns"
MODEL_SECRET, READ_SECRET, WRITE_SECRET = "openai", "migrations-read", "migrations-write"
SECRETS = {MODEL_SECRET: KEY, READ_SECRET: READ_TOKEN, WRITE_SECRET: WRITE_TOKEN}
_WORK = [
    *("documentation:read", "memory:read", "memory:write", "memory:write:project", "knowledge:read", "knowledge:sync"),
    *("interrogation:read", "interrogation:start", "chat:ask", "collections:write"),
    *("contribution:read", "contribution:prepare"),
]
RIGHTS = {"work": _WORK, "approve": ["contribution:read", "contribution:approve"]}
CALLERS: dict[str, dict[str, Any]] = {
    "ada": {"teams": [TEAM], CLAIM: ["company"], "scope": "work"},
    "bea": {"teams": ["sales"], CLAIM: ["company.sales"], "scope": "work"},
    "cem": {"teams": [TEAM], CLAIM: ["company"], "scope": "approve"},
}
"""Claims of the tokens of those who call the API."""


def auth(issuer: str) -> dict[str, Any]:
    """How tokens of an issuer are read."""
    return {
        "issuer": issuer,
        "audience": [AUDIENCE],
        "scope_claim": CLAIM,
        "teams_claim": "teams",
        "projects_claim": "projects",
        "rights": RIGHTS,
    }


def sections(vendor: str, github: FakeGitHub, folder: str = "") -> dict[str, Any]:
    """The sections of capabilities, and the models; secrets are in a folder."""
    key = {"provider": "openai", "api_key_secret": folder + MODEL_SECRET, "base_url": vendor}
    embedding = {"provider": "gemini", "name": "gemini-embedding-001", "base_url": vendor}
    return {
        "model": {"use": "small", "accept_unfit": True},
        "models": {"small": key | {"name": "gpt-6-luna"}, "large": key | {"name": "gpt-6-sol"}},
        "interrogation": {"detectives": ["large", "small"]},
        "collections": [
            {"name": "manuals", "layer": "team", "owner": TEAM, "models": ["small"]},
            {"profile": "tutor", "embedding": embedding | {"api_key_secret": folder + MODEL_SECRET}},
        ],
        "chat": {"questions_per_minute": 1_000},
        "contribution": {
            "limits": {"open": 30, "per_day": 30},
            "repositories": [
                {
                    "name": "migrations",
                    "url": github.page,
                    "api_url": github.api,
                    "tarball_host": github.tarball_host,
                    "databases": ["company"],
                    "read_secret": folder + READ_SECRET,
                    "write_secret": folder + WRITE_SECRET,
                }
            ],
        },
    }
