"""Decides who may call the API when a token issuer is configured."""
