"""Servers that speak OpenAI's protocol, each in its own way."""
