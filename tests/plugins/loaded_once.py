"""What takes a command long to make and never changes, made once by each process of the tests.

Processes that tests start make it themselves.
"""

from __future__ import annotations

import functools

import typer.main

from tribal.adapters.wordllama import embedder

embedder._load = functools.cache(embedder._load)
typer.main.get_command = functools.cache(typer.main.get_command)
