"""The routes as an ASGI application: what `tribal serve` runs."""
