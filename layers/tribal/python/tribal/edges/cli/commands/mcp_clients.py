"""What MCP clients want in their settings, each in its own form.

Commands and folders are absolute: a desktop client has neither the shell's working directory nor its PATH.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

NAME = "tribal-knowledge"


class McpClient(StrEnum):
    """A client whose settings are known."""

    CLAUDE = "claude"
    VSCODE = "vscode"
    CURSOR = "cursor"
    DESKTOP = "desktop"


def client_settings(client: McpClient | None, command: list[str], url: str | None) -> dict[str, Any]:
    """The entry of this server: what `claude mcp add-json` and `code --add-mcp` take, and for others their file.

    Args:
        client: whose; without one, in the form that most share.
        command: starts the server on standard input and output.
        url: where it is served over HTTP; then nothing is started.

    Raises:
        ConfigurationError: when the client reads no such entry.
    """
    local = {"command": command[0], "args": command[1:]}
    typed: dict[str, Any] = {"type": "stdio", **local} if url is None else {"type": "http", "url": url}
    match client:
        case McpClient.CLAUDE:
            return typed
        case McpClient.VSCODE:
            return {"name": NAME, **typed}
        case McpClient.DESKTOP if url is not None:
            from tribal.errors import ConfigurationError

            raise ConfigurationError(
                "claude_desktop_config.json takes commands alone; add the address in Claude Desktop under Settings, "
                "Connectors, or leave out --url"
            )
    return {"mcpServers": {NAME: local if url is None else {"url": url}}}
