"""The tools over HTTP, independent of any framework: request value in, response value out."""
