"""Everything that a process is told from outside: settings, `databases.yaml`, profiles, deployments, DSNs."""

from __future__ import annotations

from tribal.settings.settings import (
    PROJECT_FILE,
    BucketPlace,
    Settings,
    load_settings,
    read_environment,
    settings_in_bucket,
)

__all__ = ["PROJECT_FILE", "BucketPlace", "Settings", "load_settings", "read_environment", "settings_in_bucket"]
