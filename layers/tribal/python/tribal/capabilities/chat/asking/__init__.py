"""The way from a question to its answer: request, laws, model, events."""
