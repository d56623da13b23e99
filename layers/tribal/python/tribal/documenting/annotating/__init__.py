"""Corrections that people make on the page, written into the files of annotations."""

from __future__ import annotations

from tribal.documenting.annotating.corrections import Proposal, propose, written_words
from tribal.documenting.annotating.editing import Subject

__all__ = ["Proposal", "Subject", "propose", "written_words"]
