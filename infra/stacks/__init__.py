"""The rooms of the stack, one construct each."""
