"""Which descriptions could be contributed to which repository, and what speaks against the others."""
