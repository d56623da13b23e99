"""The tools over HTTP, free of any framework: a request value in, a response value out."""
