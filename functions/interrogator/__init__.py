"""Answers the tools of interrogation, and runs sessions for their state machine."""
