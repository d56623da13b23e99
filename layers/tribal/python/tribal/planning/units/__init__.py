"""Cutting the plan into work units and slices, and the files of a plan."""
