"""What every capability shares: shapes, identities, error codes, configuration, runs."""
