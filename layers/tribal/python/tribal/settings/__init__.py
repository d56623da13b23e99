"""Configuration from outside the process: settings, `databases.yaml`, profiles, deployments and DSNs."""

from __future__ import annotations

from tribal.settings.settings import (
    PROJECT_FILE,
    PROMPT_FOLDER,
    SCHEMA_FILE,
    Settings,
    export_variable,
    load_settings,
    read_environment,
    settings_in_bucket,
    source_date_epoch,
)
from tribal.settings.store_place import BucketPlace

__all__ = [
    "PROJECT_FILE",
    "PROMPT_FOLDER",
    "SCHEMA_FILE",
    "BucketPlace",
    "Settings",
    "export_variable",
    "load_settings",
    "read_environment",
    "settings_in_bucket",
    "source_date_epoch",
]
