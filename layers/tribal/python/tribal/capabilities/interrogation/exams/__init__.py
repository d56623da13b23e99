"""Exams: how many questions of a company the documentation answers, and which gaps block the others."""
