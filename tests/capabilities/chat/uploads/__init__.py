"""Tests of uploads."""
