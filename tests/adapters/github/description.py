"""GitHub's description of its API: which route of the stand-in is which operation, and what its answers must have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_REPOSITORY = "/repos/{owner}/{repo}"
OPERATIONS: Mapping[str, tuple[str, str]] = {
    "app_token": ("post", "/app/installations/{installation_id}/access_tokens"),
    "repository": ("get", _REPOSITORY),
    "ref": ("get", f"{_REPOSITORY}/git/ref/{{ref}}"),
    "commit": ("get", f"{_REPOSITORY}/git/commits/{{commit_sha}}"),
    "tree": ("get", f"{_REPOSITORY}/git/trees/{{tree_sha}}"),
    "blob": ("get", f"{_REPOSITORY}/git/blobs/{{file_sha}}"),
    "compare": ("get", f"{_REPOSITORY}/compare/{{basehead}}"),
    "add_blob": ("post", f"{_REPOSITORY}/git/blobs"),
    "add_tree": ("post", f"{_REPOSITORY}/git/trees"),
    "add_commit": ("post", f"{_REPOSITORY}/git/commits"),
    "add_ref": ("post", f"{_REPOSITORY}/git/refs"),
    "move_ref": ("patch", f"{_REPOSITORY}/git/refs/{{ref}}"),
    "pulls": ("get", f"{_REPOSITORY}/pulls"),
    "open_pull": ("post", f"{_REPOSITORY}/pulls"),
    "pull": ("get", f"{_REPOSITORY}/pulls/{{pull_number}}"),
    "pull_files": ("get", f"{_REPOSITORY}/pulls/{{pull_number}}/files"),
    "reviews": ("get", f"{_REPOSITORY}/pulls/{{pull_number}}/reviews"),
    "line_comments": ("get", f"{_REPOSITORY}/pulls/{{pull_number}}/comments"),
    "issue": ("get", f"{_REPOSITORY}/issues/{{issue_number}}"),
    "comments": ("get", f"{_REPOSITORY}/issues/{{issue_number}}/comments"),
    "add_labels": ("post", f"{_REPOSITORY}/issues/{{issue_number}}/labels"),
    "add_comment": ("post", f"{_REPOSITORY}/issues/{{issue_number}}/comments"),
    "add_line_reply": ("post", f"{_REPOSITORY}/pulls/{{pull_number}}/comments/{{comment_id}}/replies"),
    "check_runs": ("get", f"{_REPOSITORY}/commits/{{ref}}/check-runs"),
    "status": ("get", f"{_REPOSITORY}/commits/{{ref}}/status"),
    "workflow_runs": ("get", f"{_REPOSITORY}/actions/runs"),
}
PATHS = sorted({path for _, path in OPERATIONS.values()})
_EXAMPLES: Mapping[str, Any] = {
    "uri": "https://github.example/x",
    "date-time": "2026-11-24T10:00:00Z",
    "email": "a@example.com",
}
_EMPTY: Mapping[str, Any] = {"integer": 1, "number": 1.0, "boolean": False, "string": "x", "array": [], "object": {}}


class Description:
    """The description, which completes answers of the stand-in.

    What the stand-in says is left as it is, so that it is checked; what it leaves out, and no one reads, is added.

    Args:
        document: the parsed description.
    """

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = document

    def complete(self, route: str, status: int, body: Any) -> Any:
        """Add to an answer what the description requires besides."""
        method, path = OPERATIONS[route]
        answer = self._resolved(self._document["paths"][path][method]["responses"][str(status)])
        return self._filled(answer["content"]["application/json"]["schema"], body)

    def _resolved(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        while "$ref" in schema:
            _, section, kind, name = schema["$ref"].split("/")
            schema = self._document[section][kind][name]
        return schema

    def _filled(self, schema: Mapping[str, Any], value: Any) -> Any:
        """A value with all that its schema requires."""
        schema = self._resolved(schema)
        for each in schema.get("allOf", ()):
            value = self._filled(each, value)
        choices = [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
        if choices:
            value = self._filled(choices[0], value)
        if isinstance(value, dict):
            members = schema.get("properties", {})
            known = {name: self._filled(members[name], each) for name, each in value.items() if name in members}
            added = {
                name: self._example(members.get(name, {})) for name in schema.get("required", ()) if name not in value
            }
            return {**value, **known, **added}
        if isinstance(value, list):
            return [self._filled(schema.get("items", {}), each) for each in value]
        return value

    def _example(self, schema: Mapping[str, Any]) -> Any:
        """The smallest value of a schema."""
        schema = self._resolved(schema)
        kinds = schema.get("type", "object")
        kinds = [kinds] if isinstance(kinds, str) else kinds
        if schema.get("nullable") or "null" in kinds:
            return None
        if schema.get("enum"):
            return schema["enum"][0]
        if kinds[0] == "string":
            return _EXAMPLES.get(schema.get("format", ""), "x")
        return self._filled(schema, _EMPTY[kinds[0]])
