"""Use cases: what agents learned is kept, found and removed."""
