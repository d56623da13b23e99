"""Write corrections made on the page into annotations files."""

from __future__ import annotations

from tribal.documenting.annotating.corrections import Proposal, propose, written_text
from tribal.documenting.annotating.editing import Subject

__all__ = ["Proposal", "Subject", "propose", "written_text"]
