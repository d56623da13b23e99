"""Reports on runs for people: status, progress and previews."""
