"""Collections: who may see them, what they hold, and what is removed."""
