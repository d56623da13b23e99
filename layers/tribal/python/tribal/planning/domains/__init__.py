"""Groups tables into business domains and names them."""
