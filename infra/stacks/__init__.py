"""The parts of the stack, one construct each."""
