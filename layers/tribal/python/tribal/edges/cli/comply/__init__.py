"""`tribal comply`: what people type before a commit, and CI runs."""
