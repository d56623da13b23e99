"""Finds the git checkout that a folder is in."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from tribal.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tribal.adapters.git.checkout import GitCheckout


@contextmanager
def open_checkout(folder: Path) -> Iterator[GitCheckout | None]:
    """The checkout that a folder is in; `None` outside of any.

    Raises:
        ConfigurationError: when it cannot be read, or a package is missing.
    """
    try:
        from tribal.adapters.git.checkout import GitCheckout
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            f"{error.name} is not installed, but reading git needs it; run: pip install 'tribal-knowledge[knowledge]'"
        ) from error
    checkout = GitCheckout.find(folder)
    try:
        yield checkout
    finally:
        if checkout is not None:
            checkout.close()
