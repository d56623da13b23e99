"""Secrets from environment variables, and from a folder with one file per secret, as containers mount them.

A second source can be chained behind them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import SecretStr

from tribal.errors import ConfigurationError

if TYPE_CHECKING:
    from tribal.ports import Secrets


_FILE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*\Z")
_MAX_BYTES = 65_536


class EnvironmentSecrets:
    """The `Secrets` of one machine: variables take precedence over files; empty ones count as missing.

    The mapping is read on each call, so it may be the live `os.environ`; files are cached until `refresh`.
    """

    def __init__(self, variables: Mapping[str, str], files: Path | None = None) -> None:
        self._variables = variables
        self._files = files
        self._read: dict[str, SecretStr | None] = {}

    def get(self, name: str) -> SecretStr | None:
        """The secret of that name; `None` if it does not exist.

        Raises:
            ConfigurationError: when its file cannot be read.
        """
        if value := self._variables.get(name):
            return SecretStr(value)
        if name not in self._read:
            self._read[name] = self._from_file(name)
        return self._read[name]

    def refresh(self, name: str) -> SecretStr | None:
        """The same, bypassing the cache."""
        self._read.pop(name, None)
        return self.get(name)

    def _from_file(self, name: str) -> SecretStr | None:
        # The name comes from a configuration file and must not escape the folder.
        if self._files is None or not _FILE_NAME.match(name):
            return None
        path = self._files / name
        try:
            with path.open("rb") as file:
                data = file.read(_MAX_BYTES + 1)
            if len(data) > _MAX_BYTES:
                raise ConfigurationError(f"Secret file {str(path)!r} is larger than {_MAX_BYTES} bytes.")
            value = data.decode("utf-8")
        except FileNotFoundError:
            return None
        except OSError as error:
            message = f"Secret file {str(path)!r} cannot be read ({error.strerror}). Check its permissions."
            raise ConfigurationError(message) from error
        except UnicodeDecodeError:
            # Not chained: the cause contains the secret.
            raise ConfigurationError(f"Secret file {str(path)!r} is not UTF-8 text.") from None
        value = value.removesuffix("\n").removesuffix("\r")
        return SecretStr(value) if value else None


class ChainedSecrets:
    """The `Secrets` of one source, with a second one as the fallback.

    Args:
        first: always tried first.
        build: builds the second source, when the first lacks a secret.
    """

    def __init__(self, first: Secrets, build: Callable[[], Secrets]) -> None:
        self._first = first
        self._build = build

    def get(self, name: str) -> SecretStr | None:
        """The secret of that name; `None` when neither source has it."""
        return self._first.get(name) or self._second.get(name)

    def refresh(self, name: str) -> SecretStr | None:
        """The same, bypassing the caches."""
        return self._first.refresh(name) or self._second.refresh(name)

    @cached_property
    def _second(self) -> Secrets:
        return self._build()
