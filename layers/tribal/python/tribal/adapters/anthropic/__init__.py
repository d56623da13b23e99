"""Claude over the Messages API, of Anthropic or of any compatible server."""
