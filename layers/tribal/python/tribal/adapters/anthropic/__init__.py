"""Claude over the Messages API, of Anthropic and of whoever speaks it."""
