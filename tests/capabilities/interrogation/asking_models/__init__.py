"""Detectives and witnesses that are language models."""
