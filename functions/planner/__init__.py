"""Reads catalogs, composes the plan, opens and closes runs."""
