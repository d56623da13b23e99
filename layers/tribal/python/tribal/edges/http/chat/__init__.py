"""The chat over HTTP: questions, uploads, and what became of them."""
