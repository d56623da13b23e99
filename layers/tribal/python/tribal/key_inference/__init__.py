"""Infers keys that no catalog declares. No I/O."""

from __future__ import annotations

from tribal.key_inference.guesses import LIKELY
from tribal.key_inference.inference import Inference, candidate_pairs, infer_keys
from tribal.key_inference.overlap import MOST_PAIRS, KeyPair, Overlap, Overlaps

__all__ = ["LIKELY", "MOST_PAIRS", "Inference", "KeyPair", "Overlap", "Overlaps", "candidate_pairs", "infer_keys"]
