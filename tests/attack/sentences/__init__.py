"""Sentences with and without secrets, to measure what finds secrets in comments and memories.

The author of the templates has not read the detector. Templates, words and weak passwords are split in two by their
hash: look at development sentences to improve the detector, and report numbers from held-out ones.
"""

from __future__ import annotations

from tests.attack.sentences.generator import KINDS, Sentence, generate, template_counts

__all__ = ["KINDS", "Sentence", "generate", "template_counts"]
