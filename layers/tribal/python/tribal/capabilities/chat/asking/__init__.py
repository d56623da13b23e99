"""Answer a question: check the request, apply the laws, ask a model, and yield events."""
