"""Orders tables by the signals of a search and scores the relevance of each; no I/O."""
