"""The commands of contribution."""
