"""Which files are configuration, by their names."""

from __future__ import annotations

_SUFFIXES = (
    ".cfg", ".conf", ".config", ".env", ".hcl", ".ini", ".json", ".json5", ".jsonc", ".properties", ".tf", ".tfvars",
    ".toml", ".xml", ".yaml", ".yml",
)  # fmt: skip
_NAMES = ("dockerfile", "makefile", "procfile", ".editorconfig", ".env", ".npmrc", ".yarnrc", ".gitconfig")


def is_configuration(path: str) -> bool:
    """Whether a file is configuration: by its suffix, or by a name that such files have."""
    name = path.rpartition("/")[2].casefold()
    return name.endswith(_SUFFIXES) or name in _NAMES or name.startswith((".env.", "dockerfile."))
