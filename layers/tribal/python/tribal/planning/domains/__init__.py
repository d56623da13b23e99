"""Group tables into business domains and name them."""
