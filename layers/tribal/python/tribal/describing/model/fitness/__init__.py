"""The test of a model: built-in tables with known meanings, asked about as a run asks about tables."""

from __future__ import annotations

from tribal.describing.model.fitness.asking import TEST_VERSION, USUAL_ANSWER_TOKENS, FitnessResult, FitnessTest
from tribal.describing.model.fitness.tester import RecordingTester

__all__ = ["TEST_VERSION", "USUAL_ANSWER_TOKENS", "FitnessResult", "FitnessTest", "RecordingTester"]
