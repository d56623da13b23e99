"""Decides who may call the API where an issuer of tokens is configured."""
