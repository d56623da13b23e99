"""Records on an object store: read or none, put if changed, and the manifest."""
