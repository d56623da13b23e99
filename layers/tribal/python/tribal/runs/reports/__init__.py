"""What people see of runs: the state that they are in, and their records as they grow."""
