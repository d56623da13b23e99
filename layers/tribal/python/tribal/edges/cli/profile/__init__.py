"""The environment of `--profile`."""
