"""Settings entries for MCP clients, each in the client's format.

Commands and folders are absolute: a desktop client has neither the shell's working directory nor its PATH.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

NAME = "tribal-knowledge"


class McpClient(StrEnum):
    """A client whose settings format is known."""

    CLAUDE = "claude"
    VSCODE = "vscode"
    CURSOR = "cursor"
    DESKTOP = "desktop"


def client_settings(client: McpClient | None, command: list[str], url: str | None) -> dict[str, Any]:
    """The entry for this server: input of `claude mcp add-json` or `code --add-mcp`, or the content of a settings file.

    Args:
        client: the client; `None` for the format that most clients share.
        command: starts the server on standard input and output.
        url: the address of a running server, used instead of the command.

    Raises:
        ConfigurationError: when the client does not support the entry.
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
                "claude_desktop_config.json supports only commands; add the URL in Claude Desktop under Settings, "
                "Connectors, or leave out --url"
            )
    return {"mcpServers": {NAME: local if url is None else {"url": url}}}
