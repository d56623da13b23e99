"""Connections to PostgreSQL: how they are opened, shared out, watched and closed."""
