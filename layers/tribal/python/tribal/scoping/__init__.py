"""What a scope hides beyond the tables outside of it: texts, types and names that mention them."""
