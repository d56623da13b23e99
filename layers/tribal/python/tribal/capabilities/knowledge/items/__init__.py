"""Files of decisions and policies, read as items."""
