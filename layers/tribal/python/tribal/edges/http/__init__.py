"""Tools over HTTP, free of any framework."""
