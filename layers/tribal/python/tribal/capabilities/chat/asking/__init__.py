"""A question on its way to an answer: request, laws, model, events."""
