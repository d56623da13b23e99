"""Serves MCP over HTTPS without access to data: it calls the functions with the tools."""
