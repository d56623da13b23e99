"""Reads the names of dependencies in manifests and lock files."""

from tribal.capabilities.knowledge.policies.dependencies.manifests import dependencies_of as dependencies_of
from tribal.capabilities.knowledge.policies.dependencies.manifests import has_dependencies as has_dependencies
from tribal.capabilities.knowledge.policies.dependencies.manifests import is_manifest as is_manifest
from tribal.capabilities.knowledge.policies.dependencies.manifests import is_other_manifest as is_other_manifest
from tribal.capabilities.knowledge.policies.dependencies.manifests import spellings as spellings
