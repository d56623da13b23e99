"""Which command serves which tool; so light that a command line can ask for it at every start."""

from __future__ import annotations


class ToolCommand:
    """A tool as the command line offers it; a plain class, because `typing` and `dataclasses` take longer to load."""

    __slots__ = ("command", "summary", "tool")

    def __init__(self, tool: str, command: str, summary: str) -> None:
        self.tool = tool
        self.command = command
        self.summary = summary


TOOL_COMMANDS: tuple[ToolCommand, ...] = (
    ToolCommand("search_tables", "search", "Find tables by what they hold, in plain words."),
    ToolCommand("get_table_schema", "table", "Show a table: columns, keys, indexes and what it is joined to."),
    ToolCommand("get_join_path", "join", "Show how two tables are joined, with SQL that runs."),
    ToolCommand("get_domain_overview", "domain", "Show a business domain: its tables, diagram and common joins."),
    ToolCommand("list_domains", "domains", "List the business domains."),
)
