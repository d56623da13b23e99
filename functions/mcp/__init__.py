"""Serves MCP over HTTPS, and has no right on data: it asks the retriever."""
