"""Facts about a repository, from its files alone."""
