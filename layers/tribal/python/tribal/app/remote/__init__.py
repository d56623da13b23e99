"""The application over a deployed environment."""
