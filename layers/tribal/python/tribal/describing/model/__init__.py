"""Describe tables and domains with a language model; sentences not backed by the shown data are dropped."""
