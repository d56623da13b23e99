"""Exams: how many of a company's questions the documentation answers, and which gaps block the others."""
