"""A sandbox of Linux namespaces, started by bubblewrap."""
