"""A capability that only the tests have, and what adding it to a copy of the sources takes."""
