"""Cycles: their files, what happens next, and the job that takes one from agent to agent."""
