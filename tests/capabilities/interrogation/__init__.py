"""Tests of interrogation."""
