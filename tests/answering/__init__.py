"""Tests of `tribal.answering`."""
