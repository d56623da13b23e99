"""`tribal comply`: run by people before a commit, and by CI."""
