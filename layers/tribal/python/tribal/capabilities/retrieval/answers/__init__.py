"""Limits the size of answers: pages of whole items, and optional parts that are left out if they do not fit."""
