"""Profiles: how the command line reaches a deployed environment."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import yaml
from pydantic import SecretStr, ValidationError

from tribal.errors import ConfigurationError
from tribal.settings import BucketPlace, read_environment
from tribal.settings.yaml_reader import Variables, YamlReader, read_small_file
from tribal.yaml_lines import compose_yaml
from tribal_contracts import ProfileEntry

FILE_VARIABLE = "TRIBAL_PROFILES"
TOKEN_VARIABLE = "TRIBAL_TOKEN"  # noqa: S105 - the name of a variable
STACK_PREFIX = "tribal-knowledge-"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,100}\Z")
_TOKEN = re.compile(r"[-0-9a-zA-Z._~+/]+=*\Z")
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class Profile:
    """One environment, as far as it is known without calling AWS."""

    name: str
    stack: str
    region: str | None = None
    aws_profile: str | None = None
    api: str | None = None
    store: BucketPlace | None = None
    state_machine: str | None = None
    token: SecretStr | None = None
    file: Path | None = None
    """Path of the profiles file, whether or not it exists."""


def load_profile(name: str, environment: Mapping[str, str] | None = None) -> Profile:
    """The profile of that name; one that is not in the file means the stack `tribal-knowledge-NAME`.

    Raises:
        ConfigurationError: when the file, or its entry for the name, cannot be used.
    """
    if not _NAME.match(name):
        raise ConfigurationError(
            "not a valid profile name: use letters, digits, hyphens and underscores, as in the name of an environment"
        )
    values = read_environment() if environment is None else dict(environment)
    named = values.get(FILE_VARIABLE)
    file = Path(named).expanduser() if named else _usual_file(values)
    if named and not file.is_file():
        raise ConfigurationError(f"{FILE_VARIABLE} names {file}, which is not a file; correct or unset it")
    entry = (_entry(name, file, values) if file.is_file() else None) or ProfileEntry()
    return Profile(
        name=name,
        stack=entry.stack or STACK_PREFIX + name,
        region=entry.region or values.get("AWS_REGION") or None,
        aws_profile=entry.aws_profile,
        api=None if entry.api is None else checked_address(entry.api),
        store=None if entry.store is None else BucketPlace.parse(entry.store),
        state_machine=entry.state_machine,
        token=_token(values.get(TOKEN_VARIABLE) if entry.token is None else entry.token.get_secret_value()),
        file=file,
    )


def checked_address(address: str) -> str:
    """The address, if credentials may be sent to it: HTTPS, or a loopback address.

    Raises:
        ConfigurationError: when it is anything else.
    """
    try:
        parts = urlsplit(address)
        host, has_login, _ = parts.hostname, "@" in parts.netloc, parts.port
    except ValueError:
        host, has_login = None, False
    if host and not has_login and (parts.scheme == "https" or (parts.scheme == "http" and host in _LOOPBACK)):
        return address.rstrip("/")
    # Not shown, since it may contain a login.
    raise ConfigurationError(
        "`api` in the profile is not a valid address; use the stack output ApiAddress, https://..."
    )


def _token(text: str | None) -> SecretStr | None:
    text = (text or "").strip()
    if text and not _TOKEN.match(text):
        raise ConfigurationError(f"the token of {TOKEN_VARIABLE} or of the profile has invalid characters")
    return SecretStr(text) if text else None


def _usual_file(environment: Mapping[str, str]) -> Path:
    folder = environment.get("XDG_CONFIG_HOME")
    return (Path(folder) if folder else Path("~/.config").expanduser()) / "tribal" / "profiles.yaml"


def _entry(name: str, file: Path, environment: Mapping[str, str]) -> ProfileEntry | None:
    """The file's entry for one profile; variables that only other profiles use need not be set."""
    root = compose_yaml(str(file), read_small_file(file))
    reader = YamlReader(str(file), Variables(environment), lambda _: ProfileEntry)
    if root is None:
        return None
    for key, profiles in root.value if isinstance(root, yaml.MappingNode) else ():
        if key.value == "profiles" and isinstance(profiles, yaml.MappingNode):
            break
        raise reader.error(key, "the file must have one key, `profiles:`, with a key for each profile below it")
    else:
        raise reader.error(root, "the file must start with `profiles:`, with a key for each profile below it")
    node = next((value for key, value in profiles.value if key.value == name), None)
    if node is None:
        return None
    if not isinstance(node, yaml.MappingNode):
        raise reader.error(node, f"the profile {name!r} must have keys such as `region: eu-central-1`")
    content = reader.value(node)
    try:
        return ProfileEntry.model_validate(content)
    except ValidationError as error:
        raise reader.invalid(error, node) from None
