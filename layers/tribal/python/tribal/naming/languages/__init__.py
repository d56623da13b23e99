"""What other languages than English need to be searched: scripts without spaces, and compounds."""
